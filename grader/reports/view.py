"""Who sees what of a result. Reports are made from a View, so that none tells too much by mistake.

A student does not see hidden tests: not their names, nor their number, nor a sum that has their
points in it, nor how long they took. Nor what makes an instructor suspicious.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional

from grader.model import Finding, Late, MilestoneResult, Result, Status, TestResult, Visibility
from grader.reports.safe_text import safe_line, safe_text
from grader.timeline.excerpt import Excerpt, Lane

# Kinds of findings that students see: what became of their files. All others are the instructor's.
_STUDENTS_FINDINGS = ("missing", "refused", "ignored", "taken", "warning")
_STUDENTS_ENVIRONMENT = ("base", "compiler", "system", "seconds")

STUDENTS_NO_GRADE = (
    "grading did not come to its end, and that is the machine's fault, not the submission's: "
    "it has to be graded again"
)


@dataclasses.dataclass(frozen=True)
class View:
    """What one kind of reader may see. All text in it has been through safe_text."""

    result: Result
    withheld: bool  # there are tests that are left out
    no_grade: str  # why the points are not a grade; "": they are one


def instructor_view(result: Result) -> View:
    return View(_safe(result), withheld=False, no_grade=safe_line(_failure(result)))


def student_view(result: Result, due_passed: bool = False) -> View:
    """`due_passed`: whether the tests that are shown after the due date are shown."""
    shown = dataclasses.replace(
        result,
        milestones=_shown(result.milestones, due_passed),
        extra=_shown(result.extra, due_passed),
        integrity=[finding for finding in result.integrity if not is_suspicion(finding)],
        environment={
            key: value for key, value in result.environment.items() if key in _STUDENTS_ENVIRONMENT
        },
    )
    shown.late = _late_part(result, shown)
    withheld = len(shown.all_tests) < len(result.all_tests)
    if withheld:
        shown.environment.pop("seconds", None)
    return View(
        _safe(shown),
        withheld=withheld,
        no_grade=STUDENTS_NO_GRADE if _failure(result) else "",
    )


def is_suspicion(finding: Finding) -> bool:
    """For the instructor alone."""
    return finding.kind not in _STUDENTS_FINDINGS


def _shown(milestones: List[MilestoneResult], due_passed: bool) -> List[MilestoneResult]:
    shown = [
        dataclasses.replace(m, tests=[test for test in m.tests if _is_shown(test, due_passed)])
        for m in milestones
    ]
    return [milestone for milestone in shown if milestone.tests]


def _is_shown(test: TestResult, due_passed: bool) -> bool:
    if test.visibility == Visibility.AFTER_DUE_DATE:
        return due_passed
    return test.visibility == Visibility.VISIBLE


def _late_part(result: Result, shown: Result) -> Optional[Late]:
    """The same share of the visible points as of all of them."""
    late = result.late
    if late is None or shown.max_score == result.max_score:
        return late
    points = late.points * shown.max_score / result.max_score
    return dataclasses.replace(late, points=round(points, 4))


def _failure(result: Result) -> str:
    """Why the machine could not grade. What has no verdict must not count as a zero."""
    if result.environment.get("failure"):
        return str(result.environment["failure"])
    lost = [test for test in result.all_tests if test.status == Status.ERROR]
    if lost:
        return f"{len(lost)} of {len(result.all_tests)} tests have no verdict: {lost[0].message}"
    return "" if result.environment.get("complete", True) else "grading was broken off"


def _safe(result: Result) -> Result:
    return Result(
        submission=safe_line(result.submission) or "(no name)",
        milestones=[_safe_milestone(milestone) for milestone in result.milestones],
        integrity=[
            Finding(safe_line(f.kind), safe_line(f.where), safe_line(f.detail))
            for f in result.integrity
        ],
        environment=_safe_environment(result.environment),
        late=result.late
        and dataclasses.replace(result.late, detail=safe_line(result.late.detail)),
        extra=[_safe_milestone(lab) for lab in result.extra],
    )


def _safe_milestone(milestone: MilestoneResult) -> MilestoneResult:
    tests: List[TestResult] = [
        dataclasses.replace(
            test,
            id=safe_line(test.id),
            title=safe_line(test.title),
            message=safe_text(test.message).strip("\n"),
            steps=[safe_line(step) for step in test.steps],
            hint=safe_text(test.hint),
            timeline=test.timeline and _safe_timeline(test.timeline),
        )
        for test in milestone.tests
    ]
    return MilestoneResult(safe_line(milestone.id), safe_line(milestone.title), tests)


def _safe_timeline(timeline: Excerpt) -> Excerpt:
    lanes = [
        Lane(
            safe_line(lane.name),
            [
                dataclasses.replace(one, text=safe_line(one.text), place=safe_line(one.place))
                for one in lane.stretches
            ],
        )
        for lane in timeline.lanes
    ]
    events = [dataclasses.replace(one, what=safe_line(one.what)) for one in timeline.events]
    return dataclasses.replace(timeline, lanes=lanes, events=events)


def _safe_environment(environment: Dict[str, Any]) -> Dict[str, Any]:
    return {
        safe_line(key): value if isinstance(value, (bool, int, float)) else safe_line(str(value))
        for key, value in environment.items()
    }
