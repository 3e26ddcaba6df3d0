"""result.json for Classroom 50.

Its scores are whole numbers, and most tests here are worth a quarter of a point: so points are told
in the largest unit in which every test of the rubric is whole, in quarters 350 of 400 for 87.5 of
100. Rounded to whole points, most tests would be worth 0, and one that fails would seem to cost
nothing. Weights that no unit fits are told in hundredths, shared by the largest remainders, so that
they sum to the maximum.

The file is published in the student's repository, so it has what a student may see. Classroom 50
has no word for the machine's failure but the exit code: then there is no file.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, Dict, List, Mapping

from grader.exit_codes import KitFailed, WrongUse
from grader.model import Status, TestResult
from grader.reports.view import View
from grader.reports.wording import explanation_text

_UNITS = (1, 2, 4, 10, 20, 100)  # of a point


@dataclasses.dataclass(frozen=True)
class Occasion:
    """What Classroom 50's runner tells about the submission, in variables of the environment."""

    classroom: str
    assignment: str
    assignment_type: str
    owner: str
    submission: str
    commit: str
    release: str
    review: str


def occasion(environment: Mapping[str, str]) -> Occasion:
    def told(name: str) -> str:
        if not environment.get(name):
            raise WrongUse(f"--classroom50 is for a run by Classroom 50: {name} is not set")
        return environment[name]

    return Occasion(
        classroom=told("CLASSROOM"),
        assignment=told("ASSIGNMENT"),
        assignment_type=environment.get("ASSIGNMENT_TYPE") or "individual",
        owner=environment.get("OWNER") or told("USERNAME"),
        submission=told("SUBMISSION_TAG"),
        commit=told("COMMIT_URL"),
        release=told("RELEASE_URL"),
        review=environment.get("REVIEW_URL") or told("COMMIT_URL"),
    )


def classroom50(view: View, told: Occasion, now: str) -> str:
    """`now`: as 2027-01-15T23:59:00Z; the runner puts the time of the commit in its place."""
    if view.no_grade:
        raise KitFailed(f"no result for Classroom 50: {view.no_grade}")
    result = view.result
    unit = _unit(result.tests)
    maxima = _whole([test.max_points * unit for test in result.tests])
    tests = [_test(test, maximum) for test, maximum in zip(result.tests, maxima)]
    tests += [_test(test, 0) for lab in result.extra for test in lab.tests]  # worth nothing here
    deduction = round(result.late.points * unit) if result.late else 0
    data = {
        "schema": "classroom50/result/v1",
        **dataclasses.asdict(told),
        "datetime": now,
        "score": max(0, sum(test["score"] for test in tests) - deduction),
        "max-score": sum(maxima),
        "tests": tests,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _test(test: TestResult, maximum: int) -> Dict[str, Any]:
    share = test.points / test.max_points if test.max_points else 0
    passed = test.status == Status.PASSED
    told = {
        "test-name": f"{test.id}: {test.title}",
        "passed": passed,
        "score": min(maximum, math.floor(maximum * share + 1e-9)),
        "max-score": maximum,
    }
    return told if passed else {**told, "output": explanation_text(test)}


def _unit(tests: List[TestResult]) -> int:
    """How many of it are a point."""
    fitting = (u for u in _UNITS if all(_is_whole(test.max_points * u) for test in tests))
    return next(fitting, _UNITS[-1])


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-6


def _whole(values: List[float]) -> List[int]:
    """Whole numbers whose sum is the rounded sum of `values`, each less than one off."""
    whole = [math.floor(value + 1e-9) for value in values]
    by_remainder = sorted(range(len(values)), key=lambda i: (whole[i] - values[i], i))
    for i in by_remainder[: round(sum(values)) - sum(whole)]:
        whole[i] += 1
    return whole
