"""The result of a grading, for people at a terminal. Every number comes from the result itself."""

from __future__ import annotations

from typing import List, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grader.alike import alike, names
from grader.feedback.failure_text import failure_lines
from grader.model import MilestoneResult, Result, Status, TestResult

_SHOWN_FINDINGS = 20


def print_result(console: Console, result: Result) -> None:
    for milestone in (*result.milestones, *result.extra):
        _print_milestone(console, milestone)
    if any(test.status not in (Status.PASSED, Status.NOT_IMPLEMENTED) for test in result.all_tests):
        console.print("Each command to run again also tells the one that opens gdb.\n")
    _print_findings(console, result)
    console.print(_summary(result))
    console.print(f"[bold]{points(result.score)} of {points(result.max_score)} points[/bold]")
    for lab in result.extra:
        console.print(f"Extra, not in this sum: {extra_line(lab)}")


def extra_line(lab: MilestoneResult) -> str:
    """What came of an optional lab."""
    earned = f"{points(lab.score)} of {points(lab.max_score)} points"
    return f"{lab.id} {lab.title}: {earned}, {_passed(lab.tests)} tests passed"


def points(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def print_failure(
    console: Console, test: TestResult, place: str = "", debug: Sequence[str] = ()
) -> None:
    """In the form of the C tests: see grader/feedback/failure_text.py."""
    heading = f"[red]{test.status.value}[/red]  [bold]{test.id}[/bold]: {escape(test.title)}"
    console.print(heading, soft_wrap=True)
    for line in failure_lines(test, place, debug):
        console.print(escape(line), soft_wrap=True)


def _print_milestone(console: Console, milestone: MilestoneResult) -> None:
    bad = [test for test in milestone.tests if test.status != Status.PASSED]
    if not bad:
        return
    console.rule(f"{milestone.id} {milestone.title}", align="left")
    for group in alike(bad):
        print_failure(console, group[0])
        if len(group) > 1:
            more = f"    The same in {len(group) - 1} more: {names(group[1:])}"
            console.print(more, soft_wrap=True)
    console.print()


def _print_findings(console: Console, result: Result) -> None:
    for finding in result.integrity[:_SHOWN_FINDINGS]:
        line = f"[yellow]{finding.kind}[/yellow]  {escape(finding.where)}: {escape(finding.detail)}"
        console.print(line, soft_wrap=True)
    if len(result.integrity) > _SHOWN_FINDINGS:
        console.print(f"... and {len(result.integrity) - _SHOWN_FINDINGS} more, in the score file")
    if result.integrity:
        console.print()


def _summary(result: Result) -> Table:
    table = Table(title=escape(result.submission), title_justify="left", show_footer=True)
    tests = result.tests
    table.add_column("Milestone", footer="Total")
    table.add_column("Tests passed", justify="right", footer=_passed(tests))
    table.add_column("Otherwise", footer="")
    total = f"{points(result.score)} / {points(result.max_score)}"
    table.add_column("Points", justify="right", footer=total)
    for milestone in result.milestones:
        table.add_row(
            f"{milestone.id} {milestone.title}",
            _passed(milestone.tests),
            _otherwise(milestone.tests),
            f"{points(milestone.score)} / {points(milestone.max_score)}",
        )
    return table


def _passed(tests: List[TestResult]) -> str:
    return f"{sum(test.status == Status.PASSED for test in tests)} of {len(tests)}"


def _otherwise(tests: List[TestResult]) -> str:
    counts = {status: sum(test.status == status for test in tests) for status in Status}
    return ", ".join(
        f"{count} {status.value}"
        for status, count in counts.items()
        if count and status != Status.PASSED
    )
