"""The tables: for people at a terminal, and as Markdown; both from the same rows."""

from __future__ import annotations

from functools import partial
from typing import Callable, Dict, List, Sequence, Tuple

from rich import box
from rich.console import Console
from rich.table import Table

from grader.bench.goals import Verdict
from grader.bench.model import Case, Figure, Measured
from grader.bench.peers import OURS, title_of

_COLUMNS = 4  # of cases; where there are more, they are rows


def print_measured(console: Console, measured: Measured) -> None:
    """What was measured, and in brackets how many times ours."""
    bench = measured.bench
    console.print(f"\n[bold]{bench.id}[/bold]  {bench.title}: {bench.figure.title}", soft_wrap=True)
    head, body = grid(measured, partial(cell, measured))
    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    for number_of_column, title in enumerate(head):
        table.add_column(title, justify="right" if number_of_column else "left", overflow="fold")
    for row in body:
        table.add_row(*row, style="bold" if row[0] == title_of(OURS) else "")
    console.print(table)
    for line in left_out_lines(measured):
        console.print(f"  {line}", markup=False, soft_wrap=True)


def grid(
    measured: Measured, cell_of: Callable[[Case, str], str]
) -> Tuple[List[str], List[List[str]]]:
    """Head and rows: one for each peer; if there are many cases, one for each case."""
    cases, who = measured.bench.cases, measured.who
    if len(cases) > _COLUMNS:
        head = ["", *map(title_of, who)]
        return head, [[case.title, *(cell_of(case, name) for name in who)] for case in cases]
    head = ["", *(case.title for case in cases)]
    return head, [[title_of(name), *(cell_of(case, name) for case in cases)] for name in who]


def cell(measured: Measured, case: Case, who: str) -> str:
    value = measured.median(case, who)
    if value is None:
        return "-"
    ratio = None if who == OURS else measured.ratio(case, who)
    return number(value) if ratio is None else f"{number(value)} ({ratio:.2f})"


def figure_cell(measured: Measured, figure: Figure, case: Case, who: str) -> str:
    """Of one of the other figures."""
    value = measured.median(case, who, figure)
    if value is None:
        return "-"
    return f"{value:.0%}" if figure.name.endswith("_busy") else number(value)


def left_out_lines(measured: Measured) -> List[str]:
    """One for each peer and reason, however many cases it concerns."""
    cases: Dict[Tuple[str, str], List[str]] = {}
    for case, who, why in measured.left_out:
        cases.setdefault((who, why), []).append(case)
    everywhere = len(measured.bench.cases)
    return [
        f"left out: {title_of(who)}{'' if len(where) == everywhere else ', ' + '; '.join(where)}: {why}"
        for (who, why), where in cases.items()
    ]


def print_verdicts(console: Console, verdicts: Sequence[Verdict]) -> None:
    good = sum(verdict.met for verdict in verdicts)
    console.print(f"Goals: {good} of {len(verdicts)} met.")
    for verdict in verdicts:
        if not verdict.met:
            console.print(f"  [red]missed[/red]  {verdict_line(verdict)}", soft_wrap=True)


def verdict_line(verdict: Verdict) -> str:
    return f"{verdict.bench}, {verdict.case}: {verdict.goal}; it is {number(verdict.value)}"


def number(value: float) -> str:
    """Three digits, or all of a larger one."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def markdown_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in body]
    return "\n".join(lines)

