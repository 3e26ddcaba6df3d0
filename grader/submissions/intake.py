"""What is read of one submission, and how much of it: the bounds that hold for every form of it.

A submission is never unpacked. It is read, name by name, into memory, so that its names are never
names on this machine.
"""

from __future__ import annotations

import dataclasses
import time
from typing import IO, Optional

from grader.kit import LABS
from grader.submissions.printable import SubmissionError, printable

FILE_LIMIT = 1024 * 1024  # bytes of one file
SOURCES_LIMIT = 32 * 1024 * 1024  # bytes of all files that are named as the lab's are
OTHERS_LIMIT = 32 * 1024 * 1024  # bytes of the others, which are only compared with the kit's
ENTRY_LIMIT = 20_000  # files and folders
DEPTH_LIMIT = 40  # folders in one another
NAME_LIMIT = 4096  # bytes of a name with its folders
SECONDS = 60.0

NOT_TO_BE_READ = "not to be read"  # how a trouble begins that is the file system's

# What tools make, and what is no work of the student's: neither taken nor reported.
_TOOL_NAMES = {
    *(".git", ".hg", ".svn", "build", "__pycache__", "__macosx", ".lab", ".vscode", ".vs"),
    *(".idea", ".cache", ".mypy_cache", ".pytest_cache", ".venv", "node_modules"),
    *("cmake-build-debug", ".ds_store", "thumbs.db"),
}
_SOURCE_NAMES = {source for lab in LABS for source in lab.sources}


@dataclasses.dataclass(frozen=True)
class Entry:
    path: str  # with "/", and without "." and ".."; bytes that are not UTF-8 as surrogates
    content: Optional[bytes] = None
    trouble: str = ""  # why there is no content
    is_folder: bool = False


def folded(name: str) -> str:
    """The same for names that differ only in the case of ASCII letters."""
    return name.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def is_of_tools(path: str) -> bool:
    parts = folded(path).split("/")
    return not _TOOL_NAMES.isdisjoint(parts) or parts[-1].startswith("._")


def is_source_name(path: str) -> bool:
    return folded(path).rpartition("/")[2] in _SOURCE_NAMES


class Intake:
    """Counts what a submission has cost so far. SubmissionError when it costs too much."""

    def __init__(self, name: str) -> None:
        self.name = name  # of the submission, for messages
        self.deadline = time.monotonic() + SECONDS
        self._entries = 0
        self._sources = 0
        self._others = 0

    def error(self, why: str) -> SubmissionError:
        return SubmissionError(f"{printable(self.name)} {why}")

    def check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise self.error(f"takes more than {SECONDS:g} s to read")

    def count_entry(self) -> None:
        self.check_time()
        self._entries += 1
        if self._entries > ENTRY_LIMIT:
            raise self.error(f"has more than {ENTRY_LIMIT} files and folders")

    def path_inside(self, name: str) -> str:
        """An archive's name in our form. One that leads out makes the archive unfit as a whole."""
        if len(name) > NAME_LIMIT:
            raise self.error(f"has a name of {len(name)} characters: {printable(name, 60)}")
        slashed = name.replace("\\", "/")
        parts = [part for part in slashed.split("/") if part not in ("", ".")]
        if slashed.startswith("/") or slashed[1:2] == ":" or ".." in parts or "\0" in name:
            raise self.error(f"has a name that leads out of it: {printable(name)}")
        if len(parts) > DEPTH_LIMIT:
            raise self.error(f"has more than {DEPTH_LIMIT} folders in one another")
        return "/".join(parts)

    def admit(self, path: str, size: int) -> str:
        """Why a file of so many bytes is not to be read; "" and its bytes are counted if it is."""
        if size > FILE_LIMIT:
            return f"{size} bytes, more than {FILE_LIMIT}"
        if is_source_name(path):
            self._sources += size
            if self._sources > SOURCES_LIMIT:
                raise self.error(f"has more than {SOURCES_LIMIT} bytes in files named as the lab's")
            return ""
        if self._others + size > OTHERS_LIMIT:
            return f"not looked at: there are {OTHERS_LIMIT} bytes of others already"
        self._others += size
        return ""


def read_whole(file: IO[bytes], size: int) -> Optional[bytes]:
    """None if there are not `size` bytes, no more and no less."""
    content = b""
    while len(content) <= size and (chunk := file.read(size + 1 - len(content))):
        content += chunk
    return content if len(content) == size else None
