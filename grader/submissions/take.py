"""Takes a submission's files, only those that a student writes, onto a clean tree.

Everything else in a submission is ignored, and reported where it differs from the kit's own files:
changed headers, tests and build files have no effect on the grade.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import List, Optional, Set

from grader.kit import LABS, OPTIONAL, Kit, Milestone
from grader.model import Finding
from grader.submissions.choose import Choice, Chosen, choose
from grader.submissions.intake import Entry, Intake, folded
from grader.submissions.open_source import submission_entries
from grader.submissions.printable import finding, printable
from grader.submissions.source_text import plain_text, same_text

REPORT_LIMIT = 50  # ignored files named one by one


@dataclasses.dataclass(frozen=True)
class Submission:
    name: str  # safe to print
    tree: Path  # m1-task/task.c, ...: the submission's file, or the stub
    findings: List[Finding]


def take_submission(kit: Kit, source: Path, tree: Path) -> Submission:
    """`source`: a folder, an archive, or a git repository. SubmissionError if it is none of them,
    or has none of the lab's files: then `tree` is as it was. KitFailed if a program is missing.

    The findings' kinds: `taken` (though not as it should be), `missing` and `refused` (graded as
    the stub), `ignored` (without effect).
    """
    name = printable(source.resolve().name)
    entries = list(submission_entries(source, Intake(name)))
    chosen = choose(entries, kit.labs)
    left = _not_begun(chosen)
    taken = [choice for choice in chosen.choices if choice.path not in left]
    findings = [note for choice in taken for note in _take(kit, choice, tree)]
    return Submission(name, tree, findings + _ignored(kit, entries, chosen))


def labs_in(tree: Path) -> List[Milestone]:
    """The milestones, and those optional labs of which files were taken."""
    return [lab for lab in LABS if any((tree / path).is_file() for path in lab.paths)]


def _not_begun(chosen: Chosen) -> Set[str]:
    """Files of optional labs of which nothing is handed in: nobody misses them."""
    there = {choice.path for choice in chosen.choices if choice.kind != "missing"}
    left = [lab.paths for lab in OPTIONAL if there.isdisjoint(lab.paths)]
    return {path for paths in left for path in paths}


def _take(kit: Kit, choice: Choice, tree: Path) -> List[Finding]:
    """Writes the student's file; in its place, the stub, if there is none that can be taken."""
    path = choice.path
    kind, why, content = choice.kind, list(choice.why), None
    where = path
    if choice.entry is not None and choice.entry.content is not None:
        where = choice.entry.path
        try:
            content, done = plain_text(choice.entry.content)
            why += done
        except UnicodeError as error:
            kind, why = "refused", [f"it begins as UTF-16 or UTF-32, and is not ({error})"]
    target = tree / path
    target.parent.mkdir(parents=True, exist_ok=True)
    # Newer than an old build, so that the compiler's words come again.
    target.write_bytes((kit.milestones / path).read_bytes() if content is None else content)
    if content is None:
        return [finding(kind, path, f"{'; '.join(why)}: graded as the stub")]
    return [finding(kind, where, f"taken as {path}: {'; '.join(why)}")] if why else []


def _ignored(kit: Kit, entries: List[Entry], chosen: Chosen) -> List[Finding]:
    considered: Set[int] = {id(e) for choice in chosen.choices for e in choice.considered}
    ignored: List[Finding] = []
    more = 0
    for entry in sorted(entries, key=lambda entry: entry.path.split("/")):
        if entry.is_folder or id(entry) in considered:
            continue
        why = _why_ignored(kit, chosen.base, entry)
        if why is not None and len(ignored) < REPORT_LIMIT:
            ignored.append(finding("ignored", entry.path, why))
        elif why is not None:
            more += 1
    if more:
        ignored.append(Finding("ignored", ".", f"and {more} more files"))
    return ignored


def _why_ignored(kit: Kit, base: str, entry: Entry) -> Optional[str]:
    """None: the same file as in the kit, so nothing to tell."""
    if entry.content is None:
        return entry.trouble
    if folded(entry.path).startswith(base):
        given = _kit_file(kit.milestones, entry.path.split("/", base.count("/"))[-1])
        if given is not None:
            same = same_text(entry.content, given)
            return None if same else "differs from the kit's own, which is used"
    above = base.count("/") - base.endswith("milestones/")  # the folders above the kit's root
    ours = _kit_file(kit.root, entry.path.split("/", above)[-1])
    if ours is not None and same_text(entry.content, ours):
        return None
    return "not one of the files to hand in"


def _kit_file(folder: Path, path: str) -> Optional[bytes]:
    try:
        return (folder / path).read_bytes()
    except (OSError, ValueError):  # of a name that can be no file's, too
        return None
