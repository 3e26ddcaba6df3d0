"""Tells what form a submission has, by its first bytes and not by its name, and reads it."""

from __future__ import annotations

import os
import stat
import tarfile
from pathlib import Path
from typing import IO, Callable, Iterator, List, Optional

from grader.submissions.decompress import decompressed
from grader.submissions.folder import NotReadable, folder_entries, list_folder, opened_folder
from grader.submissions.git_head import BUNDLE_MAGIC, is_bare_repository
from grader.submissions.git_objects import bundle_entries, repository_entries
from grader.submissions.intake import Entry, Intake, is_of_tools
from grader.submissions.printable import SubmissionError
from grader.submissions.tar_file import tar_entries
from grader.submissions.zip_file import zip_entries

ARCHIVE_LIMIT = 256 * 1024 * 1024  # bytes of the file that was handed in

_FORMS = "neither a folder nor a zip or tar archive, nor a git repository or bundle"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED = (
    *((b"\x1f\x8b", "gz"), (b"BZh", "bz2")),
    *((b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zst")),
)
_OTHERS = ((b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"), (b"Rar!\x1a\x07", "a RAR archive"))

Reader = Callable[[Path, Intake], Iterator[Entry]]


def submission_entries(source: Path, intake: Intake) -> Iterator[Entry]:
    """All that is in it, in its own order. SubmissionError if it cannot be read as a whole."""
    try:
        real = source.resolve(strict=True)
        mode = real.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, RuntimeError) as error:
        raise SubmissionError(f"there is no {source}") from error
    except OSError as error:
        raise intake.error(f"cannot be read: {error.strerror}") from error
    try:
        if stat.S_ISDIR(mode):
            yield from _of_folder(real, intake)
        elif stat.S_ISREG(mode):
            yield from _of_file(real, intake)
        else:
            raise SubmissionError(f"{source} is {_FORMS}")
    except OSError as error:
        raise intake.error(f"cannot be read: {error.strerror or error}") from error
    except NotReadable as error:
        raise intake.error(f"is {error}") from error


def _of_folder(folder: Path, intake: Intake) -> Iterator[Entry]:
    """A bare repository. Or what is alone in it: such a repository, or an archive. Or its files."""
    for candidate in (folder, *_alone_in(folder)):
        reader = _reader(candidate)
        if reader is not None:
            yield from reader(candidate, intake)
            return
    yield from folder_entries(folder, intake)


def _alone_in(folder: Path) -> List[Path]:
    with opened_folder(folder) as root:
        names = [name for name in list_folder(root, ()) if not is_of_tools(name)]
    return [folder / names[0]] if len(names) == 1 else []


def _reader(path: Path) -> Optional[Reader]:
    """None: nothing that is to be opened."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            with opened_folder(path) as root:
                return repository_entries if is_bare_repository(root) else None
        if stat.S_ISREG(mode):
            with open(path, "rb") as file:
                return _of_file if _is_known(file.read(tarfile.BLOCKSIZE)) else None
    except OSError:
        pass
    return None


def _of_file(path: Path, intake: Intake) -> Iterator[Entry]:
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > ARCHIVE_LIMIT:
            raise intake.error(f"is too large: {size} bytes, more than {ARCHIVE_LIMIT}")
        head = file.read(tarfile.BLOCKSIZE)
        file.seek(0)
        if not head:
            raise intake.error("is empty: 0 bytes")
        for magic, what in _OTHERS:
            if head.startswith(magic):
                raise intake.error(f"is {what}, which is not read here: hand in a zip or a tar")
        if head.startswith(_ZIP):
            yield from zip_entries(file, intake)
        elif head.startswith(BUNDLE_MAGIC):
            yield from bundle_entries(file, intake)
        elif _is_known(head):
            yield from _of_tar(file, head, intake)
        else:
            raise intake.error(f"is {_FORMS}")


def _of_tar(file: IO[bytes], head: bytes, intake: Intake) -> Iterator[Entry]:
    packed = next((kind for magic, kind in _PACKED if head.startswith(magic)), "")
    with decompressed(file, packed, intake) as stream:
        first = stream.peek(tarfile.BLOCKSIZE)[: tarfile.BLOCKSIZE]
        if not first:
            raise intake.error("is damaged: nothing comes out of it")
        if not _is_tar(first):
            raise intake.error("is packed, but what is in it is no tar")
        yield from tar_entries(stream, intake)


def _is_known(head: bytes) -> bool:
    magics = (*_ZIP, *BUNDLE_MAGIC, *(magic for magic, _ in _PACKED))
    return head.startswith(magics) or _is_tar(head)


def _is_tar(head: bytes) -> bool:
    """Tars older than their magic word are known by the sum in their first header."""
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.TarError:
        return len(head) == tarfile.BLOCKSIZE and not head.strip(b"\0")  # an empty one
    return True
