"""Runs one program within bounds: of time, of output, and of what it may leave behind."""

from __future__ import annotations

import dataclasses
import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence

from grader.descendants import end_descendants
from grader.memory_guard import MemoryGuard

OUTPUT_LIMIT = 64 * 1024  # bytes kept of each stream: half from its beginning, half from its end


@dataclasses.dataclass(frozen=True)
class Ended:
    returncode: int  # negative: the signal that ended it
    timed_out: bool
    seconds: float
    output: str  # standard output and standard error, as they came
    extra: bytes = b""  # what came through `extra_pipe`
    over_memory: bool = False  # ended because of `memory_limit`


def run_program(
    arguments: Sequence[str],
    *,
    seconds: float,
    folder: Optional[Path] = None,
    environment: Optional[Mapping[str, str]] = None,
    pass_fds: Sequence[int] = (),
    extra_pipe: Optional[int] = None,
    memory_limit: Optional[int] = None,
) -> Ended:
    """Runs `arguments` for at most `seconds`, in a session of its own that is ended afterwards, and
    with it (where this process adopts orphans, see keepers.py) everything that left that session.

    `extra_pipe`: reading end of a pipe whose other end is in `pass_fds`, and is closed here once the
    program has started. `memory_limit`: bytes that it and what it started may use together. OSError
    if it cannot be started.
    """
    began = time.monotonic()
    reader, writer = os.pipe()
    try:
        process = subprocess.Popen(
            list(arguments),
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            cwd=folder,
            env=dict(clean_environment() if environment is None else environment),
            pass_fds=tuple(pass_fds),
            start_new_session=True,
        )
    except BaseException:
        os.close(reader)
        raise
    finally:
        for descriptor in (writer, *pass_fds):
            os.close(descriptor)
    streams = {reader: _Stream()}
    if extra_pipe is not None:
        streams[extra_pipe] = _Stream()
    guard = MemoryGuard(process.pid, memory_limit)
    try:
        timed_out = _read_until_exit(process, streams, began + seconds, guard)
    finally:
        _end_session(process)
    took = time.monotonic() - began
    for descriptor, stream in streams.items():
        stream.take_rest(descriptor)
    os.close(reader)
    return Ended(
        returncode=process.wait(),
        timed_out=timed_out,
        seconds=took,
        output=streams[reader].text(),
        extra=streams[extra_pipe].kept() if extra_pipe is not None else b"",
        over_memory=guard.is_over,
    )


def clean_environment(**more: str) -> Dict[str, str]:
    """What a program needs of the environment; not what the user happens to have set."""
    kept = ("PATH", "HOME", "TMPDIR", "TERM", "LAB_SEED")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return {"PATH": os.defpath, "HOME": "/", **environment, "LANG": "C.UTF-8", **more}


def python_environment(**more: str) -> Dict[str, str]:
    """For Python of the kit's own: what it compiles goes where this one's goes, or is not kept; never
    between the sources."""
    if sys.pycache_prefix is not None:
        return clean_environment(PYTHONPYCACHEPREFIX=sys.pycache_prefix, **more)
    return clean_environment(PYTHONDONTWRITEBYTECODE="1", **more)


def describe_exit(returncode: int) -> str:
    if returncode >= 0:
        return f"exit code {returncode}"
    try:
        return f"signal {-returncode} ({signal.Signals(-returncode).name})"
    except ValueError:
        return f"signal {-returncode}"


class _Stream:
    """The beginning and the end of what came through a pipe."""

    def __init__(self) -> None:
        self._head = b""
        self._tail: List[bytes] = []
        self._tail_size = 0
        self._cut = 0

    def take(self, data: bytes) -> None:
        room = OUTPUT_LIMIT // 2 - len(self._head)
        self._head += data[:room]
        if data[room:]:
            self._tail.append(data[room:])
            self._tail_size += len(data[room:])
        while self._tail_size - len(self._tail[0] if self._tail else b"") > OUTPUT_LIMIT // 2:
            dropped = self._tail.pop(0)
            self._tail_size -= len(dropped)
            self._cut += len(dropped)

    def take_rest(self, descriptor: int) -> None:
        """What is in the pipe already, without waiting for whoever may still hold it open."""
        os.set_blocking(descriptor, False)
        try:
            while len(data := os.read(descriptor, 65536)) > 0:
                self.take(data)
        except BlockingIOError:
            pass

    def kept(self) -> bytes:
        note = f"\n[... {self._cut} bytes cut here ...]\n".encode() if self._cut else b""
        return self._head + note + b"".join(self._tail)

    def text(self) -> str:
        return self.kept().decode("utf-8", "replace")


def _read_until_exit(
    process: "subprocess.Popen[bytes]",
    streams: Dict[int, _Stream],
    deadline: float,
    guard: MemoryGuard,
) -> bool:
    """Reads until the program itself has ended, whoever else still holds its pipes, or uses too much
    memory. True: time out."""
    watch = os.pidfd_open(process.pid)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(watch, selectors.EVENT_READ)
            for descriptor in streams:
                selector.register(descriptor, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if guard.looks_again():
                    return False
                for key, _ in selector.select(min(left, guard.pause)):
                    if key.fd == watch:
                        return False
                    data = os.read(key.fd, 65536)
                    streams[key.fd].take(data)
                    if not data:
                        selector.unregister(key.fd)
            return True
    finally:
        os.close(watch)


def _end_session(process: "subprocess.Popen[bytes]") -> None:
    """The leader is not reaped yet, so its number is still the session's."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    end_descendants()
