"""Reads a folder without leaving it, whatever links are in it and whoever changes it meanwhile."""

from __future__ import annotations

import collections
import contextlib
import os
import stat
from pathlib import Path
from typing import Deque, Iterator, List, Tuple

from grader.submissions.intake import (
    DEPTH_LIMIT,
    ENTRY_LIMIT,
    NOT_TO_BE_READ,
    Entry,
    Intake,
    is_of_tools,
    is_source_name,
    read_whole,
)

_CHANGED = "changed while it was read"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a FIFO must not block

Parts = Tuple[str, ...]


class NotReadable(Exception):
    """This one is there, but is not read, and why."""


def folder_entries(folder: Path, intake: Intake) -> Iterator[Entry]:
    """Level by level, so that what is not looked at is what lies deep."""
    with opened_folder(folder) as root:
        waiting: Deque[Parts] = collections.deque([()])
        while waiting:
            parts = waiting.popleft()
            try:
                names = list_folder(root, parts)
            except NotReadable as error:
                yield Entry("/".join(parts), trouble=str(error))
                continue
            for name in names:
                inner = (*parts, name)
                if is_of_tools("/".join(inner)):
                    continue
                intake.count_entry()
                entry = _entry(folder, root, inner, intake)
                yield entry
                if entry.is_folder and len(inner) <= DEPTH_LIMIT:
                    waiting.append(inner)
                elif entry.is_folder:
                    where = "/".join((*inner, "..."))
                    yield Entry(where, trouble=f"below {DEPTH_LIMIT} folders: not looked at")


def _entry(folder: Path, root: int, parts: Parts, intake: Intake) -> Entry:
    path = "/".join(parts)
    try:
        with below(root, parts[:-1], _FOLDER) as parent:
            status = os.stat(parts[-1], dir_fd=parent, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            return Entry(path, trouble="a folder, not a file", is_folder=True)
        if stat.S_ISLNK(status.st_mode):
            parts = _link_target(folder, parts)
        elif not stat.S_ISREG(status.st_mode):
            return Entry(path, trouble="not a file")
        return Entry(path, read_file(root, parts, intake))
    except NotReadable as error:
        return Entry(path, trouble=str(error))
    except FileNotFoundError:
        return Entry(path, trouble=_CHANGED)
    except OSError as error:
        return Entry(path, trouble=f"{NOT_TO_BE_READ}: {error.strerror}")


def _link_target(folder: Path, parts: Parts) -> Parts:
    """A source file may be a link to another file of the submission."""
    if not is_source_name(parts[-1]):
        raise NotReadable("a link")
    try:
        real = folder.joinpath(*parts).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotReadable("a link that leads nowhere") from error
    if folder not in real.parents:
        raise NotReadable("a link that leads out of the submission")
    return real.relative_to(folder).parts


@contextlib.contextmanager
def opened_folder(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def below(root: int, parts: Parts, flags: int) -> Iterator[int]:
    """Opens a name below `root`, folder by folder, and follows no link on the way."""
    descriptor = os.dup(root)
    try:
        for index, name in enumerate(parts, 1):
            how = flags if index == len(parts) else _FOLDER
            inner = os.open(name, how, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def list_folder(root: int, parts: Parts) -> List[str]:
    """The names in it, sorted; of a folder with too many, one more than can be counted."""
    try:
        with below(root, parts, _FOLDER) as descriptor, os.scandir(descriptor) as found:
            names = [entry.name for _, entry in zip(range(ENTRY_LIMIT + 1), found)]
    except OSError as error:
        raise NotReadable(f"{NOT_TO_BE_READ}: {error.strerror}") from error
    return sorted(names)


def read_file(root: int, parts: Parts, intake: Intake) -> bytes:
    with below(root, parts, _FILE) as descriptor:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotReadable("not a file")
        trouble = intake.admit("/".join(parts), status.st_size)
        if trouble:
            raise NotReadable(trouble)
        with open(descriptor, "rb", closefd=False) as file:
            content = read_whole(file, status.st_size)
        if content is None:
            raise NotReadable(_CHANGED)
        return content
