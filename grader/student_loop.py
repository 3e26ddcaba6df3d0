"""`./lab test`, once or whenever a file is saved, and what is kept of it for `./lab status`."""

from __future__ import annotations

from typing import Callable, List, Optional

import click
from rich.console import Console

from grader.exit_codes import ExitCode, KitFailed
from grader.kept_progress import KeptProgress, digests_of
from grader.latest_build import point_to
from grader.model import Status, TestResult
from grader.student_report import StudentReport
from grader.student_test import TestRequest, run_tests
from grader.watch import look_at, watch
from grader.watch_report import WatchReport, print_counts


def run_once(request: TestRequest, console: Console) -> ExitCode:
    results = _run(request, console, None)
    passed = sum(result.status == Status.PASSED for result in results)
    console.print(f"\n{passed} passed, {len(results) - passed} failed")
    return _exit_code(results)


def run_whenever_saved(request: TestRequest, console: Console) -> ExitCode:
    folders = [request.tree, request.kit.milestones, request.kit.root / "tests"]

    def run() -> ExitCode:
        results = _run(request, console, WatchReport(console, request.kit))
        print_counts(console, results)
        return _exit_code(results)

    return watch(lambda: look_at(folders), lambda: survive_failures(run), console)


def survive_failures(run: Callable[[], ExitCode]) -> ExitCode:
    """A test file that is being edited may fail the kit; the next save may mend it."""
    try:
        return run()
    except KitFailed as error:
        click.echo(f"lab: {error}", err=True)
        return ExitCode.KIT_FAILED


def _run(
    request: TestRequest, console: Console, report: Optional[StudentReport]
) -> List[TestResult]:
    digests = digests_of(request.tree, request.base)  # before the build: later saves are not in it
    results = run_tests(request, console, report)
    point_to(request.kit.build_folder(request.build_name))
    if not request.solution:
        problem = KeptProgress(request.kit).keep_results(results, request.base, digests)
        if problem is not None:
            click.echo(f"lab: your progress cannot be kept: {problem}", err=True)
    return results


def _exit_code(results: List[TestResult]) -> ExitCode:
    if any(result.status == Status.ERROR for result in results):
        return ExitCode.KIT_FAILED
    if any(result.status != Status.PASSED for result in results):
        return ExitCode.TESTS_FAILED
    return ExitCode.DONE
