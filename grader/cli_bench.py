"""`./lab bench`: the reference beside its peers. For who builds the kit; a handout has neither it nor this file."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Tuple

import click

from grader.bench.catalogue import MANY, benches
from grader.bench.command import COUNTS, BenchRequest, run_benches
from grader.exit_codes import WrongUse
from grader.kit import find_kit
from grader.score_file import check_writable
from grader.terminal import make_console

_NAMES = ", ".join(bench.id for bench in benches(MANY))
_HELP = f"Measure the named benches, or all: {_NAMES}; and {COUNTS}, of instructions and system calls."
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("bench", help=_HELP)
@click.argument("names", nargs=-1, metavar="[NAME] ...")
@click.option("--peers", is_flag=True, help="Beside all peers that are installed, and not the floor alone.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write every sample.")
@click.option("--plot", "plots", type=_FOLDER, help="Write a plot of each bench, as SVG, into this folder.")
@click.option("--write", is_flag=True, help="Write docs/performance.md, and the counts to compare with.")
@click.option(
    "--tree", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Measure these milestones, not the reference.",
)  # fmt: skip
def bench_command(
    names: Tuple[str, ...],
    peers: bool,
    rounds: int,
    json_file: Optional[Path],
    plots: Optional[Path],
    write: bool,
    tree: Optional[Path],
) -> None:
    kit = find_kit()
    if write and (names not in ((), ("counts",)) or tree is not None or (not names and not peers)):
        raise WrongUse("--write goes with --peers and all benches of the reference, or with counts alone")
    if json_file is not None:
        check_writable(json_file.absolute())
    request = BenchRequest(
        kit, names, peers, rounds,
        json_file=json_file.absolute() if json_file else None,
        plots=plots.absolute() if plots else None,
        write=write,
        tree=tree.absolute() if tree else None,
    )  # fmt: skip
    run_benches(request, make_console())
