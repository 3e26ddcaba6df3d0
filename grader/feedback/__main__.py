"""`python3 -m grader.feedback [--update]`: compares what students are told with the golden files and with
docs/feedback.md, or writes them anew."""

from __future__ import annotations

import os
import sys

import click
import pytest

from grader.feedback.check import TESTS, UPDATE
from grader.kit import find_kit


@click.command()
@click.option("--update", is_flag=True, help="Write docs/feedback.md and the golden files.")
def main(update: bool) -> None:
    """Compares the texts of failures with the golden files, and with docs/feedback.md."""
    os.environ[UPDATE] = "1" if update else ""
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", str(find_kit().root / TESTS)]))


main()
