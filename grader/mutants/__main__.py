"""`python3 -m grader.mutants [--update] [m1 | m1.NAME] ...`: the part `mutants` of `./lab selftest`, or a
piece of it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Tuple

import click

from grader.exit_codes import ExitCode
from grader.kit import find_kit
from grader.mutants.check import run_check
from grader.selftest.tester import Tester
from grader.selftest.workshop import Workshop
from grader.terminal import make_console


@click.command()
@click.argument("names", nargs=-1, metavar="[m1 ... m5 | m1.NAME] ...")
@click.option("--update", is_flag=True, help="Write docs/faults.md from what is measured.")
def main(names: Tuple[str, ...], update: bool) -> None:
    """Runs the tests on mutants: all, those of a milestone, or some by name."""
    tester = Tester(make_console())
    with tempfile.TemporaryDirectory(prefix="lab-mutants-") as folder:
        run_check(Workshop(find_kit(), Path(folder)), tester, names, update)
    tester.close()
    sys.exit(ExitCode.TESTS_FAILED if tester.failed else ExitCode.DONE)


main()
