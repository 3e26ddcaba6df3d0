"""The benches build and run, and what is exact about them is what is recorded."""

from __future__ import annotations

from typing import Dict, Sequence

from grader.bench.building import Programs, build_programs
from grader.bench.counts import count_instructions, count_system_calls
from grader.bench.counts_record import differences, growth, made_with, read_record, why_not_compared
from grader.bench.peers import FLOOR, OURS
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

# The smallest of each bench that no count runs: a number is all that is expected of it.
_SMALLEST: Dict[str, Sequence[str]] = {
    "memory": ("1000",),
    "timers": ("sleep", "100", "2", "1000"),
}


def check_bench(workshop: Workshop, tester: Tester) -> None:
    """The hot paths take as many instructions, and an echo as many system calls, as they should."""
    programs = Programs(workshop.kit, workshop.folder / "build-bench")
    with tester.check("the benches build without a warning, and run"):
        build_programs(workshop.kit, programs.folder, peers=False, strict=True)
        for bench, arguments in _SMALLEST.items():
            command = programs.command(bench, OURS) or []
            float(workshop.run([*command, *arguments], seconds=60).output)
    with tester.check("an echo takes the system calls of the floor: one of each kind"):
        ours, floor = (count_system_calls(programs, who) for who in (OURS, FLOOR))
        require(sum(ours.values()) == sum(floor.values()) == 3, f"ours: {ours}; the floor: {floor}")
    counted: Dict[str, float] = {}
    with tester.check("a sleep takes instructions by the logarithm of the number of sleepers"):
        counted.update(count_instructions(programs))
        require(not growth(counted), growth(counted))
    record = read_record(workshop.kit)
    reason = why_not_compared(record, made_with(programs.folder))
    with tester.check(f"instructions: not compared ({reason})" if reason else "instructions, within 5 %"):
        found = [] if reason else differences(record["instructions"], counted)
        require(not found, "\n".join([*found, "Is that meant? ./lab bench counts --write records it."]))
