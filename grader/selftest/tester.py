"""Counts and shows the checks of the kit's own tests."""

from __future__ import annotations

import contextlib
import time
from typing import Iterator, List

from rich.console import Console
from rich.markup import escape

from grader.exit_codes import KitFailed

_SHOWN_LINES = 60
_REPEATED_LINES = 8


class CheckFailed(Exception):
    """What a check found wrong."""


class Tester:
    def __init__(self, console: Console) -> None:
        self.passed = 0
        self.failed = 0
        self._console = console
        self._part = ""
        self._failures: List[str] = []

    def part(self, name: str, purpose: str) -> None:
        self._part = name
        self._console.print(f"\n[bold]{name}[/bold]  {escape(purpose)}")

    def progress(self, text: str) -> None:
        """For a check that takes long, and somebody who waits."""
        self._console.print(f"         {escape(text)}", style="dim")

    @contextlib.contextmanager
    def check(self, what: str) -> Iterator[None]:
        """One check: it passes if the block ends without CheckFailed. Others go on in any case."""
        began = time.monotonic()
        try:
            yield
        except (CheckFailed, KitFailed, OSError, ValueError, LookupError) as problem:
            self.failed += 1
            self._show("[red]FAILED[/red]", what, began)
            kind = "" if isinstance(problem, (CheckFailed, KitFailed)) else type(problem).__name__ + ": "
            lines = f"{kind}{problem}".splitlines()
            self._words(lines[-_SHOWN_LINES:])
            self._failures += [f"{self._part}: {what}", *(f"  {line}" for line in lines[-_REPEATED_LINES:])]
        else:
            self.passed += 1
            self._show("[green]passed[/green]", what, began)

    def close(self) -> None:
        """What failed, once more, for it is far up by now; and as the last line how many."""
        if self._failures:
            self._console.print("\n[bold]Failed:[/bold]")
            self._words(self._failures)
        self._console.print(f"\n{self.passed} passed, {self.failed} failed")

    def _words(self, lines: List[str]) -> None:
        for line in lines:
            self._console.print(f"         {line}", markup=False, soft_wrap=True)

    def _show(self, verdict: str, what: str, began: float) -> None:
        seconds = time.monotonic() - began
        self._console.print(f"{verdict}   {escape(what)} ({seconds:.1f} s)", soft_wrap=True)


def require(condition: bool, message: str) -> None:
    if not condition:
        raise CheckFailed(message)
