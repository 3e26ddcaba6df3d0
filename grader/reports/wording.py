"""How results are told in words, the same in every report."""

from __future__ import annotations

import dataclasses
from typing import Dict, Iterable, List

from grader.feedback.failure_text import cause_and_page, plain, failure_lines
from grader.model import Late, Status, TestResult
from grader.report_terminal import points
from grader.reports.view import View

WORDS: Dict[Status, str] = {
    Status.PASSED: "passed",
    Status.FAILED: "failed",
    Status.CRASHED: "crashed",
    Status.TIMEOUT: "timed out",
    Status.LEAKED: "leaked memory",
    Status.EARLY_EXIT: "left early",
    Status.NOT_IMPLEMENTED: "to do",
    Status.ERROR: "no verdict",
}

PARTIAL = "Without tests that only the instructor sees."

_NOTHING_SAID: Dict[Status, str] = {
    Status.PASSED: "passed",
    Status.FAILED: "the test failed, and said nothing",
    Status.CRASHED: "the test crashed, and left no trace",
    Status.TIMEOUT: "the test did not end within its time limit",
    Status.LEAKED: "memory was never freed",
    Status.EARLY_EXIT: "the process ended before the test was over",
    Status.NOT_IMPLEMENTED: "not implemented yet",
    Status.ERROR: "the machine failed, and the test has no verdict",
}

_LINES_SHOWN = 60


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A failure in its parts, for a report that lays them out."""

    steps: List[str]
    message: str
    cause: str
    page: str  # what to read
    command: str  # runs it again


def explain(test: TestResult) -> Explanation:
    cause, page = cause_and_page(test)
    lines = plain(message(test).splitlines())
    if len(lines) > _LINES_SHOWN:
        left_out = len(lines) - _LINES_SHOWN
        lines[_LINES_SHOWN // 3 : -2 * _LINES_SHOWN // 3] = [f"... ({left_out} lines)"]
    if test.status == Status.ERROR:
        cause = page = ""
    return Explanation(test.steps, "\n".join(lines), cause, page, f"./lab test {test.id}")


def explanation_text(test: TestResult) -> str:
    """The same as a student reads in a terminal."""
    return "\n".join(failure_lines(dataclasses.replace(test, message=message(test))))


def message(test: TestResult) -> str:
    """Never empty."""
    return test.message.strip() or _NOTHING_SAID[test.status]


def otherwise(tests: Iterable[TestResult]) -> str:
    """What did not pass: 3 failed, 1 timed out."""
    statuses = [test.status for test in tests if test.status != Status.PASSED]
    return ", ".join(
        f"{statuses.count(status)} {WORDS[status]}" for status in Status if status in statuses
    )


def passed_of(tests: List[TestResult]) -> str:
    return f"{sum(test.status == Status.PASSED for test in tests)} of {len(tests)}"


def verdict(view: View) -> str:
    if view.no_grade:
        return f"No grade: {view.no_grade}"
    return f"{points(view.result.score)} of {points(view.result.max_score)} points"


def lateness(late: Late) -> str:
    days = "1 day" if late.days == 1 else f"{late.days} days"
    return f"{days} late: {points(late.points)} points are taken off ({late.detail})"
