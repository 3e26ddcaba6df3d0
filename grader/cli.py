"""The commands of ./lab and their options. What they do is in the other modules."""

from __future__ import annotations

import datetime
import importlib
import importlib.util
import signal
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Optional, Sequence, Tuple

import click

from grader import cli_student, cli_trace
from grader import doctor as doctor_module
from grader.cli_options import BASES, NO_SANDBOX_OPTION, RUBRIC_OPTION, chosen_base, chosen_rubric
from grader.completion import complete_tests
from grader.exit_codes import ExitCode, KitFailed, WrongUse
from grader.grade import GradeRequest, errors, grade
from grader.kit import Kit, find_kit
from grader.moment import moment
from grader.progress import ProgressWatcher
from grader.report_terminal import print_result
from grader.reports.autolab import autolab as autolab_line
from grader.reports.view import instructor_view
from grader.reports.write import ReportFiles, write_reports
from grader.score_file import check_writable
from grader.student_loop import run_once, run_whenever_saved
from grader.student_test import TestRequest
from grader.submit import DEFAULT_NAME, make_submission, print_submission
from grader.terminal import make_console


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
@click.argument(
    "names", nargs=-1, metavar="[m1 ... m5 | m1.CASE] ...", shell_complete=complete_tests
)
@click.option("--base", type=BASES, help="Whose lower layers a milestone is tested on.")
@click.option("--solution", is_flag=True, help="Test the reference solution instead of milestones/.")
@click.option("--watch", is_flag=True, help="Again whenever a file is saved, the next failing test first.")
def test_command(names: Tuple[str, ...], base: Optional[str], solution: bool, watch: bool) -> None:
    """Build, run the tests of the named milestones (all, if none is named), explain."""
    kit = find_kit()
    if solution and not kit.solutions.is_dir():
        raise WrongUse("this copy of the kit has no reference solution")
    request = TestRequest(kit, names, chosen_base(kit, base), solution)
    sys.exit((run_whenever_saved if watch else run_once)(request, make_console()))


@lab.command("grade")
@click.argument("submission", type=click.Path(path_type=Path), required=False)
@click.option("--json", "score_file", type=click.Path(path_type=Path), help="Write the score file.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page of the result.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write a summary in Markdown.")
@click.option("--gradescope", type=click.Path(path_type=Path), help="Write Gradescope's results.json.")
@click.option("--classroom50", type=click.Path(path_type=Path), help="Write Classroom 50's result.json.")
@click.option("--autolab", is_flag=True, help="End with the line that Autolab reads.")
@click.option("--base", type=BASES, help="Whose lower layers a milestone is tested on.")
@RUBRIC_OPTION
@click.option(
    "--submitted",
    metavar="TIME",
    help="When it was handed in, for lateness: ISO 8601, with time zone.",
)
@NO_SANDBOX_OPTION
@click.option(
    "--keep-build",
    type=click.Path(path_type=Path, file_okay=False),
    help="Build in this folder, which is emptied first, and keep it.",
)
def grade_command(
    submission: Optional[Path],
    score_file: Optional[Path],
    html: Optional[Path],
    junit: Optional[Path],
    markdown: Optional[Path],
    gradescope: Optional[Path],
    classroom50: Optional[Path],
    autolab: bool,
    base: Optional[str],
    rubric: Optional[Path],
    submitted: Optional[str],
    no_sandbox: bool,
    keep_build: Optional[Path],
) -> None:
    """Grade one SUBMISSION: a folder or an archive. Default: milestones/ of this kit."""
    kit = find_kit()
    request = GradeRequest(
        kit=kit,
        source=_submission(kit, submission),
        rubric=chosen_rubric(kit, rubric, base),
        sandboxed=not no_sandbox,
        score_file=score_file.absolute() if score_file else None,
        submitted=_moment(submitted),
        work_folder=keep_build.absolute() if keep_build else None,
        timelines=html is not None,
    )
    if request.score_file is not None:
        check_writable(request.score_file)
    reports = ReportFiles(html, junit, gradescope, classroom50, markdown)
    reports.check()
    console = make_console()
    with ProgressWatcher(console) as watcher:
        result = grade(request, watcher)
    try:
        write_reports(reports, result, request.rubric.late.is_over())
    finally:  # in this order, for whoever reads the terminal's text may stop in the middle
        print_result(console, result)
    if autolab:
        click.echo(autolab_line(instructor_view(result)), nl=False)
    sys.exit(ExitCode.KIT_FAILED if errors(result) else ExitCode.DONE)


@lab.command("submit")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=DEFAULT_NAME,
    show_default=True,
    help="The file to make.",
)
@click.option("--base", type=BASES, help="Whose lower layers a milestone is tested on.")
@NO_SANDBOX_OPTION
def submit_command(out: Path, base: Optional[str], no_sandbox: bool) -> None:
    """Make the file to hand in, from milestones/, and grade it the way the instructor will."""
    kit, out = find_kit(), out.absolute()
    check_writable(out)
    request = GradeRequest(kit, out, chosen_rubric(kit, None, base), sandboxed=not no_sandbox)
    left_out = make_submission(kit, out)
    console = make_console()
    with ProgressWatcher(console) as watcher:
        result = grade(request, watcher)
    print_result(console, result)
    print_submission(console, out, result, left_out)
    sys.exit(ExitCode.KIT_FAILED if errors(result) else ExitCode.DONE)


for _command in (*cli_student.COMMANDS, cli_trace.trace_command):
    lab.add_command(_command)


def _add_instructors_commands() -> None:
    """A handout has none."""
    if importlib.util.find_spec("grader.cli_instructor") is not None:
        for command in importlib.import_module("grader.cli_instructor").COMMANDS:
            lab.add_command(command)


def _submission(kit: Kit, given: Optional[Path]) -> Path:
    """A path from here; `milestones` and `solutions` mean the kit's own from anywhere."""
    if given is None:
        return kit.milestones
    if not given.exists() and str(given) in ("milestones", "solutions"):
        return kit.root / given
    return given


def _moment(given: Optional[str]) -> Optional[datetime.datetime]:
    try:
        return None if given is None else moment(given)
    except ValueError as error:
        raise WrongUse(f"--submitted: {error}") from error


def main(arguments: Optional[Sequence[str]] = None) -> None:
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        _add_instructors_commands()
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
