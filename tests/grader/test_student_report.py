"""What `./lab test` prints."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from grader.kit import Kit
from grader.model import Finding, Status
from grader.plan import PlannedTest
from grader.student_report import StudentReport

TEST = PlannedTest("m1.value", "a value [of any kind] comes back", 1.0, "a hint")


def report() -> "tuple[StudentReport, io.StringIO]":
    out = io.StringIO()
    return StudentReport(Console(file=out, width=100), Kit(Path("/kit"))), out


def test_a_pass_is_one_line() -> None:
    writer, out = report()
    writer.tested(TEST.result(Status.PASSED), "passed m1.value")
    assert out.getvalue() == "passed  m1.value: a value [of any kind] comes back\n"


def test_a_failure_is_told_by_the_program() -> None:
    writer, out = report()
    writer.tested(TEST.result(Status.FAILED, "wrong"), "failed [red]\n at /kit/milestones/a.c:1\n")
    assert out.getvalue() == "failed [red]\n at milestones/a.c:1\n"


def test_an_early_exit_is_told_by_the_grader() -> None:
    writer, out = report()
    writer.tested(TEST.result(Status.EARLY_EXIT, "there is no record"), "all passed!")
    assert "early-exit  m1.value" in out.getvalue() and "there is no record" in out.getvalue()
    assert "all passed!" not in out.getvalue()


def test_stubs_are_counted() -> None:
    writer, out = report()
    for _ in range(3):
        writer.tested(TEST.result(Status.NOT_IMPLEMENTED, "f is not implemented (/kit/a.c:3)"))
    assert out.getvalue() == ""
    writer.close()
    assert out.getvalue() == "to do   f is not implemented (a.c:3): 3 tests\n"


def test_the_compilers_words_come_once() -> None:
    writer, out = report()
    writer.not_built(["a.c:1: error: x", "a.c:1: error: x"])
    writer.warnings([Finding("warning", "m1-task/task.c:2", "unused [-Wunused]")])
    assert out.getvalue() == (
        "a.c:1: error: x\nwarning milestones/m1-task/task.c:2: unused [-Wunused]\n"
    )
