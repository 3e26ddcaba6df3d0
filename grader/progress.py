"""Shows how far the work is: a moving line on a terminal, a line for each phase elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Optional, Type

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import SpinnerColumn, TimeElapsedColumn

from grader.model import Status, TestResult
from grader.watcher import Watcher


class ProgressWatcher(Watcher):
    """`with ProgressWatcher(console) as watcher:`"""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Optional[Progress] = None
        self._task: Optional[TaskID] = None
        if console.is_terminal:
            columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
            self._bar = Progress(
                *columns, MofNCompleteColumn(), TimeElapsedColumn(), console=console, transient=True
            )

    def __enter__(self) -> "ProgressWatcher":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def phase(self, what: str, steps: int = 0) -> None:
        if self._bar is None:
            self._console.print(f"{what} ..." if steps == 0 else f"{what} ({steps} tests) ...")
            return
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(what, total=steps or None)

    def tested(self, test: TestResult) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)
            if test.status not in (Status.PASSED, Status.NOT_IMPLEMENTED):
                self._console.print(f"{test.status.value}  {test.id}")
