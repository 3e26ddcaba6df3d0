"""Which file of a submission is which of the lab's: where it should be, or almost there."""

from __future__ import annotations

import collections
import dataclasses
from typing import Dict, Iterable, Iterator, List, Optional, Sequence

from grader.kit import LABS, MILESTONES, Milestone
from grader.submissions.intake import NOT_TO_BE_READ, Entry, folded, is_source_name
from grader.submissions.printable import SubmissionError, printable

_KIT_FOLDER = "milestones"  # may be there or not
_PATHS = [path for lab in LABS for path in lab.paths]
_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".bundle")


@dataclasses.dataclass(frozen=True)
class Choice:
    path: str  # of the lab's file: m1-task/task.c
    entry: Optional[Entry]  # None: there is none that can be taken
    kind: str  # taken, missing, refused
    why: List[str]  # of what is taken: in what it is not as it should be
    considered: Sequence[Entry] = ()


@dataclasses.dataclass(frozen=True)
class Chosen:
    base: str  # the folder with the milestones' folders, in lower case: "" or with "/" at its end
    choices: List[Choice]


def choose(entries: Iterable[Entry], labs: Sequence[Milestone]) -> Chosen:
    """For each file of `labs`. SubmissionError if none is there, or nobody can tell which ones count."""
    places = _Places(entries)
    base = places.base()
    choices = [places.choose(path, base) for lab in labs for path in lab.paths]
    if all(choice.kind == "missing" for choice in choices):
        names = ", ".join(milestone.path for milestone in MILESTONES)
        raise SubmissionError(f"none of the lab's files is in it{places.hint()}: {names}")
    return Chosen(base or "", choices)


class _Places:
    def __init__(self, entries: Iterable[Entry]) -> None:
        self._at: Dict[str, List[Entry]] = collections.defaultdict(list)
        for entry in entries:
            self._at[folded(entry.path)].append(entry)
        for path in list(self._at):
            self._add_unlisted_folders(path)

    def _add_unlisted_folders(self, path: str) -> None:
        """Archives need not have an entry for a folder; here only those named as a file matter."""
        while (path := path.rpartition("/")[0]) and path not in self._at:
            if is_source_name(path):
                folder = Entry(path, trouble="a folder, not a file", is_folder=True)
                self._at[path].append(folder)

    def base(self) -> Optional[str]:
        """At the top, in milestones/, or one folder deeper; None if there are no such folders."""
        for level in self._levels():
            found = [base for base in level if any(base + path in self._at for path in _PATHS)]
            for other in found[1:]:
                if self._contents(other) != self._contents(found[0]):
                    both = f"{printable(found[0], 80)} and in {printable(other, 80)}"
                    raise SubmissionError(f"the lab's files are in {both}, and differ: hand in one")
            if found:
                return found[0]
        return None

    def _levels(self) -> Iterator[List[str]]:
        tops = sorted({path.partition("/")[0] for path in self._at if "/" in path})
        yield [""]
        yield [f"{_KIT_FOLDER}/"]
        yield [f"{top}/" for top in tops]
        yield [f"{top}/{_KIT_FOLDER}/" for top in tops]

    def _contents(self, base: str) -> "List[List[object]]":
        return [[_what(entry) for entry in self._at.get(base + path, [])] for path in _PATHS]

    def choose(self, path: str, base: Optional[str]) -> Choice:
        folder, _, source = path.partition("/")
        expected = (base or "") + path
        found = self._at.get(expected) or self._without_folder(source, base)
        if not found:
            return Choice(path, None, "missing", [self._why_missing(folder, base or "")])
        entry = min(found, key=lambda entry: not entry.path.endswith(path))
        if any(_what(other) != _what(entry) for other in found):
            names = ", ".join(printable(entry.path, 80) for entry in found[:3])
            why = f"there are {len(found)}, which differ, and none is the right one: {names}"
            return Choice(path, None, "refused", [why], found)
        if entry.content is None:
            return Choice(path, None, "refused", [entry.trouble], found)
        notes = [f"there {len(found)} times, all the same"] if len(found) > 1 else []
        if folded(entry.path) != expected:
            notes.append("not in its folder")
        if not entry.path.endswith(path if folded(entry.path) == expected else source):
            notes.append("other upper and lower case")
        return Choice(path, entry, "taken", notes, found)

    def _without_folder(self, source: str, base: Optional[str]) -> List[Entry]:
        """The names are distinct. Those that lie deepest down do not count."""
        depth = 3 if base is None else base.count("/") + 2
        near: Dict[int, List[Entry]] = collections.defaultdict(list)
        for path, entries in self._at.items():
            parts = path.split("/")
            inside = len(parts) <= depth and path.startswith(base or "")
            if inside and parts[-1] == source:
                near[len(parts)] += entries
        return near[min(near)] if near else []

    def _why_missing(self, folder: str, base: str) -> str:
        for entry in self._at.get(base + folder, []):
            if not entry.is_folder:
                what = entry.trouble or "a file, not a folder"
                return f"not in the submission, for {folder} is {what}"
        return "not in the submission"

    def hint(self) -> str:
        for path, entries in sorted(self._at.items()):
            if any(entry.trouble.startswith(NOT_TO_BE_READ) for entry in entries):
                return f", and some cannot be read ({printable(path, 80)})"
        for path in sorted(self._at):
            if is_source_name(path):
                return f", or too deep in folders ({printable(path, 80)})"
            folder, found, _ = path.partition("objects/")
            if found and folder + "head" in self._at:
                return f", and a repository in an archive is not read ({printable(folder, 80)})"
            if path.endswith(_ARCHIVES):
                return f", and archives in it are not opened ({printable(path, 80)})"
        return ""


def _what(entry: Entry) -> object:
    return entry.content, entry.trouble
