"""The models of the thread pool (lab x2): each holds, and each of its faults is found.

Spin goes through all orders in which the threads of a model can take their steps.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Iterator, List

import pytest

from grader.processes import run_program

MODELS = Path(__file__).resolve().parent
HOLDS = "holds"
DEPTH = 1_000_000  # of the search: no run of a model is longer
SECONDS = 600.0


def lines() -> Iterator["List[str]"]:
    if MODELS.is_dir():  # a copy of the kit need not have the optional labs
        for line in (MODELS / "models.txt").read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                yield [column.strip() for column in line.split("|")]


def run(command: List[str], folder: Path) -> str:
    ended = run_program(command, seconds=SECONDS, folder=folder)
    assert ended.returncode == 0, ended.output
    return str(ended.output)


def search(model: str, definitions: str, folder: Path) -> str:
    """What the search through all states of the model prints."""
    options = [f"-D{definition}" for definition in definitions.split()]
    run(["spin", *options, "-a", str(MODELS / f"{model}.pml")], folder)
    run(["gcc", "-O0", "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"], folder)
    return run(["./pan", f"-m{DEPTH}"], folder)


@pytest.mark.skipif(shutil.which("spin") is None, reason="no spin here")
@pytest.mark.parametrize("model, definitions, outcome", lines())
def test_a_model_holds_or_its_fault_is_found(
    model: str, definitions: str, outcome: str, tmp_path: Path
) -> None:
    output = search(model, definitions, tmp_path)
    errors = re.search(r"errors: (\d+)", output)
    assert errors is not None, output
    assert "max search depth too small" not in output
    assert (errors[1] == "0") == (outcome == HOLDS), output
