"""Takes a submission's files, only those that a student writes, onto a clean tree.

Everything else in a submission is ignored, and reported where it differs from the kit's own files:
changed headers, tests and build files have no effect on the grade.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat
import tempfile
from pathlib import Path
from typing import Iterator, List, Optional

from grader.archive import SubmissionError, extract, is_archive
from grader.kit import MILESTONES, Kit, Milestone
from grader.model import Finding

FILE_LIMIT = 1024 * 1024  # bytes of one source file
WALK_LIMIT = 10_000  # files looked at
REPORT_LIMIT = 50  # ignored files named one by one

# Folders that tools make and that are no work of the student's.
_TOOL_FOLDERS = {".git", "build", "__pycache__", "__MACOSX", ".lab", ".vscode", ".idea"}


@dataclasses.dataclass(frozen=True)
class Submission:
    name: str
    tree: Path  # m1-task/task.c, ...: the submission's file, or the stub
    findings: List[Finding]


def take_submission(kit: Kit, source: Path, tree: Path) -> Submission:
    """`source`: a folder or an archive. Writes the allow-listed files into `tree`."""
    with _opened(source) as folder:
        base = _find_base(folder)
        findings: List[Finding] = []
        for milestone in MILESTONES:
            findings += _take_file(kit, folder, base, tree, milestone)
        findings += _ignored_files(kit, folder, base)
    return Submission(source.resolve().name, tree, findings)


@contextlib.contextmanager
def _opened(source: Path) -> Iterator[Path]:
    """The submission as a folder; an archive is extracted for the time being."""
    if source.is_dir():
        yield source.resolve()
    elif not source.exists():
        raise SubmissionError(f"there is no {source}")
    elif is_archive(source):
        with tempfile.TemporaryDirectory(prefix="lab-archive-") as folder:
            extract(source, Path(folder))
            yield Path(folder)
    else:
        raise SubmissionError(f"{source} is neither a folder nor a zip or tar archive")


def _find_base(folder: Path) -> Path:
    """Where the milestones' folders are: at the top, in milestones/, or one folder deeper."""
    inner = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    for candidate in [folder, *inner, *(path / "milestones" for path in inner)]:
        if any((candidate / milestone.path).exists() for milestone in MILESTONES):
            return candidate
    names = ", ".join(milestone.path for milestone in MILESTONES)
    raise SubmissionError(f"none of the lab's files is in it: {names}")


def _take_file(
    kit: Kit, folder: Path, base: Path, tree: Path, milestone: Milestone
) -> List[Finding]:
    """Copies the student's file; in its place, the stub, if there is none that can be taken."""
    try:
        content = _read_inside(folder, base / milestone.path)
        findings: List[Finding] = []
    except FileNotFoundError:
        findings = [_stub_instead("missing", milestone, "not in the submission")]
        content = (kit.milestones / milestone.path).read_bytes()
    except _Refused as refusal:
        findings = [_stub_instead("refused", milestone, str(refusal))]
        content = (kit.milestones / milestone.path).read_bytes()
    target = tree / milestone.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)  # newer than an old build, so that the compiler's words come again
    return findings


def _stub_instead(kind: str, milestone: Milestone, why: str) -> Finding:
    return Finding(kind, milestone.path, f"{why}: graded as the stub")


class _Refused(Exception):
    """This file is there, but it will not be read."""


def _read_inside(folder: Path, path: Path) -> bytes:
    """Links are followed as long as they stay in the submission."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        if path.is_symlink():
            raise _Refused("a link that leads nowhere") from error
        raise FileNotFoundError(path) from error
    if folder not in real.parents:
        raise _Refused("a link that leads out of the submission")
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise _Refused(f"cannot be read: {error.strerror}") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _Refused("not a file")
        if status.st_size > FILE_LIMIT:
            raise _Refused(f"{status.st_size} bytes, more than {FILE_LIMIT}")
        return file.read(FILE_LIMIT)


def _ignored_files(kit: Kit, folder: Path, base: Path) -> List[Finding]:
    ignored: List[Finding] = []
    seen = 0
    for path in _files_below(folder):
        seen += 1
        if seen > WALK_LIMIT:
            ignored.append(Finding("ignored", ".", f"more than {WALK_LIMIT} files: not all looked at"))
            break
        why = _why_ignored(kit, folder, base, path)
        if why is not None:
            ignored.append(Finding("ignored", _shown(path.relative_to(folder)), why))
    if len(ignored) > REPORT_LIMIT:
        more = len(ignored) - REPORT_LIMIT
        ignored[REPORT_LIMIT:] = [Finding("ignored", ".", f"and {more} more files")]
    return ignored


def _files_below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _TOOL_FOLDERS)
        for name in sorted(files + [f for f in folders if (Path(parent) / f).is_symlink()]):
            yield Path(parent) / name


def _why_ignored(kit: Kit, folder: Path, base: Path, path: Path) -> Optional[str]:
    """None: it is taken, or the same file as in the kit, so nothing to tell."""
    if base in path.parents:
        below = path.relative_to(base)
        if str(below) in {milestone.path for milestone in MILESTONES}:
            return None
        given = kit.milestones / below
        if given.is_file():
            return None if _same(path, given) else "differs from the kit's own, which is used"
    ours = kit.root / path.relative_to(base.parent if base.name == "milestones" else folder)
    if ours.is_file() and _same(path, ours):
        return None
    return "a link" if path.is_symlink() else "not one of the files to hand in"


def _same(one: Path, other: Path) -> bool:
    if one.is_symlink() or not stat.S_ISREG(one.lstat().st_mode):
        return False
    try:
        return one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _shown(path: Path) -> str:
    """A name in any encoding, as text that every report can carry."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
