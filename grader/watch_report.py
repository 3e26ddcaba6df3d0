"""What `./lab test --watch` prints: the next failing test in full, of the others how many."""

from __future__ import annotations

from typing import Iterable, List, Sequence

from rich.console import Console

from grader.kit import LABS, Kit
from grader.model import Status, TestResult
from grader.student_report import StudentReport


class WatchReport(StudentReport):
    """Tests come in the order of the handout, so the first that fails is the next to work on."""

    def __init__(self, console: Console, kit: Kit) -> None:
        super().__init__(console, kit)
        self._has_shown_one = False

    def group(self, name: str) -> None:
        pass

    def tested(self, result: TestResult, text: str = "") -> None:
        if result.status != Status.PASSED and not self._has_shown_one:
            self._has_shown_one = True
            super().tested(result, text)
            super().close()

    def not_built(self, texts: Iterable[str]) -> None:
        """What the compiler says comes first: without a program there is no test to show."""
        said = list(texts)
        super().not_built(said)
        self._has_shown_one = self._has_shown_one or bool(said)

    def close(self) -> None:
        pass


def print_counts(console: Console, results: Sequence[TestResult]) -> None:
    console.print()
    for lab in LABS:
        tests = [test for test in results if test.id.split(".")[0] == lab.id]
        if tests:
            failed = [test.id for test in tests if test.status != Status.PASSED]
            passed = f"{len(tests) - len(failed)} of {len(tests)} passed"
            console.print(f"{lab.id}  {lab.title:12} {passed}{_named(failed)}")


def _named(failed: List[str]) -> str:
    if not failed:
        return ""
    shown = 3
    more = f" and {len(failed) - shown} more" if len(failed) > shown else ""
    return f"; not {', '.join(failed[:shown])}{more}"
