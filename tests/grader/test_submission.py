"""Which files of a submission are taken, and what is said of the others."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict

import pytest

from grader.archive import SubmissionError
from grader.kit import MILESTONES, Kit
from grader.submission import FILE_LIMIT, Submission, take_submission


def hand_in(folder: Path, files: Dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def taken(submission: Submission, path: str = "m1-task/task.c") -> str:
    return (submission.tree / path).read_text(encoding="utf-8")


def findings(submission: Submission) -> "list[str]":
    return [f"{f.kind} {f.where}: {f.detail}" for f in submission.findings]


@pytest.mark.parametrize("below", ["", "milestones/", "my-lab/", "my-lab/milestones/"])
def test_files_are_found_a_folder_deeper(kit: Kit, tmp_path: Path, below: str) -> None:
    source = hand_in(tmp_path / "in", {f"{below}{m.path}": m.id for m in MILESTONES})
    submission = take_submission(kit, source, tmp_path / "tree")
    assert [taken(submission, m.path) for m in MILESTONES] == ["m1", "m2", "m3", "m4", "m5"]
    assert findings(submission) == []


def test_a_missing_file_is_the_stub(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {m.path: m.id for m in MILESTONES if m.id != "m2"})
    submission = take_submission(kit, source, tmp_path / "tree")
    assert taken(submission, "m2-scheduler/scheduler.c") == "/* stub of m2 */\n"
    expected = "missing m2-scheduler/scheduler.c: not in the submission: graded as the stub"
    assert findings(submission) == [expected]


def test_only_listed_files_are_taken(kit: Kit, tmp_path: Path) -> None:
    files = {m.path: m.id for m in MILESTONES}
    more = {
        "m1-task/given.h": "/* given */\n",  # the same as the kit's: nothing to tell
        "m2-scheduler/given.h": "/* changed */\n",
        "m1-task/helper.c": "int helper;\n",
        "CMakeLists.txt": "all tests pass\n",
        ".git/config": "a tool's\n",
    }
    submission = take_submission(kit, hand_in(tmp_path / "in", {**files, **more}), tmp_path / "tree")
    tree = sorted(str(p.relative_to(submission.tree)) for p in submission.tree.rglob("*.*"))
    assert tree == sorted(files)
    assert findings(submission) == [
        "ignored CMakeLists.txt: not one of the files to hand in",
        "ignored m1-task/helper.c: not one of the files to hand in",
        "ignored m2-scheduler/given.h: differs from the kit's own, which is used",
    ]


def test_the_kit_itself_has_nothing_to_tell(kit: Kit, tmp_path: Path) -> None:
    assert findings(take_submission(kit, kit.milestones, tmp_path / "tree")) == []
    assert findings(take_submission(kit, kit.root, tmp_path / "tree2")) == []


@pytest.mark.parametrize(
    "target, detail",
    [
        ("/etc/passwd", "a link that leads out of the submission"),
        ("../../secret.c", "a link that leads out of the submission"),
        ("nowhere", "a link that leads nowhere"),
        ("/dev/zero", "a link that leads out of the submission"),
    ],
)
def test_links_out_are_not_followed(kit: Kit, tmp_path: Path, target: str, detail: str) -> None:
    (tmp_path / "secret.c").write_text("a secret", encoding="utf-8")
    source = hand_in(tmp_path / "in", {"m2-scheduler/scheduler.c": "m2"})
    (source / "m1-task").mkdir()
    os.symlink(target, source / "m1-task" / "task.c")
    submission = take_submission(kit, source, tmp_path / "tree")
    assert taken(submission) == "/* stub of m1 */\n"
    assert f"refused m1-task/task.c: {detail}: graded as the stub" in findings(submission)


def test_a_linked_folder_out_is_not_followed(kit: Kit, tmp_path: Path) -> None:
    other = hand_in(tmp_path / "other", {"task.c": "another's work"})
    source = hand_in(tmp_path / "in", {"m2-scheduler/scheduler.c": "m2"})
    os.symlink(other, source / "m1-task")
    submission = take_submission(kit, source, tmp_path / "tree")
    assert taken(submission) == "/* stub of m1 */\n"
    assert "ignored m1-task: a link" in findings(submission)


def test_a_link_inside_is_followed(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {"src/task.c": "m1", "m2-scheduler/scheduler.c": "m2"})
    (source / "m1-task").mkdir()
    os.symlink("../src/task.c", source / "m1-task" / "task.c")
    assert taken(take_submission(kit, source, tmp_path / "tree")) == "m1"


def test_size_and_kind_are_limited(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {"m1-task/task.c": "x" * (FILE_LIMIT + 1)})
    (source / "m2-scheduler").mkdir()
    os.mkfifo(source / "m2-scheduler" / "scheduler.c")
    submission = take_submission(kit, source, tmp_path / "tree")
    assert findings(submission)[0] == (
        "refused m1-task/task.c: 1048577 bytes, more than 1048576: graded as the stub"
    )
    assert findings(submission)[1].startswith("refused m2-scheduler/scheduler.c: not a file")


def test_many_ignored_files_are_counted(kit: Kit, tmp_path: Path) -> None:
    files = {f"junk/{number:03}.o": "x" for number in range(60)}
    source = hand_in(tmp_path / "in", {"m1-task/task.c": "m1", **files})
    ignored = [f for f in findings(take_submission(kit, source, tmp_path / "t")) if "ignored" in f]
    assert len(ignored) == 51 and ignored[-1] == "ignored .: and 10 more files"


@pytest.mark.parametrize("name, text", [("empty", "none of the lab's files is in it"), ("x", "no ")])
def test_nothing_to_grade(kit: Kit, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SubmissionError, match=text):
        take_submission(kit, tmp_path / name, tmp_path / "tree")
