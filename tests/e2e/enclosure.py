"""The sandbox around a server, if the grader wants one: a command that goes before its own.

The server is then not the process that was started, but a child of a child of it, or so; bubblewrap
hands on how it ended, a signal as 128 and its number, as a shell does.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Optional

from grader.memory_guard import MemoryGuard

SANDBOX = "bwrap"


@dataclass(frozen=True)
class Enclosure:
    command: tuple[str, ...] = ()
    memory_limit: Optional[int] = None  # bytes

    @property
    def is_sandbox(self) -> bool:
        """And not limits alone."""
        return SANDBOX in self.command


def read_enclosure(path: Optional[Path]) -> Enclosure:
    """`path`: a JSON object with the members of Enclosure; None: there is none."""
    if path is None:
        return Enclosure()
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Enclosure(tuple(told["command"]), told["memory_limit"])


class EnclosedProcess:
    """A server's process, wherever it is inside what was started. Its exit code is negative for a
    signal, with or without a sandbox."""

    def __init__(self, started: subprocess.Popen[bytes], enclosure: Enclosure) -> None:
        assert started.stdout is not None
        self.stdout: IO[bytes] = started.stdout
        self.session = started.pid
        self._started = started
        self._is_boxed = enclosure.is_sandbox
        self._pid: Optional[int] = None
        if enclosure.memory_limit is not None:
            guard = MemoryGuard(started.pid, enclosure.memory_limit)
            threading.Thread(target=self._watch, args=(guard,), daemon=True).start()

    @property
    def pid(self) -> int:
        """Of the server itself, once it has shown that it runs."""
        if self._pid is None:
            self._pid = _innermost(self._started.pid)
        return self._pid

    def poll(self) -> Optional[int]:
        return self._exit_code(self._started.poll())

    def wait(self, seconds: Optional[float] = None) -> Optional[int]:
        """subprocess.TimeoutExpired if it still runs then."""
        return self._exit_code(self._started.wait(seconds))

    def kill(self) -> None:
        self._started.kill()

    def _exit_code(self, code: Optional[int]) -> Optional[int]:
        is_signal = self._is_boxed and code is not None and 128 < code <= 192
        return 128 - code if is_signal and code is not None else code

    def _watch(self, guard: MemoryGuard) -> None:
        while self._started.poll() is None:
            if guard.looks_again():
                self._started.kill()
                return
            time.sleep(guard.pause)


def _innermost(pid: int) -> int:
    """Down from the sandbox's processes, each of which has one child."""
    while Path(f"/proc/{pid}/comm").read_bytes().strip() == SANDBOX.encode():
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        if not children:
            return pid
        pid = int(children[0])
    return pid
