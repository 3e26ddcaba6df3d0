"""results.json for Gradescope.

Gradescope hides hidden tests itself, and with them the total; so they are all in it, while the text
for the whole submission is made from what a student may see. Integrity findings are in extra_data,
which no page of a student shows: as a hidden test they would hide the total of just those who are
under suspicion.

If the machine failed there are neither a score nor tests in it: that is no valid result, so that
Gradescope has no zero to record.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Dict, List

from grader.model import MilestoneResult, Result, Status, TestResult, Visibility, number
from grader.report_terminal import points
from grader.reports.view import STUDENTS_NO_GRADE, View, instructor_view, student_view
from grader.reports.wording import PARTIAL, explanation_text, lateness, otherwise, passed_of


def gradescope(result: Result) -> str:
    everything = instructor_view(result)
    students = student_view(result)
    data: Dict[str, Any] = {
        "output": _output(students),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": _extra_data(everything),
    }
    if "seconds" in students.result.environment:
        data["execution_time"] = students.result.environment["seconds"]
    if not everything.no_grade:
        data["score"] = number(everything.result.score)
        data["tests"] = [
            _test(milestone, test, f"{place}.{index}")
            for place, milestone in enumerate(everything.result.milestones, 1)
            for index, test in enumerate(sorted(milestone.tests, key=_order), 1)
        ]
        data["tests"] += [_extra_test(lab, test) for lab in everything.result.extra
                          for test in sorted(lab.tests, key=_order)]  # fmt: skip
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _order(test: TestResult) -> int:
    """Hidden ones last, so that no gap in the numbers of the others tells of them."""
    return [Visibility.VISIBLE, Visibility.AFTER_DUE_DATE, Visibility.HIDDEN].index(test.visibility)


def _output(view: View) -> str:
    """For the whole submission: seen by the student at once."""
    if view.no_grade:
        return f"No score: {STUDENTS_NO_GRADE}."
    lines: List[str] = []
    lines += [_line(milestone, "") for milestone in view.result.milestones]
    lines += [_line(lab, " (extra, not in the score)") for lab in view.result.extra]
    if view.result.late is not None:
        lines.append(lateness(view.result.late))
    if view.withheld:
        lines.append(PARTIAL)
    lines += [f"{f.kind}: {f.where}: {f.detail}" for f in view.result.integrity]
    return "\n".join(lines)


def _line(milestone: MilestoneResult, note: str) -> str:
    earned = f"{points(milestone.score)} of {points(milestone.max_score)} points"
    counts = f"{passed_of(milestone.tests)} tests passed"
    rest = otherwise(milestone.tests)
    return f"{milestone.id} {milestone.title}{note}: {earned}; {counts}{rest and ': ' + rest}"


def _extra_test(lab: MilestoneResult, test: TestResult) -> Dict[str, Any]:
    """Of an optional lab: without points, which Gradescope would add up."""
    made = _test(lab, test, "")
    return {key: made[key] for key in made if key not in ("number", "score", "max_score")}


def _test(milestone: MilestoneResult, test: TestResult, place: str) -> Dict[str, Any]:
    passed = test.status == Status.PASSED
    return {
        "name": f"{test.id}: {test.title}",
        "number": place,
        "score": number(test.points),
        "max_score": number(test.max_points),
        "status": "passed" if passed else "failed",
        "output": "" if passed else f"{test.status.value}\n{explanation_text(test)}",
        "output_format": "text",
        "tags": [milestone.id, test.status.value],
        "visibility": test.visibility.value,
    }


def _extra_data(view: View) -> Dict[str, Any]:
    return {
        "integrity": [dataclasses.asdict(finding) for finding in view.result.integrity],
        "environment": view.result.environment,
        "no_grade": view.no_grade,
    }
