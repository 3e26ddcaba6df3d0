"""The file to hand in: what is in it, what is said of it, and when there is none."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import List

import pytest
from rich.console import Console

from grader.exit_codes import WrongUse
from grader.handed_out import LIST_NAME, list_of
from grader.kit import MILESTONES, Kit
from grader.model import MilestoneResult, Result, Status, TestResult
from grader.submissions.intake import FILE_LIMIT
from grader.submit import LeftOut, make_submission, print_submission


@pytest.fixture
def copy(kit: Kit) -> Kit:
    """A student's copy, in which task.c was worked on."""
    (kit.root / LIST_NAME).write_text(list_of(kit.root), encoding="utf-8")
    (kit.milestones / "m1-task/task.c").write_text("/* mine */\n", encoding="utf-8")
    return kit


def test_the_five_files_and_nothing_else(copy: Kit, tmp_path: Path) -> None:
    (copy.milestones / "m1-task/notes.txt").write_text("mine\n", encoding="utf-8")
    make_submission(copy, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.namelist() == sorted(milestone.path for milestone in MILESTONES)
        assert archive.read("m1-task/task.c") == b"/* mine */\n"
        assert archive.read("m2-scheduler/scheduler.c") == b"/* stub of m2 */\n"


def test_the_same_bytes_again(copy: Kit, tmp_path: Path) -> None:
    make_submission(copy, tmp_path / "first.zip")
    for path in copy.root.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o700)
    make_submission(copy, tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()


def test_what_is_left_out_is_told(copy: Kit, tmp_path: Path) -> None:
    (copy.milestones / "m1-task/given.h").write_text("/* changed */\n", encoding="utf-8")
    (copy.milestones / "m2-scheduler/queue.c").write_text("", encoding="utf-8")
    (copy.root / "tests/m1-task/cases.def").unlink()
    (copy.root / "diary.txt").write_text("no file of the lab's folders", encoding="utf-8")
    left_out = make_submission(copy, tmp_path / "out.zip")
    assert left_out == [
        LeftOut("milestones/m1-task/given.h", "changed"),
        LeftOut("milestones/m2-scheduler/queue.c", "added"),
        LeftOut("tests/m1-task/cases.def", "removed"),
    ]


def test_without_a_list_nothing_is_said_of_others(kit: Kit, tmp_path: Path) -> None:
    """As in the instructor's kit."""
    assert make_submission(kit, tmp_path / "out.zip") == []


def test_nothing_of_ones_own_is_nothing_to_hand_in(copy: Kit, tmp_path: Path) -> None:
    (copy.milestones / "m1-task/task.c").write_text("/* stub of m1 */\n", encoding="utf-8")
    (copy.milestones / "m1-task/given.h").write_text("/* changed */\n", encoding="utf-8")
    with pytest.raises(WrongUse, match="nothing to hand in: all five files are as they were"):
        make_submission(copy, tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def remove(path: Path) -> None:
    path.unlink()


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def enlarge(path: Path) -> None:
    path.write_bytes(b" " * (FILE_LIMIT + 1))


@pytest.mark.parametrize(
    "spoil, message",
    [
        (remove, "milestones/m3-sleep/timers.c cannot be read: No such file"),
        (replace_by_folder, "milestones/m3-sleep/timers.c is not a file"),
        (replace_by_pipe, "milestones/m3-sleep/timers.c is not a file"),
        (enlarge, "milestones/m3-sleep/timers.c: more than"),
    ],
)
def test_all_five_must_be_there(copy: Kit, tmp_path: Path, spoil: object, message: str) -> None:
    (tmp_path / "out.zip").write_text("an older one", encoding="utf-8")
    assert callable(spoil)
    spoil(copy.milestones / "m3-sleep/timers.c")
    with pytest.raises(WrongUse) as raised:
        make_submission(copy, tmp_path / "out.zip")
    assert message in str(raised.value)
    assert (tmp_path / "out.zip").read_text(encoding="utf-8") == "an older one"


# ---- What is printed


def graded(*verdicts: "tuple[str, Status, str]", base: str = "reference") -> Result:
    """`verdicts`: id, status and message of each test."""
    result = Result("lab-submission.zip", environment={"base": base})
    for milestone in MILESTONES:
        tests: List[TestResult] = []
        for id, status, message in verdicts:
            if id.startswith(f"{milestone.id}."):
                earned = 2.0 if status == Status.PASSED else 0.0
                tests.append(TestResult(id, id, status, earned, 2.0, message=message))
        result.milestones.append(MilestoneResult(milestone.id, milestone.title, tests))
    return result


def printed(result: Result, *left_out: LeftOut) -> str:
    console = Console(file=io.StringIO(), width=200)
    print_submission(console, Path("/home/me/lab-submission.zip"), result, list(left_out))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_what_each_file_is_worth() -> None:
    said = printed(
        graded(
            ("m1.a", Status.PASSED, ""),
            ("m1.b", Status.FAILED, "wrong"),
            ("m2.a", Status.PASSED, ""),
            ("m2.b", Status.NOT_IMPLEMENTED, "scheduler_report is not implemented yet"),
            ("m3.a", Status.FAILED, "not built: m3-sleep/timers.c:7:1: error: expected ';'"),
            ("m4.a", Status.NOT_IMPLEMENTED, ""),
            ("m5.a", Status.NOT_IMPLEMENTED, ""),
            ("m5.own.a", Status.FAILED, "not built: m3-sleep/timers.c:7:1: error: expected ';'"),
        )
    )
    lines = [line.strip() for line in said.splitlines()]
    assert lines[2:] == [
        "m1-task/task.c                2 of 4 points",
        "m2-scheduler/scheduler.c      2 of 4 points; unfinished: 1 of 2 tests meet a stub",
        "m3-sleep/timers.c             0 of 2 points; does not compile: "
        "m3-sleep/timers.c:7:1: error: expected ';'",
        "m4-event-loop/event_loop.c    0 of 2 points; not begun",
        "m5-echo-server/echo_server.c  0 of 4 points; not begun",
        "/home/me/lab-submission.zip",
    ]


def test_what_may_make_the_instructors_grade_another_is_said() -> None:
    added, changed = LeftOut("milestones/x.c", "added"), LeftOut("milestones/co.h", "changed")
    assert "may differ" not in printed(graded(), added)
    said = printed(graded(), added, changed)
    assert "milestones/x.c (added)" in said and "instructor's grade may differ" in said
    assert "own lower layers" not in said
    assert "own lower layers" in printed(graded(base="own"))
