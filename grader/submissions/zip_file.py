"""Reads a zip: nothing in it is trusted, not its names, its sizes, nor where its files begin."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from typing import IO, Iterator, List, cast

from grader.submissions.intake import Entry, Intake, is_of_tools, read_whole

_READ_LIMIT = 8 * 1024 * 1024  # bytes read at once: so large may the list of names be
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # those that unpack in bounded steps
_ENCRYPTED = 1
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")


def zip_entries(file: IO[bytes], intake: Intake) -> Iterator[Entry]:
    try:
        with zipfile.ZipFile(cast(IO[bytes], _Bounded(file, intake))) as opened:
            _check_overlaps(opened, file, intake)
            for info in opened.infolist():
                intake.count_entry()
                path = intake.path_inside(info.orig_filename)
                if not is_of_tools(path):
                    yield _entry(opened, info, path, intake)
    except (OSError, EOFError, ValueError, zlib.error, struct.error, zipfile.BadZipFile) as error:
        raise intake.error(f"is damaged: {error}") from error
    except (RuntimeError, NotImplementedError, MemoryError) as error:
        raise intake.error(f"cannot be unpacked: {error}") from error


class _Bounded:
    """A file for zipfile, which reads as many bytes at once as the file itself tells it to."""

    def __init__(self, file: IO[bytes], intake: Intake) -> None:
        self._file = file
        self._intake = intake
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        self._intake.check_time()
        if size > _READ_LIMIT:
            raise self._intake.error(f"has a list of names of {size} bytes")
        return self._file.read(size if size >= 0 else _READ_LIMIT)


def _entry(opened: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, intake: Intake) -> Entry:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.orig_filename.endswith(("/", "\\")) or kind == stat.S_IFDIR:
        return Entry(path, trouble="a folder, not a file", is_folder=True)
    if kind == stat.S_IFLNK:
        return Entry(path, trouble="a link, which is not followed in an archive")
    if kind not in (0, stat.S_IFREG):
        return Entry(path, trouble="not a file")
    if info.flag_bits & _ENCRYPTED:
        raise intake.error("is encrypted: hand it in without a password")
    if info.compress_type not in _METHODS:
        return Entry(path, trouble=f"packed by method {info.compress_type}: use Deflate")
    trouble = intake.admit(path, info.file_size)
    if trouble:
        return Entry(path, trouble=trouble)
    with opened.open(info) as file:
        content = read_whole(file, info.file_size)  # it never gives more, and checks the sum
    if content is None:
        raise intake.error(f"is damaged: {path} ends too early")
    return Entry(path, content)


def _check_overlaps(opened: zipfile.ZipFile, file: IO[bytes], intake: Intake) -> None:
    """Entries that share bytes are how a small archive unpacks to petabytes."""
    infos: List[zipfile.ZipInfo] = sorted(opened.infolist(), key=lambda info: info.header_offset)
    ends = [info.header_offset for info in infos[1:]] + [opened.start_dir]
    for info, end in zip(infos, ends):
        intake.check_time()
        file.seek(info.header_offset)
        *_, name_size, extra_size = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        begin = info.header_offset + _LOCAL_HEADER.size + name_size + extra_size
        if begin + info.compress_size > end:
            raise intake.error("is damaged: its files overlap")
