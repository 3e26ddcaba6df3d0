"""Extracts a zip or tar archive of a submission: files and folders only, all inside, within limits.

Nothing in an archive is trusted: not its names, not the sizes it declares, not its links.
"""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Iterator, Optional, Tuple

from grader.exit_codes import WrongUse

ENTRY_LIMIT = 5_000
TOTAL_LIMIT = 64 * 1024 * 1024  # bytes after unpacking

Member = Tuple[str, Optional[IO[bytes]]]  # None: neither a file nor a folder


class SubmissionError(WrongUse):
    """This cannot be graded, and why."""


def is_archive(path: Path) -> bool:
    return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)


def extract(archive: Path, folder: Path) -> None:
    """Links and devices are left out; a name that leads out of `folder` makes it unfit as a whole."""
    try:
        members = _zip_members if zipfile.is_zipfile(archive) else _tar_members
        total = 0
        for count, (name, content) in enumerate(members(archive), 1):
            if count > ENTRY_LIMIT:
                raise SubmissionError(f"{archive.name}: more than {ENTRY_LIMIT} entries")
            target = folder / _inside(archive, name)
            if content is not None:
                total += _write(archive, target, content, TOTAL_LIMIT - total)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError) as error:
        raise SubmissionError(f"{archive.name} is damaged: {error}") from error
    except (RuntimeError, NotImplementedError) as error:  # a password; an unknown compression
        raise SubmissionError(f"{archive.name} cannot be unpacked: {error}") from error


def _zip_members(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            mode = entry.external_attr >> 16
            is_plain = mode & 0o170000 in (0, 0o100000) and not entry.is_dir()
            yield entry.filename, opened.open(entry) if is_plain else None


def _tar_members(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive) as opened:
        for entry in opened:
            yield entry.name, opened.extractfile(entry) if entry.isreg() else None


def _inside(archive: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise SubmissionError(f"{archive.name}: the name {name!r} leads out of the archive")
    return path


def _write(archive: Path, target: Path, content: IO[bytes], room: int) -> int:
    """The bytes written. Counts what comes out, whatever the archive says about sizes."""
    written = 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, target.open("wb") as file:
        while chunk := content.read(65536):
            written += len(chunk)
            if written > room:
                raise SubmissionError(f"{archive.name}: more than {TOTAL_LIMIT} bytes unpacked")
            file.write(chunk)
    return written
