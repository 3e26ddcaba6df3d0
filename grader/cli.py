"""The commands of ./lab and their options. What they do is in the other modules."""

from __future__ import annotations

import signal
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Optional, Sequence, Tuple

import click

from grader import doctor as doctor_module
from grader.exit_codes import ExitCode, KitFailed, WrongUse
from grader.grade import GradeRequest, errors, grade
from grader.kit import Kit, find_kit
from grader.model import Status
from grader.progress import ProgressWatcher
from grader.report_terminal import print_result
from grader.score_file import check_writable
from grader.selftest.run import part_names, run_repeats, run_selftest
from grader.student_test import TestRequest, run_tests
from grader.terminal import make_console

BASES = click.Choice(["own", "reference"])


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def lab() -> None:
    """Build a coroutine runtime in five milestones, test it and grade it."""


@lab.command("setup")
def setup_command() -> None:
    """Install what the kit needs and say what is there.

    The launcher has installed what was missing before this is reached."""
    sys.exit(doctor_module.report(make_console(), find_kit()))


@lab.command("doctor")
def doctor_command() -> None:
    """Say what works on this machine, and what to do about what does not."""
    sys.exit(doctor_module.report(make_console(), find_kit()))


@lab.command("test")
@click.argument("names", nargs=-1, metavar="[m1 ... m5 | m1.CASE] ...")
@click.option("--base", type=BASES, help="Whose lower layers a milestone is tested on.")
@click.option("--solution", is_flag=True, help="Test the reference solution instead of milestones/.")
def test_command(names: Tuple[str, ...], base: Optional[str], solution: bool) -> None:
    """Build, run the tests of the named milestones (all, if none is named), explain."""
    kit = find_kit()
    if solution and not kit.solutions.is_dir():
        raise WrongUse("this copy of the kit has no reference solution")
    request = TestRequest(kit, names, _base(kit, base), solution)
    console = make_console()
    results = run_tests(request, console)
    passed = sum(result.status == Status.PASSED for result in results)
    console.print(f"\n{passed} passed, {len(results) - passed} failed")
    if any(result.status == Status.ERROR for result in results):
        sys.exit(ExitCode.KIT_FAILED)
    sys.exit(ExitCode.DONE if passed == len(results) else ExitCode.TESTS_FAILED)


@lab.command("grade")
@click.argument("submission", type=click.Path(path_type=Path), required=False)
@click.option("--json", "score_file", type=click.Path(path_type=Path), help="Write the score file.")
@click.option("--base", type=BASES, help="Whose lower layers a milestone is tested on.")
@click.option(
    "--keep-build",
    type=click.Path(path_type=Path, file_okay=False),
    help="Build in this folder, keep it, and build on what is in it.",
)
def grade_command(
    submission: Optional[Path],
    score_file: Optional[Path],
    base: Optional[str],
    keep_build: Optional[Path],
) -> None:
    """Grade one SUBMISSION: a folder or an archive. Default: milestones/ of this kit."""
    kit = find_kit()
    request = GradeRequest(
        kit=kit,
        source=_submission(kit, submission),
        base=_base(kit, base),
        score_file=score_file.absolute() if score_file else None,
        work_folder=keep_build.absolute() if keep_build else None,
    )
    if request.score_file is not None:
        check_writable(request.score_file)
    console = make_console()
    with ProgressWatcher(console) as watcher:
        result = grade(request, watcher)
    print_result(console, result)
    sys.exit(ExitCode.KIT_FAILED if errors(result) else ExitCode.DONE)


@lab.command("selftest")
@click.argument("names", nargs=-1, metavar="[PART] ...")
@click.option("--list", "only_list", is_flag=True, help="Name the parts.")
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    help="Instead, run the reference's C tests so many times.",
)
@click.option("--load", is_flag=True, help="With --repeat: while other processes hog the cores.")
def selftest_command(
    names: Tuple[str, ...], only_list: bool, repeat: Optional[int], load: bool
) -> None:
    """Run the kit's own tests, or the named parts of them."""
    if only_list:
        click.echo("\n".join(part_names()))
        return
    if repeat is not None and names:
        raise WrongUse("--repeat runs the reference's C tests, and no parts")
    if load and repeat is None:
        raise WrongUse("--load goes with --repeat N")
    if repeat is not None:
        sys.exit(run_repeats(find_kit(), repeat, load, make_console()))
    sys.exit(run_selftest(find_kit(), names, make_console()))


def _base(kit: Kit, wanted: Optional[str]) -> str:
    if wanted == "reference" and not kit.solutions.is_dir():
        raise WrongUse("--base reference: this copy of the kit has no reference solution")
    return wanted or kit.default_base()


def _submission(kit: Kit, given: Optional[Path]) -> Path:
    """A path from here; `milestones` and `solutions` mean the kit's own from anywhere."""
    if given is None:
        return kit.milestones
    if not given.exists() and str(given) in ("milestones", "solutions"):
        return kit.root / given
    return given


def main(arguments: Optional[Sequence[str]] = None) -> None:
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        lab.main(args=arguments, prog_name="./lab", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(ExitCode.WRONG_USE)
    except click.Abort:
        _fail("interrupted", ExitCode.KIT_FAILED)
    except WrongUse as error:
        _fail(str(error), ExitCode.WRONG_USE)
    except KitFailed as error:
        _fail(str(error), ExitCode.KIT_FAILED)
    except Exception:  # a fault of the kit, and never a verdict
        traceback.print_exc()
        _fail("this is a fault of the kit, not of the submission", ExitCode.KIT_FAILED)


def _interrupt(number: int, frame: Optional[FrameType]) -> None:
    """As ^C: what runs is ended, and temporary folders go, on the way out."""
    raise KeyboardInterrupt


def _fail(message: str, code: ExitCode) -> None:
    click.echo(f"lab: {message}", err=True)
    sys.exit(code)
