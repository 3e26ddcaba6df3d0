"""The records of a run: JSON lines, each one written as soon as it is known."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Iterable, Mapping

from .checks import PlannedCheck
from .verdicts import Status


@dataclass
class Record:
    """What came of one check."""

    id: str
    title: str
    status: Status
    points: float
    max_points: float
    seconds: float
    message: str = ""
    steps: list[str] = field(default_factory=list)
    hint: str = ""


class RecordFile:
    """Appends lines to a file that the servers under test do not inherit."""

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(path, flags, 0o600)

    def write_plan(self, plan: Iterable[PlannedCheck]) -> None:
        self._write_line({"plan": [asdict(planned) for planned in plan]})

    def write_record(self, record: Record) -> None:
        self._write_line(asdict(record))

    def close(self) -> None:
        os.close(self._fd)

    def _write_line(self, content: Mapping[str, object]) -> None:
        line = memoryview((json.dumps(content) + "\n").encode())
        while line:
            line = line[os.write(self._fd, line) :]
