"""The order in which tests are shown to a student, and which is the next to work on."""

from __future__ import annotations

from typing import List

from grader import student_test
from grader.handout_order import green_names, in_handout_order
from grader.kit import MILESTONES, Kit
from grader.plan import c_tests

HANDOUT = """\
Green: `c`, `d`,
`a`. (The test `b` needs 2.1.)

`./lab test m1` has `e`. Green: `e`, in the middle of a line, is no list.

Green: `b`. That is all: `./lab test m1` has 4 of 4.
"""


def test_lists_end_with_their_last_name() -> None:
    assert green_names(HANDOUT) == ["c", "d", "a", "b"]


def order(kit: Kit) -> List[str]:
    """Of m1's tests, which cases.def lists from a to f."""
    task = MILESTONES[0]
    lines = [f'CASE({name}, 2.5, "one", "Step 1", "cause")\n' for name in "abcdef"]
    kit.cases_file(task).write_text("".join(lines), encoding="utf-8")
    return [test.name for test in in_handout_order(kit, task, c_tests(kit, task))]


def test_in_the_order_in_which_they_turn_green(kit: Kit) -> None:
    handout = kit.milestones / MILESTONES[0].folder / "README.md"
    handout.write_text(HANDOUT, encoding="utf-8")
    assert order(kit) == ["c", "d", "a", "b", "e", "f"]
    tests = student_test._all_tests(kit)
    assert [test.id for test in tests[:6]] == ["m1.c", "m1.d", "m1.a", "m1.b", "m1.e", "m1.f"]


def test_as_they_are_without_a_list(kit: Kit) -> None:
    assert order(kit) == list("abcdef")
    (kit.milestones / MILESTONES[0].folder / "README.md").write_text("no list", encoding="utf-8")
    assert order(kit) == list("abcdef")
