"""`./lab bench`, from the build to the last table."""

from __future__ import annotations

import dataclasses
import difflib
import json
import time
from pathlib import Path
from typing import List, Optional, Sequence, Set, Tuple

from rich.console import Console

from grader.bench.building import Programs, build_programs
from grader.bench.catalogue import MANY, benches, most_connections
from grader.bench.counting import Counts, count, counts_section, print_counts, why_not_counted
from grader.bench.counts_record import write_record
from grader.bench.goals import verdicts
from grader.bench.machine import load_average, machine
from grader.bench.model import Bench, Measured
from grader.bench.page import page, path_of
from grader.bench.peers import FLOOR, OURS, missing, versions
from grader.bench.plot import write_plots
from grader.bench.record import Surroundings, to_json
from grader.bench.rounds import measure, present_in
from grader.bench.runs import Runner
from grader.bench.table import print_measured, print_verdicts
from grader.build import compiler_name
from grader.exit_codes import WrongUse
from grader.kit import Kit
from grader.score_file import replace_file

COUNTS = "counts"
_BUSY = 1.0  # a load average beyond which figures are not to be trusted


@dataclasses.dataclass(frozen=True)
class BenchRequest:
    kit: Kit
    names: Sequence[str]
    peers: bool
    rounds: int
    json_file: Optional[Path] = None
    plots: Optional[Path] = None
    write: bool = False  # what is in the kit: docs/performance.md, tests/bench/instructions.json
    tree: Optional[Path] = None  # whose milestones


def run_benches(request: BenchRequest, console: Console) -> None:
    began, load, connections = time.monotonic(), load_average(), most_connections()
    chosen, counts_too = choose(benches(connections), request.names)
    _say_beforehand(console, connections, load)
    with console.status("Building ..."):
        folder = request.kit.build_folder("bench-peers" if request.peers else "bench")
        programs = build_programs(request.kit, folder, request.peers, request.tree)
    present = _present(chosen, programs, request.peers)
    found = _measure_all(request, console, programs, chosen, present)
    counts = _count(console, programs) if counts_too else None
    print_verdicts(console, [verdict for one in found for verdict in verdicts(one)])
    wanted = [who for bench in chosen for who in bench.who] if request.peers else []
    around = Surroundings(
        machine={**machine(), "C compiler": compiler_name(folder)},
        versions=versions(sorted(present)),
        missing={peer.title: peer.package for peer in missing(wanted, sorted(present))},
        rounds=request.rounds,
        connections=connections,
        load_before=load,
        seconds=time.monotonic() - began,
    )
    for title, package in around.missing.items():
        console.print(f"Not installed, and so left out: {title} (apt-get install {package})")
    _write(request, console, around, found, counts)
    if request.write and counts is not None:
        console.print(str(write_record(request.kit, folder, counts.instructions[OURS])), markup=False)


def choose(known: Sequence[Bench], names: Sequence[str]) -> Tuple[List[Bench], bool]:
    """Those that are named, or all; and whether to count as well."""
    ids = [*(bench.id for bench in known), COUNTS]
    for name in names:
        if name not in ids:
            close = difflib.get_close_matches(name, ids, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise WrongUse(f"no bench {name}{hint}\nKnown: {', '.join(ids)}")
    wanted = names or ids
    return [bench for bench in known if bench.id in wanted], COUNTS in wanted


def _say_beforehand(console: Console, connections: int, load: float) -> None:
    if connections < MANY:
        console.print(
            f"The limit of descriptors (ulimit -Hn) allows no more than {connections:,} connections:"
            f" where {MANY:,} were to be, there are so many."
        )
    if load > _BUSY:
        console.print(f"[yellow]This machine is busy: its load average is {load:.1f}.[/yellow]")


def _present(chosen: Sequence[Bench], programs: Programs, peers: bool) -> Set[str]:
    found = {who for bench in chosen for who in present_in(bench, programs)}
    return found if peers else found & {OURS, FLOOR}


def _measure_all(
    request: BenchRequest,
    console: Console,
    programs: Programs,
    chosen: Sequence[Bench],
    present: Set[str],
) -> List[Measured]:
    runner, found = Runner(programs), []
    for bench in chosen:
        with console.status(bench.id) as status:
            found.append(measure(bench, runner, present, request.rounds, status.update))
        print_measured(console, found[-1])
    return found


def _count(console: Console, programs: Programs) -> Optional[Counts]:
    reason = why_not_counted()
    if reason:
        console.print(f"Instructions and system calls are not counted: {reason}.")
        return None
    with console.status("counting"):
        counts = count(programs)
    print_counts(console, counts)
    return counts


def _write(
    request: BenchRequest,
    console: Console,
    around: Surroundings,
    found: Sequence[Measured],
    counts: Optional[Counts],
) -> None:
    written: List[Path] = []
    if request.json_file is not None:
        counted = dataclasses.asdict(counts) if counts is not None else {}
        text = json.dumps({**to_json(around, found), "counts": counted}, indent=1) + "\n"
        replace_file(request.json_file, text.encode())
        written.append(request.json_file)
    if request.plots is not None:
        written += write_plots(request.plots, found)
    if request.write and found:
        text = page(request.kit, around, found, counts_section(counts))
        replace_file(path_of(request.kit), text.encode())
        written.append(path_of(request.kit))
    for path in written:
        console.print(str(path), markup=False, soft_wrap=True)
