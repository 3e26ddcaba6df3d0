"""The plan: its sums are those of the design, or it says which are not."""

from __future__ import annotations

import pytest

from grader.exit_codes import KitFailed
from grader.kit import MILESTONES, Kit
from grader.plan import PlannedTest, make_plan

END_TO_END = [
    PlannedTest("m5.e2e.hello", "hello comes back", 14.0),
    PlannedTest("m5.own.hello", "hello comes back", 5.0),
]


def test_every_test_has_its_group_and_points(kit: Kit) -> None:
    plan = make_plan(kit, END_TO_END)
    assert [test.id for test in plan.group("m5")] == ["m5.only"]
    assert [test.name for test in plan.group("m5.own")] == ["hello"]
    assert sum(test.max_points for test in plan.tests) == 100


def test_milestones_sum_to_the_points_of_the_lab() -> None:
    assert {m.id: m.max_score for m in MILESTONES} == {
        "m1": 15, "m2": 20, "m3": 20, "m4": 20, "m5": 25,
    }  # fmt: skip


def test_wrong_sum_of_c_cases(kit: Kit) -> None:
    kit.cases_file(MILESTONES[1]).write_text('CASE(a, 3, "t", "s", "c")', encoding="utf-8")
    with pytest.raises(KitFailed, match=r"m2-scheduler/cases.def: the points sum to 3, not to 20"):
        make_plan(kit, END_TO_END)


def test_wrong_sum_of_end_to_end_checks(kit: Kit) -> None:
    with pytest.raises(KitFailed, match=r"the checks m5.own: the points sum to 0, not to 5"):
        make_plan(kit, END_TO_END[:1])
