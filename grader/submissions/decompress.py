"""Unpacks gzip, bzip2, xz and Zstandard as a stream, which ends when it has given too much."""

from __future__ import annotations

import bz2
import contextlib
import importlib
import io
import lzma
import os
import shutil
import zlib
from typing import IO, Any, Callable, Dict, Iterator, Protocol

from grader.exit_codes import KitFailed
from grader.submissions.intake import Intake
from grader.submissions.program_output import ProgramFailed, ProgramOutput

STREAM_LIMIT = 512 * 1024 * 1024  # bytes that come out
_MEMORY = 128 * 1024 * 1024  # bytes that an archive may demand for unpacking
_CHUNK = 65536
_PATIENCE = 100  # reads at the end: tarfile would skip a file of 2**80 bytes block by block


class BoundedStream(io.RawIOBase):
    """What `read_some(size)` gives, until that is too much or takes too long."""

    def __init__(self, read_some: Callable[[int], bytes], intake: Intake) -> None:
        self._read_some = read_some
        self._intake = intake
        self._given = 0
        self._times_ended = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Full, if it can be: who peeks looks at what one call has brought."""
        self._intake.check_time()
        filled = 0
        while filled < len(buffer) and (data := self._read_some(len(buffer) - filled)):
            self._intake.check_time()
            buffer[filled : filled + len(data)] = data
            filled += len(data)
        self._given += filled
        self._times_ended += not filled
        if self._times_ended > _PATIENCE:
            raise EOFError("it ends too early")
        if self._given > STREAM_LIMIT:
            raise self._intake.error(f"unpacks to more than {STREAM_LIMIT} bytes")
        return filled


@contextlib.contextmanager
def decompressed(file: IO[bytes], kind: str, intake: Intake) -> Iterator[io.BufferedReader]:
    """`kind`: "gz", "bz2", "xz", "zst", or "" for what is not packed at all."""
    with contextlib.ExitStack() as stack:
        if kind == "zst":
            read_some = stack.enter_context(_zstd(file, intake))
        elif kind == "":
            read_some = file.read
        else:
            read_some = _Unpacking(file, _DECOMPRESSORS[kind]).read
        try:
            yield io.BufferedReader(BoundedStream(read_some, intake), _CHUNK)
        except (OSError, EOFError, zlib.error, lzma.LZMAError, ProgramFailed) as error:
            raise intake.error(f"is damaged: {error}") from error


class _Decompressor(Protocol):
    def decompress(self, data: bytes, max_length: int) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


class _Gzip:
    """zlib, with the ways of the two others."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data


_DECOMPRESSORS: Dict[str, Callable[[], _Decompressor]] = {
    "gz": _Gzip,
    "bz2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=_MEMORY),
}


class _Unpacking:
    """One packed stream after the other, as `cat a.gz b.gz` makes them; zeros may follow."""

    def __init__(self, file: IO[bytes], make: Callable[[], _Decompressor]) -> None:
        self._file = file
        self._make = make
        self._current = make()
        self._done = False

    def read(self, size: int) -> bytes:
        while not self._done:
            if self._current.eof:
                self._begin_next()
                continue
            data = self._file.read(_CHUNK) if self._current.needs_input else b""
            ended = self._current.needs_input and not data
            unpacked = self._current.decompress(data, size)
            if unpacked:
                return unpacked
            if ended and not self._current.eof:
                raise EOFError("it ends too early")
        return b""

    def _begin_next(self) -> None:
        rest = self._current.unused_data.lstrip(b"\0")
        while not rest and (data := self._file.read(_CHUNK)):
            rest = data.lstrip(b"\0")
        if not rest:
            self._done = True
            return
        self._file.seek(-len(rest), os.SEEK_CUR)
        self._current = self._make()


@contextlib.contextmanager
def _zstd(file: IO[bytes], intake: Intake) -> Iterator[Callable[[int], bytes]]:
    try:
        library: Any = importlib.import_module("zstandard")
    except ImportError:
        with _zstd_program(file, intake) as read_some:
            yield read_some
        return
    unpacker = library.ZstdDecompressor(max_window_size=_MEMORY)
    try:
        with unpacker.stream_reader(file, read_across_frames=True, closefd=False) as stream:
            yield stream.read
    except library.ZstdError as error:
        raise intake.error(f"is damaged: {error}") from error


@contextlib.contextmanager
def _zstd_program(file: IO[bytes], intake: Intake) -> Iterator[Callable[[int], bytes]]:
    name = shutil.which("zstd") or shutil.which("unzstd")
    if name is None:
        raise KitFailed(
            f"{intake.name} is packed with Zstandard: to read it, install python3-zstandard or zstd"
        )
    command = [name, "-d", "-c", "-q", f"--memory={_MEMORY}"]
    with ProgramOutput(command, intake, {"PATH": os.defpath}, file) as output:
        yield _Ending(output).read


class _Ending:
    """A program that fails at its end has not given everything."""

    def __init__(self, output: ProgramOutput) -> None:
        self._output = output

    def read(self, size: int) -> bytes:
        data = self._output.read(size)
        if not data:
            self._output.finish()
        return data
