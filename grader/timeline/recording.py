"""Reads the file that the recorder writes. Its lines are explained in tests/support/trace.h."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from grader.exit_codes import KitFailed

_FIELDS = {  # how many after the two times
    "file": 2, "create": 3, "ready": 2, "run": 1, "wait": 5, "return": 2, "throw": 5, "gone": 1,
    "step": 1, "full": 1,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Event:
    kind: str
    time: int  # nanoseconds since the first one
    virtual: Optional[int]  # on the test's clock
    fields: Tuple[str, ...]

    @property
    def id(self) -> int:
        return int(self.fields[0])


@dataclasses.dataclass(frozen=True)
class Recording:
    events: List[Event]  # without those that only name a file
    files: Dict[str, str]  # paths by number
    full: bool  # there was more than it could take


def read_recording(path: Path) -> Recording:
    """KitFailed if it is none. A file that does not exist is an empty one: nothing was recorded."""
    data = path.read_bytes() if path.exists() else b""
    return parse_recording(data.split(b"\0", 1)[0].decode("utf-8", "replace"))


def parse_recording(text: str) -> Recording:
    events: List[Event] = []
    files: Dict[str, str] = {}
    full = False
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            event = _event(line)
        except ValueError as error:
            raise KitFailed(f"line {number} of the recording: {error}") from error
        if event.kind == "file":
            files[event.fields[0]] = event.fields[1]
        elif event.kind == "full":
            full = True
        else:
            events.append(event)
    return Recording(events, files, full)


def _event(line: str) -> Event:
    kind, *rest = line.split("\t")
    if len(rest) - 2 != _FIELDS.get(kind):
        raise ValueError(f"not understood: {line!r}")
    return Event(kind, int(rest[0]), None if rest[1] == "-" else int(rest[1]), tuple(rest[2:]))
