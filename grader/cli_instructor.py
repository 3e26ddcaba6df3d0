"""The commands of ./lab that are the instructor's alone. A handout has neither them nor this file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Optional, Tuple

import click

from grader.autograder.classroom50 import make_classroom50
from grader.autograder.make import (
    DEFAULT_MINUTES,
    LEAST_MINUTES,
    MOST_MINUTES,
    AutograderRequest,
    make_autograder,
)
from grader.batch.command import batch
from grader.batch.entries import hands_in, read_times
from grader.batch.run import BatchRequest
from grader.cli_bench import bench_command
from grader.cli_options import BASES, NO_SANDBOX_OPTION, RUBRIC_OPTION, chosen_rubric
from grader.exit_codes import WrongUse
from grader.handout.make import HandoutRequest, make_handout
from grader.keepers import available_cores
from grader.kit import find_kit
from grader.selftest.run import part_names, run_repeats, run_selftest
from grader.site.build import SiteRequest, make_site
from grader.terminal import make_console


@click.command("batch")
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Where gradebook and pages go."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Submissions at a time; default: the cores.")
@click.option("--base", type=BASES, help="Whose lower layers a milestone is tested on.")
@RUBRIC_OPTION
@click.option(
    "--submitted",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV with the columns submission,time: for lateness.",
)
@click.option("--resume", is_flag=True, help="Go on with what OUT has; the default when there is some.")
@NO_SANDBOX_OPTION
def batch_command(
    submissions: Path,
    out: Path,
    jobs: Optional[int],
    base: Optional[str],
    rubric: Optional[Path],
    submitted: Optional[Path],
    resume: bool,
    no_sandbox: bool,
) -> None:
    """Grade a class: everything in the folder SUBMISSIONS is somebody's submission.

    After an interruption the same command goes on where it was. What was graded with the same kit and
    rubric before is not run again."""
    del resume  # it always does
    kit = find_kit()
    hands = hands_in(submissions)
    request = BatchRequest(
        kit=kit,
        hands=hands,
        rubric=chosen_rubric(kit, rubric, base),
        sandboxed=not no_sandbox,
        jobs=jobs or available_cores(),
        output=out.absolute(),
        times=read_times(submitted, hands) if submitted else {},
    )
    sys.exit(batch(request, make_console()))


@click.command("handout")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    help="The folder to make: new, empty, or an older handout.",
)
@click.option("--zip", "make_zip", is_flag=True, help="Also make DIR.zip.")
@click.option(
    "--with-reference-objects",
    is_flag=True,
    help="With the reference's lower layers, compiled for this kind of machine.",
)
def handout_command(folder: Path, make_zip: bool, with_reference_objects: bool) -> None:
    """Make what students get: no solutions, no hidden tests, no history; and check it."""
    request = HandoutRequest(find_kit(), folder.absolute(), make_zip, with_reference_objects)
    console = make_console()
    with console.status("Looking ...") as status:
        make_handout(request, lambda phase: status.update(f"{phase} ..."))
    console.print(str(request.folder), markup=False, soft_wrap=True)
    if make_zip:
        console.print(str(request.zip_file), markup=False, soft_wrap=True)
    console.print("It builds, every test is not-implemented, and no line of the solution is in it.")


@click.command("autograder")
@click.option(
    "--gradescope",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OUT.zip",
    help="Make the zip to upload to Gradescope.",
)
@click.option(
    "--classroom50",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Make an assignment's folder for Classroom 50: autograder.py, and a handout as its kit.",
)
@click.option(
    "--minutes",
    type=click.IntRange(LEAST_MINUTES, MOST_MINUTES),
    default=DEFAULT_MINUTES,
    show_default=True,
    help="The time limit that is set in Gradescope.",
)
@RUBRIC_OPTION
def autograder_command(
    gradescope: Optional[Path], classroom50: Optional[Path], minutes: int, rubric: Optional[Path]
) -> None:
    """Make what another system needs to grade with this kit. --minutes and --rubric are Gradescope's."""
    if gradescope is None and classroom50 is None:
        raise WrongUse("nothing to make: name --gradescope OUT.zip or --classroom50 DIR")
    kit, console = find_kit(), make_console()
    if gradescope is not None:
        make_autograder(AutograderRequest(kit, gradescope.absolute(), rubric, minutes))
        console.print(str(gradescope.absolute()), markup=False, soft_wrap=True)
    if classroom50 is not None:
        with console.status("Making a handout, and trying it out ..."):
            make_classroom50(kit, classroom50.absolute())
        console.print(str(classroom50.absolute()), markup=False, soft_wrap=True)


@click.command("docs")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    help="The folder to make: new, empty, or an older site. Default: in build/.",
)
@click.option(
    "--instructor", is_flag=True, help="With the instructor's pages, and links to all of the kit."
)
def docs_command(folder: Optional[Path], instructor: bool) -> None:
    """Build the site, and check it: the students', with all that a handout has to read and no more."""
    kit, console = find_kit(), make_console()
    if folder is None:
        folder = kit.build_folder("site-instructor" if instructor else "site")
    request = SiteRequest(kit, folder.absolute(), instructor)
    with console.status("Reading ...") as status:
        pages = make_site(request, lambda phase: status.update(f"{phase} ..."))
    console.print(str(request.folder / "index.html"), markup=False, soft_wrap=True)
    kind = "is for instructors alone" if instructor else "tells nothing of the solution"
    console.print(f"{len(pages)} pages and the C reference. No link is dead, and it {kind}.")


@click.command("selftest")
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


COMMANDS = (
    autograder_command,
    batch_command,
    bench_command,
    docs_command,
    handout_command,
    selftest_command,
)
