"""`python3 -m grader.seeds [--update]`: the part `seeds` of `./lab selftest`; or writes docs/seeds.md."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from grader.exit_codes import ExitCode
from grader.kit import find_kit
from grader.seeds.check import run_check
from grader.selftest.tester import Tester
from grader.selftest.workshop import Workshop
from grader.terminal import make_console


@click.command()
@click.option("--update", is_flag=True, help="Write docs/seeds.md from what is run.")
def main(update: bool) -> None:
    """Runs the tests and programs that show what the four systems promise."""
    tester = Tester(make_console())
    with tempfile.TemporaryDirectory(prefix="lab-seeds-") as folder:
        run_check(Workshop(find_kit(), Path(folder)), tester, update)
    tester.close()
    sys.exit(ExitCode.TESTS_FAILED if tester.failed else ExitCode.DONE)


main()
