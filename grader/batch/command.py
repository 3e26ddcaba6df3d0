"""`./lab batch`: the command's own part, which shows how far it is and sums up."""

from __future__ import annotations

import time
from typing import Dict, List

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.progress import TimeElapsedColumn, TimeRemainingColumn

from grader.batch.entries import Hand
from grader.batch.pages import write_class_page, write_gradebook, write_student_page
from grader.batch.run import BatchRequest, run_batch
from grader.exit_codes import ExitCode
from grader.report_terminal import points
from grader.reports.class_entry import Entry, rows


def batch(request: BatchRequest, console: Console) -> ExitCode:
    entries: Dict[str, Entry] = {}
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("after"), TimeElapsedColumn())
    left = (TextColumn("about"), TimeRemainingColumn(elapsed_when_finished=True), TextColumn("left"))
    bar = Progress(*columns, *left, console=console, transient=True, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("", total=len(request.hands))
        began = time.monotonic()

        def done(hand: Hand, entry: Entry) -> None:
            entries[hand.name] = entry
            write_student_page(request, entry)
            write_gradebook(request.output, entries.values())
            bar.advance(task)
            line = _line(entry, len(entries), len(request.hands), time.monotonic() - began)
            console.print(line, soft_wrap=True)

        run_batch(request, done)
    ordered = list(entries.values())
    with console.status("Comparing the submissions ..."):
        write_class_page(request, ordered)
    return _summary(request, console, ordered)


def _line(entry: Entry, done: int, of: int, seconds: float) -> str:
    [row] = rows([entry])
    what = f"{points(entry.result.score)} points" if row.graded and entry.result else row.status
    if row.reason:
        what += f": {row.reason}"
    left = seconds / done * (of - done)
    return f"{done} of {of}  {escape(row.name)}  {escape(what)}  (about {_minutes(left)} left)"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _summary(request: BatchRequest, console: Console, entries: List[Entry]) -> ExitCode:
    made = rows(entries)
    counts = {status: 0 for status in ("graded", "not graded", "machine failure")}
    for row in made:
        counts[row.status] += 1
    console.print(", ".join(f"{count} {status}" for status, count in counts.items() if count))
    for name in ("gradebook.csv", "class.html"):
        console.print(str(request.output / name), soft_wrap=True, markup=False)
    if counts["machine failure"]:
        console.print("The same command tries again what the machine has failed at.")
        return ExitCode.KIT_FAILED
    return ExitCode.DONE
