"""Options that several commands of ./lab share, and what they mean."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Optional

import click

from grader.compiled_reference import has_reference, why_none
from grader.exit_codes import WrongUse
from grader.kit import Kit
from grader.rubric import Rubric, read_rubric

BASES = click.Choice(["own", "reference"])

RUBRIC_OPTION = click.option(
    "--rubric",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Points, visibility, limits: see grader/rubric.toml.",
)
NO_SANDBOX_OPTION = click.option(
    "--no-sandbox",
    is_flag=True,
    help="Run the submission with your own rights: only for your own code, or a machine to throw away.",
)


def chosen_rubric(kit: Kit, path: Optional[Path], base: Optional[str]) -> Rubric:
    """`base`, if it is given, and not what the rubric says; in a copy without reference, "own"."""
    rubric = read_rubric(path)
    if base is None and path is None:
        base = kit.default_base()
    return dataclasses.replace(rubric, base=chosen_base(kit, base or rubric.base))


def chosen_base(kit: Kit, wanted: Optional[str]) -> str:
    if wanted == "reference" and not has_reference(kit.root):
        raise WrongUse(f"--base reference: {why_none(kit.root)}")
    return wanted or kit.default_base()
