"""What `./lab test` prints."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from grader.kit import Kit
from grader.model import Finding, Status, TestResult
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


def crash(id: str, *lines: str) -> TestResult:
    message = "\n".join(["UndefinedBehaviorSanitizer: null", *lines])
    return PlannedTest(id, "a title", 1.0).result(Status.CRASHED, message)


def test_the_same_crash_is_told_once() -> None:
    """With all its lines the first time; and of each place that is called from elsewhere."""
    writer, out = report()
    callers = ["called from rise (line 5), run (line 9)", "called from rise (line 5)", "called from sink (line 7)"]
    for id, caller in zip(("m3.a", "m3.b", "m3.c"), callers):
        writer.tested(crash(id, "in before, /kit/t.c:3", caller), f"crashed  {id}: all of it")
    for id in ("m3.d", "m3.e"):
        writer.tested(crash(id), f"crashed  {id}: it could not tell where")
    assert out.getvalue().splitlines() == [
        "crashed  m3.a: all of it",
        "crashed  m3.c: all of it",
        "crashed  m3.d: it could not tell where",
        "crashed  m3.e: it could not tell where",
    ]
    writer.close()
    assert out.getvalue().splitlines()[4:] == ["crashed in before, t.c:3, as m3.a did: 1 more: m3.b"]
    writer.close()
    assert len(out.getvalue().splitlines()) == 5


def hung(id: str, *lines: str) -> TestResult:
    message = "\n".join(["did not end within its time limit, 3 s: it was busy", *lines])
    return PlannedTest(id, "a title", 1.0).result(Status.TIMEOUT, message)


def test_many_that_hang_in_one_function_are_counted() -> None:
    """Wherever in it each was found; and who hangs in his test, or elsewhere, is told in full."""
    writer, out = report()
    places = [f"it was in run, /kit/s.c:{line}, through main at /kit/s.c:1" for line in range(5)]
    places += ["it slept in run, /kit/s.c:1", "it was in walk, /kit/s.c:9"]
    places += [f"it was in the test, /kit/t.c:{line}" for line in range(5)]
    for number, place in enumerate(places):
        writer.tested(hung(f"m2.t{number}", place), f"timeout  m2.t{number}: all of it")
    writer.tested(hung("m2.last"), "timeout  m2.last: all of it")
    told = [f"timeout  m2.t{number}: all of it" for number in (0, 1, 2, *range(5, 12))]
    assert out.getvalue().splitlines() == [*told, "timeout  m2.last: all of it"]
    writer.close()
    assert out.getvalue().splitlines()[11:] == ["timeout in run, s.c, as m2.t0 did: 2 more: m2.t3, m2.t4"]


def test_the_compilers_words_come_once() -> None:
    writer, out = report()
    writer.not_built(["a.c:1: error: x", "a.c:1: error: x"])
    writer.warnings([Finding("warning", "m1-task/task.c:2", "unused [-Wunused]")])
    assert out.getvalue() == (
        "a.c:1: error: x\nwarning milestones/m1-task/task.c:2: unused [-Wunused]\n"
    )
