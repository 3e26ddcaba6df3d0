"""What `./lab test` prints of each test as it ends: brief where all is well, in full where not."""

from __future__ import annotations

import collections
import re
from typing import Counter, Iterable

from rich.console import Console
from rich.markup import escape

from grader.kit import MILESTONES, Kit
from grader.model import Finding, Status, TestResult
from grader.report_terminal import print_failure

_HEADINGS = {
    **{milestone.id: milestone.title for milestone in MILESTONES},
    "m5.e2e": "Real clients against the echo server",
    "m5.own": "Real clients against the echo server on the whole stack of one's own",
}

# The program has explained these itself; of the others it had no chance to, or nothing to say.
_TOLD = (Status.FAILED, Status.CRASHED, Status.TIMEOUT, Status.LEAKED)


class StudentReport:
    """Call `group`, then `tested` for each of its tests, and `close` at the end."""

    def __init__(self, console: Console, kit: Kit) -> None:
        self._console = console
        self._kit = kit
        self._to_do: Counter[str] = collections.Counter()  # by what is not implemented

    def group(self, name: str) -> None:
        self.close()
        self._console.print(f"\n[bold]{name}  {_HEADINGS[name]}[/bold]")

    def tested(self, result: TestResult, text: str = "") -> None:
        """`text`: what the test program printed for the student."""
        if result.status == Status.PASSED:
            self._line(f"[green]passed[/green]  {result.id}: {escape(result.title)}")
        elif result.status == Status.NOT_IMPLEMENTED:
            self._to_do[self._shorten(result.message)] += 1
        elif text.strip() and result.status in _TOLD:
            self._line(escape(self._shorten(text)))
        else:
            print_failure(self._console, result)

    def close(self) -> None:
        """A stub that stops many tests is one line."""
        for message, count in self._to_do.items():
            plural = "" if count == 1 else "s"
            self._line(f"[yellow]to do[/yellow]   {escape(message)}: {count} test{plural}")
        self._to_do.clear()

    def not_built(self, texts: Iterable[str]) -> None:
        """The compiler's own words, each once, though several programs need the same file."""
        for text in dict.fromkeys(texts):
            self._line(escape(text))

    def warnings(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            where = f"milestones/{finding.where}"
            self._line(f"[yellow]warning[/yellow] {escape(where)}: {escape(finding.detail)}")

    def _line(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def _shorten(self, text: str) -> str:
        """Paths from the kit's folder on."""
        return re.sub(re.escape(f"{self._kit.root}/"), "", text.rstrip())
