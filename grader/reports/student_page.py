"""The HTML page of one submission: a student's, or, from an instructor's view, with all."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional

from grader.alike import alike
from grader.model import Finding, MilestoneResult, Status, TestResult, Visibility
from grader.report_terminal import points
from grader.reports.safe_text import safe_line
from grader.reports.templates import render
from grader.reports.timeline_picture import Picture, picture
from grader.reports.timeline_words import Told, left, left_out, told
from grader.reports.view import View
from grader.reports.wording import PARTIAL, WORDS, Explanation, explain, lateness, otherwise
from grader.reports.wording import verdict

_NOT_BUILT = "not built: "  # how the message of a test begins that could not be compiled

_AUDIENCE: Dict[Visibility, str] = {
    Visibility.VISIBLE: "",
    Visibility.HIDDEN: "hidden from students",
    Visibility.AFTER_DUE_DATE: "shown after the due date",
}

_FOOTER = (("base", "lower layers: {}"), ("compiler", "{}"), ("system", "{}"), ("seconds", "{} s"))


@dataclasses.dataclass(frozen=True)
class _Timeline:
    title: str
    label: str  # for who cannot see the picture
    picture: Picture
    has_steps: bool
    note: str
    left: List[Told]
    events: List[Told]


@dataclasses.dataclass(frozen=True)
class _Failure:
    """One test that did not pass, or several that ended in the same way."""

    status: str
    word: str
    heading: str
    points: str
    id: str  # "" for several
    audience: str
    open: bool
    message_title: str  # "": the heading says it all
    explanation: Explanation
    timeline: Optional[_Timeline]
    tests_title: str
    tests: List[TestResult]  # if there are several


@dataclasses.dataclass(frozen=True)
class _Milestone:
    id: str
    title: str
    passed: str
    otherwise: str
    points: str
    percent: str
    failures: List[_Failure]
    passing: List[TestResult]
    passing_title: str
    passing_points: str


@dataclasses.dataclass(frozen=True)
class _Page:
    name: str
    verdict: str
    no_grade: str
    score: str
    max_score: str
    points: str
    passed: str
    late_points: str
    notes: List[str]
    milestones: List[_Milestone]
    extra: List[_Milestone]  # optional labs, in no sum
    findings_title: str
    findings: List[Finding]
    footer: str


def student_page(view: View) -> str:
    result = view.result
    notes = [PARTIAL] if view.withheld else []
    if result.late is not None:
        notes.append(lateness(result.late))
    page = _Page(
        name=result.submission,
        verdict=verdict(view),
        no_grade=view.no_grade and f"{view.no_grade[0].upper()}{view.no_grade[1:]}.",
        score=points(result.score),
        max_score=points(result.max_score),
        points="no grade" if view.no_grade else _of(result.score, result.max_score),
        passed=_passed(result.tests),
        late_points=points(result.late.points) if result.late else "",
        notes=notes,
        milestones=[_milestone(milestone) for milestone in result.milestones],
        extra=[_milestone(lab) for lab in result.extra],
        findings_title="About the files",
        findings=result.integrity,
        footer=_footer(view),
    )
    return render("student.html.j2", page)


def not_graded_page(name: str, why: str) -> str:
    """For who has handed in nothing that could be graded."""
    page = _Page(
        name=safe_line(name),
        verdict="not graded",
        no_grade=f"What was handed in could not be graded: {safe_line(why)}.",
        score="",
        max_score="",
        points="",
        passed="",
        late_points="",
        notes=[],
        milestones=[],
        extra=[],
        findings_title="",
        findings=[],
        footer="",
    )
    return render("student.html.j2", page)


def _milestone(milestone: MilestoneResult) -> _Milestone:
    passing = [test for test in milestone.tests if test.status == Status.PASSED]
    groups = alike(test for test in milestone.tests if test.status != Status.PASSED)
    share = milestone.score / milestone.max_score if milestone.max_score else 0
    return _Milestone(
        id=milestone.id,
        title=milestone.title,
        passed=_passed(milestone.tests),
        otherwise=otherwise(milestone.tests),
        points=_of(milestone.score, milestone.max_score),
        percent=f"{100 * share:.1f}",
        failures=[_failure(milestone, group, i == 0) for i, group in enumerate(groups)],
        passing=passing,
        passing_title=f"{len(passing)} test{'s' if len(passing) != 1 else ''}",
        passing_points=_points_of(passing),
    )


def _failure(milestone: MilestoneResult, group: List[TestResult], first: bool) -> _Failure:
    test = group[0]
    explanation = explain(test)
    several = len(group) > 1
    to_do = several and test.status == Status.NOT_IMPLEMENTED
    not_built = explanation.message.startswith(_NOT_BUILT)
    heading = test.title
    if not_built:
        heading = "the code could not be built, so no test of it could run"
        message = explanation.message[len(_NOT_BUILT) :]
        explanation = dataclasses.replace(explanation, message=message, cause="", page="")
    elif to_do:
        heading = explanation.message
    elif several:
        heading = f"{test.title}, and {len(group) - 1} more in the same way"
    if several:
        command = f"./lab test {milestone.id}"
        explanation = dataclasses.replace(explanation, steps=[], cause="", command=command)
    return _Failure(
        status=test.status.value,
        word="not built" if not_built else WORDS[test.status],
        heading=heading,
        points=_points_of(group),
        id="" if several else test.id,
        audience=_AUDIENCE[test.visibility],
        open=first,
        message_title="" if to_do else "What the compiler said" if not_built else "What happened",
        explanation=explanation,
        timeline=_timeline(group),
        tests_title=f"These {len(group)} tests",
        tests=group if several else [],
    )


def _timeline(group: List[TestResult]) -> Optional[_Timeline]:
    """Of several tests that ended alike, that of the first one which has one."""
    several = len(group) > 1
    for test in group:
        excerpt = test.timeline
        if excerpt is not None and excerpt.lanes and excerpt.events:
            steps = 0 if several else len(test.steps)
            return _Timeline(
                title="What the coroutines did" + (f" in {test.id}" if several else ""),
                label=f"Timeline of {test.id}; the same in words follows",
                picture=picture(excerpt, test.status, steps),
                has_steps=steps > 0,
                note=left_out(excerpt),
                left=left(excerpt),
                events=told(excerpt),
            )
    return None


def _of(score: float, maximum: float) -> str:
    return f"{points(score)} / {points(maximum)}"


def _passed(tests: List[TestResult]) -> str:
    return f"{sum(test.status == Status.PASSED for test in tests)} / {len(tests)}"


def _points_of(tests: List[TestResult]) -> str:
    return _of(sum(t.points for t in tests), sum(t.max_points for t in tests)) + " points"


def _footer(view: View) -> str:
    told = view.result.environment
    words = [text.format(told[key]) for key, text in _FOOTER if key in told]
    return f"Graded with {', '.join(words)}." if words else "Graded by ./lab grade."
