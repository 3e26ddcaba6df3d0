"""Instructions and system calls, as they are counted, shown and written down."""

from __future__ import annotations

import dataclasses
import shutil
from typing import Dict, List, Optional, Sequence, Tuple

from rich.console import Console
from rich.table import Table

from grader.bench.building import Programs
from grader.bench.counts import count_instructions, count_system_calls
from grader.bench.peers import FLOOR, OURS, title_of
from grader.bench.table import markdown_table

_TOOLS = ("valgrind", "strace")
_BESIDE = "cpp20"  # if it was built


@dataclasses.dataclass(frozen=True)
class Counts:
    instructions: Dict[str, Dict[str, float]]  # of one of each, by who
    calls: Dict[str, Dict[str, float]]  # system calls of an echoed message, by name, by who


def why_not_counted() -> str:
    """Empty, if it can be done here."""
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    return f"{' and '.join(missing)} not installed" if missing else ""


def count(programs: Programs) -> Counts:
    calls = {who: count_system_calls(programs, who) for who in (OURS, FLOOR)}
    instructions = {who: count_instructions(programs, who) for who in (OURS, _BESIDE)}
    return Counts({who: found for who, found in instructions.items() if found}, calls)


def print_counts(console: Console, counts: Counts) -> None:
    for head, body in (_instructions(counts), _calls(counts)):
        table = Table(*head)
        for row in body:
            table.add_row(*row)
        console.print(table)


def counts_section(counts: Optional[Counts]) -> str:
    """Of docs/performance.md."""
    if counts is None:
        return "## counts\n\nNot counted in this run.\n"
    parts = ["## counts", "Exact, and the same at every run; compared by `./lab selftest bench`."]
    parts += [markdown_table(head, body) for head, body in (_instructions(counts), _calls(counts))]
    return "\n\n".join(parts) + "\n"


def _instructions(counts: Counts) -> Tuple[Sequence[str], List[List[str]]]:
    who = list(counts.instructions)
    body = [
        [name, *(_shown(counts.instructions[one].get(name)) for one in who)]
        for name in counts.instructions[OURS]
    ]
    return ("instructions, outside the kernel", *map(title_of, who)), body


def _shown(number: Optional[float]) -> str:
    return "-" if number is None else f"{number:,.1f}"


def _calls(counts: Counts) -> Tuple[Sequence[str], List[List[str]]]:
    body = [
        [title_of(who), ", ".join(f"{name} {number:g}" for name, number in calls.items())]
        for who, calls in counts.calls.items()
    ]
    return ("echoed message", "system calls"), body
