"""The rounds: in each, all take their turn, so that the machine's moods meet them alike."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable, Container, List, Sequence

from grader.bench.building import Programs
from grader.bench.model import Bench, Case, Load, Measured, Program
from grader.bench.peers import OURS
from grader.bench.runs import Runner, RunFailed
from grader.exit_codes import KitFailed

_SPARE_MEMORY = 2**30


def measure(
    bench: Bench, runner: Runner, present: Container[str], rounds: int, tell: Callable[[str], None]
) -> Measured:
    """`present`: who is here. KitFailed if ours fails; a peer that fails is left out, with the reason."""
    measured = Measured(bench)
    for case in bench.cases:
        tell(f"{bench.id}, {case.title}")
        who = [name for name in bench.who if name in present]
        for name in who:
            reason = _why_not(case, name)
            if reason:
                measured.leave_out(case, name, reason)
        often = [name for name in who if name not in case.once]
        if isinstance(case.work, Program) and case.work.is_scaled:
            _one_round(measured, runner, case, often, counts=False)
        for number in range(min(rounds, bench.rounds or rounds)):
            taking_part = who if number == 0 else often
            order = taking_part if number % 2 == 0 else taking_part[::-1]
            _one_round(measured, runner, case, order, counts=True)
    return measured


def _one_round(
    measured: Measured, runner: Runner, case: Case, who: Sequence[str], counts: bool
) -> None:
    for name in who:
        if measured.is_out(case, name):
            continue
        try:
            sample = runner.run(measured.bench.id, case, name)
        except RunFailed as problem:
            if name == OURS:
                raise KitFailed(f"{measured.bench.id}, {case.title}: {problem}") from problem
            measured.leave_out(case, name, str(problem))
            continue
        if counts:
            measured.add(case, name, sample)


def _why_not(case: Case, who: str) -> str:
    needed = case.memory.get(who, 0)
    if who in case.without:
        return case.without[who]
    if needed and needed + _SPARE_MEMORY > available_memory():
        return f"needs {needed / 2**30:.0f} GiB of memory"
    return ""


def available_memory() -> int:
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    found = re.search(r"^MemAvailable: *(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def present_in(bench: Bench, programs: Programs) -> List[str]:
    """Who of this bench was built."""
    is_served = any(isinstance(case.work, Load) for case in bench.cases)
    name = "echo" if is_served else bench.id
    return [who for who in bench.who if programs.command(name, who) is not None]
