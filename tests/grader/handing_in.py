"""Submissions of every form, and taking them: each time with a look at what else was touched."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Dict, List, Set, Union

import pytest

from grader.kit import MILESTONES, Kit
from grader.submissions.printable import SubmissionError
from grader.submissions.take import Submission, take_submission

ALL = {milestone.path: milestone.id for milestone in MILESTONES}
M1 = "m1-task/task.c"
STUB = b"/* stub of m1 */\n"

Content = Union[str, bytes]


def hand_in(folder: Path, files: Dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
    return folder


def make_zip(path: Path, *names: str, content: Content = "m1") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name in names:
            opened.writestr(name, content)
    return path


def make_tar(
    path: Path, *entries: tarfile.TarInfo, mode: str = "w:gz", content: Content = "m1"
) -> Path:
    with tarfile.open(path, mode) as opened:
        for entry in entries:
            entry.size = len(content) if entry.isreg() else 0
            opened.addfile(entry, io.BytesIO(as_bytes(content)))
    return path


def tar_entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, link
    return entry


def as_bytes(content: Content) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def take(kit: Kit, source: Path, name: str = "tree") -> Submission:
    """Takes it to a tree beside the kit. Nothing else is written, nothing is left."""
    around = kit.root.parent
    before = names_below(around)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as temporary:
        patch.setattr(tempfile, "tempdir", temporary)
        patch.setenv("TMPDIR", temporary)
        try:
            submission = take_submission(kit, source, around / name)
        finally:
            assert os.listdir(temporary) == []
            written = names_below(around) - before
            assert {path for path in written if not f"{path}/".startswith(f"{name}/")} == set()
    assert all(finding.detail.isprintable() for finding in submission.findings)
    assert all(finding.where.isprintable() for finding in submission.findings)
    return submission


def refusal(kit: Kit, source: Path) -> str:
    """Why it cannot be graded at all. Then no tree is made, either."""
    with pytest.raises(SubmissionError) as raised:
        take(kit, source, "refused-tree")
    assert not (kit.root.parent / "refused-tree").exists()
    assert str(raised.value).isprintable() and len(str(raised.value)) <= 500
    return str(raised.value)


def names_below(folder: Path) -> Set[str]:
    return {
        os.path.relpath(os.path.join(parent, name), folder)
        for parent, folders, files in os.walk(folder)
        for name in (*folders, *files)
    }


def taken(submission: Submission, path: str = M1) -> bytes:
    return (submission.tree / path).read_bytes()


def findings(submission: Submission) -> List[str]:
    return [f"{f.kind} {f.where}: {f.detail}" for f in submission.findings]


def of_m1(submission: Submission) -> List[str]:
    """What is said besides that the other milestones' files are missing."""
    return [text for text in findings(submission) if "not in the submission: " not in text]
