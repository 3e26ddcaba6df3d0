"""The commands of ./lab in Gradescope's container, where this file is grader/cli_instructor.py."""

from __future__ import annotations

import sys

import click

from grader.autograder.container import Container, grade_upload, prepare
from grader.kit import find_kit


@click.command("prepare")
def prepare_command() -> None:
    """Compile the kit's part of what will be graded, and remove the reference's source."""
    prepare(find_kit(), Container())


@click.command("grade-upload")
@click.option(
    "--minutes", type=click.IntRange(min=1), required=True, help="Gradescope's time limit."
)
def grade_upload_command(minutes: int) -> None:
    """Grade what a student has uploaded, and write Gradescope's results.json."""
    sys.exit(grade_upload(find_kit(), Container(), minutes))


COMMANDS = (prepare_command, grade_upload_command)
