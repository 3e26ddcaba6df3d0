"""What is graded: every test with its points, known before anything is built or run."""

from __future__ import annotations

import dataclasses
import fnmatch
from typing import Collection, Dict, List, Sequence

from grader.case_list import read_cases
from grader.exit_codes import KitFailed, WrongUse
from grader.kit import END_TO_END_POINTS, Kit, Milestone
from grader.model import MilestoneResult, Status, TestResult, Visibility
from grader.rubric import Rubric


@dataclasses.dataclass(frozen=True)
class PlannedTest:
    id: str
    title: str
    max_points: float
    hint: str = ""
    visibility: Visibility = Visibility.VISIBLE

    @property
    def group(self) -> str:
        """What builds and runs it: "m3" for a C case, "m5.e2e" or "m5.own" for real clients."""
        first, _, rest = self.id.partition(".")
        group = f"{first}.{rest.split('.')[0]}"
        return group if group in END_TO_END_POINTS else first

    @property
    def name(self) -> str:
        return self.id[len(self.group) + 1 :]

    def result(self, status: Status, message: str = "") -> TestResult:
        """A result that no program has reported: no points, except for a pass."""
        points = self.max_points if status == Status.PASSED else 0.0
        return TestResult(
            self.id,
            self.title,
            status,
            points,
            self.max_points,
            message=message,
            visibility=self.visibility,
        )


@dataclasses.dataclass(frozen=True)
class Plan:
    milestones: Dict[str, List[PlannedTest]]  # by id, in the order of the lab, optional labs last

    @property
    def tests(self) -> List[PlannedTest]:
        return [test for tests in self.milestones.values() for test in tests]

    def group(self, name: str) -> List[PlannedTest]:
        return [test for test in self.tests if test.group == name]


def c_tests(kit: Kit, milestone: Milestone) -> List[PlannedTest]:
    return [
        PlannedTest(
            id=f"{milestone.id}.{case.name}",
            title=case.title,
            max_points=case.points,
            hint=f"{case.cause} (see {milestone.folder}/README.md, {case.section})",
        )
        for case in read_cases(kit.cases_file(milestone))
    ]


def make_plan(kit: Kit, end_to_end: Sequence[PlannedTest]) -> Plan:
    """`end_to_end`: what tests/e2e says it will check. Every sum is compared with the design."""
    milestones: Dict[str, List[PlannedTest]] = {}
    for milestone in kit.labs:
        tests = c_tests(kit, milestone)
        check_sum(str(kit.cases_file(milestone)), tests, milestone.case_points)
        milestones[milestone.id] = tests
    for group, points in END_TO_END_POINTS.items():
        tests = [test for test in end_to_end if test.group == group]
        check_sum(f"{kit.end_to_end}: the checks {group}", tests, points)
        milestones[group.split(".")[0]] += tests
    return Plan(milestones)


def weigh(plan: Plan, rubric: Rubric) -> Plan:
    """The rubric's points of each milestone, shared among its tests by their weights."""
    milestones = {}
    for id, tests in plan.milestones.items():
        weights = [rubric.weights.get(test.id, test.max_points) for test in tests]
        total = sum(weights)
        points = rubric.points_of(id)
        if total == 0 and points > 0:
            raise WrongUse(f"the rubric gives {id} points, but no test of it a weight")
        milestones[id] = [
            dataclasses.replace(
                test,
                max_points=points * weight / total if total else 0.0,
                visibility=rubric.visibility(test.id),
            )
            for test, weight in zip(tests, weights)
        ]
    return Plan(milestones)


def choose(plan: Plan, only: Sequence[str]) -> Plan:
    """The tests whose ids fit one of these patterns, with the points that they have among all; all of
    them if there are no patterns."""
    if not only:
        return plan
    return Plan(
        {
            id: [test for test in tests if any(fnmatch.fnmatchcase(test.id, one) for one in only)]
            for id, tests in plan.milestones.items()
        }
    )


def check_sum(where: str, tests: Sequence[PlannedTest], expected: float) -> None:
    total = sum(test.max_points for test in tests)
    if total != expected:
        raise KitFailed(f"{where}: the points sum to {total:g}, not to {expected:g}")


def restrict(plan: Plan, ids: Collection[str]) -> Plan:
    """What the plan has of these milestones and optional labs."""
    return Plan({id: tests for id, tests in plan.milestones.items() if id in ids})


def unfinished(plan: Plan, labs: Sequence[Milestone]) -> List[MilestoneResult]:
    """The score file's tests before any of them has run: no verdict, and no zero either. Of those of
    `labs` that are in the plan."""
    return [
        MilestoneResult(
            lab.id,
            lab.title,
            [test.result(Status.ERROR, "not run yet") for test in plan.milestones[lab.id]],
        )
        for lab in labs
        if lab.id in plan.milestones
    ]
