"""What the work tells while it goes on. Reports are made from the result alone, not from this."""

from __future__ import annotations

from grader.model import TestResult


class Watcher:
    """Does nothing: for tests, and for who does not want to be told."""

    def phase(self, what: str, steps: int = 0) -> None:
        """Something new begins, of so many steps; 0: nobody knows how many."""

    def tested(self, test: TestResult) -> None:
        """One step of the phase: a test is over."""
