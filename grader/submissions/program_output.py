"""What a program writes, as a stream: within time and memory, and the program is gone after."""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Mapping, Optional, Sequence, Type, Union

from grader.submissions.intake import Intake
from grader.submissions.printable import printable

_MEMORY = 2 * 1024**3  # bytes of address space: packs are mapped, not read
_FILE_SIZE = 1024**3  # bytes of one file that it writes


class ProgramFailed(Exception):
    """It did not like what it was given: its last words."""


class ProgramOutput:
    def __init__(
        self,
        command: Sequence[str],
        intake: Intake,
        environment: Mapping[str, str],
        stdin: Union[int, IO[bytes]] = subprocess.DEVNULL,
        folder: Optional[Path] = None,
    ) -> None:
        self._intake = intake
        self._name = Path(command[0]).name
        self._words = tempfile.TemporaryFile(prefix="lab-words-")
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=self._words,
                cwd=folder or "/",
                env=dict(environment),
                start_new_session=True,
            )
        except BaseException:
            self._words.close()
            raise
        assert self._process.stdout is not None
        self._pipe = self._process.stdout.fileno()
        self._limit(resource.RLIMIT_AS, _MEMORY)
        self._limit(resource.RLIMIT_FSIZE, _FILE_SIZE)

    def _limit(self, which: int, value: int) -> None:
        try:
            resource.prlimit(self._process.pid, which, (value, value))
        except (ProcessLookupError, PermissionError, ValueError):
            pass  # it has ended already, or has a lower limit: the time is bounded all the same

    def read(self, size: int = 65536) -> bytes:
        """Some bytes, b"" at the end. SubmissionError when the time is over."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            while not selector.select(max(0.0, self._intake.deadline - time.monotonic())):
                self._intake.check_time()
        self._intake.check_time()
        return os.read(self._pipe, min(size, 65536))

    def finish(self) -> None:
        """After the last byte. ProgramFailed if it was not content."""
        try:
            code = self._process.wait(max(0.0, self._intake.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise self._intake.error("takes too long to read") from None
        if code != 0:
            self._words.seek(0)
            lines = self._words.read(4096).decode("utf-8", "replace").split("\n")
            said = next((line for line in lines if line.strip()), f"exit code {code}")
            raise ProgramFailed(f"{self._name}: {printable(said)}")

    def drain(self) -> None:
        """To its end, for a program whose output is of no interest."""
        while self.read():
            pass
        self.finish()

    def __enter__(self) -> "ProgramOutput":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._process.returncode is None:  # not reaped: the number is still its own
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait()
        self._words.close()
