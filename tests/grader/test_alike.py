"""Which tests are told together."""

from __future__ import annotations

from typing import List

from report_results import case

from grader.alike import FEW, alike
from grader.model import Status, TestResult


def groups(*tests: TestResult) -> List[str]:
    return [" ".join(test.id for test in group) for group in alike(tests)]


def hung(id: str, place: str, seconds: int = 10) -> TestResult:
    return case(id, Status.TIMEOUT, message=f"did not end within its time limit, {seconds} s: ...\n{place}\nmore")


def test_who_said_the_same_is_of_one_group() -> None:
    tests = [case("a", Status.FAILED, message="x"), case("b", Status.FAILED, message="y")]
    assert groups(*tests, case("c", Status.FAILED, message="x\n"), case("d", Status.CRASHED, message="x")) == [
        "a c", "b", "d"
    ]  # fmt: skip


def test_many_that_loop_in_one_function_are_of_one_group() -> None:
    """Whatever the line, and however long each had."""
    many = [hung(f"t{n}", f"it was in run, m2/s.c:{n}", seconds=n) for n in range(FEW + 1)]
    assert groups(*many) == ["t0 t1 t2 t3"]
    assert groups(*many[1:]) == ["t1", "t2", "t3"]
    sleepers = [hung(f"s{n}", f"it slept in wait, m4/e.c:{n}") for n in range(FEW + 1)]
    assert groups(*sleepers) == ["s0", "s1", "s2", "s3"]
    others = ["it slept in run, m2/s.c:1", "it was in run, m3/t.c:1", "it was in walk, m2/s.c:1", ""]
    assert groups(many[0], *(hung(place, place) for place in others), *many[1:]) == ["t0 t1 t2 t3", *others]


def test_who_hangs_in_his_test_is_not_like_another() -> None:
    tests = [hung(f"t{n}", f"it was in the test, t.c:{n}") for n in range(FEW + 1)]
    assert len(groups(*tests)) == FEW + 1
