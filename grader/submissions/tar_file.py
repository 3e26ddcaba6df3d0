"""Reads a tar from a stream, once, from its beginning to its end."""

from __future__ import annotations

import tarfile
from typing import IO, Any, Iterator, Optional

from grader.submissions.intake import Entry, Intake, is_of_tools, read_whole

_HEADER_LIMIT = 16 * 1024  # bytes of a long name, or of a file's attributes
_HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_LINKS = (tarfile.SYMTYPE, tarfile.LNKTYPE)


def tar_entries(stream: IO[bytes], intake: Intake) -> Iterator[Entry]:
    """`stream` bounds what comes out of it; see decompress.py."""

    class Header(_CarefulInfo):
        """Of this tar."""

    try:
        opened: Any  # typeshed does not know `members`
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=Header) as opened:
            while (info := opened.next()) is not None:
                opened.members.clear()  # it would keep all that it has seen
                intake.count_entry()
                path = intake.path_inside(info.name)
                if not is_of_tools(path):
                    yield _entry(opened, info, path, intake)
        if not Header.has_ended:  # tarfile takes it for an end, too, if it does not go on
            raise EOFError("it ends too early, or goes on with what is no file")
    except (OSError, EOFError, ValueError, tarfile.TarError) as error:
        raise intake.error(f"is damaged: {error}") from error
    except (RuntimeError, MemoryError, OverflowError) as error:  # headers of headers of headers
        raise intake.error(f"is damaged: {type(error).__name__}") from error


class _CarefulInfo(tarfile.TarInfo):
    has_ended = False  # of a class for one tar: the block of zeros at its end was read

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> "_CarefulInfo":
        """Refuses sizes that tarfile would believe."""
        cls.has_ended = not buf.strip(b"\0") and len(buf) == tarfile.BLOCKSIZE
        info = super().frombuf(buf, encoding, errors)
        if info.size < 0 or (info.type in _HEADERS and info.size > _HEADER_LIMIT):
            raise tarfile.ReadError(f"a header of {info.size} bytes")
        return info


def _entry(opened: tarfile.TarFile, info: tarfile.TarInfo, path: str, intake: Intake) -> Entry:
    if info.isdir():
        return Entry(path, trouble="a folder, not a file", is_folder=True)
    if info.type in _LINKS:
        return Entry(path, trouble="a link, which is not followed in an archive")
    if not info.isreg():
        return Entry(path, trouble="not a file")
    trouble = intake.admit(path, info.size)
    file: Optional[IO[bytes]] = None if trouble else opened.extractfile(info)
    if file is None:
        return Entry(path, trouble=trouble)
    content = read_whole(file, info.size)
    if content is None:
        raise intake.error(f"is damaged: {path} ends too early")
    return Entry(path, content)
