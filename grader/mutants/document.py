"""Writes docs/faults.md, and reads from it what was measured when it was written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Sequence

import jinja2

from grader.kit import LABS, Kit
from grader.mutants.manifest import OWN, Catalogue, Fault
from grader.mutants.matrix import Matrix, Row, matrix_lines, parse_matrix_lines

_TEMPLATE = Path(__file__).parent / "faults.md.j2"
_MATRIX = re.compile(r"^### Matrix of ([mx]\d)$.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def path_of(kit: Kit) -> Path:
    return kit.root / "docs" / "faults.md"


def render(catalogue: Catalogue, matrices: Sequence[Matrix]) -> str:
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        matrices=matrices,
        titles={lab.id: lab.title for lab in LABS},
        faults=list(catalogue.faults.values()),
        mutants_of={fault: _mutants_of(catalogue, fault) for fault in catalogue.faults.values()},
        own=sum(mutant.fault == OWN for mutant in catalogue.mutants),
        alone=[_caught_by_one(matrix) for matrix in matrices],
        matrix_text=lambda matrix: "\n".join(matrix_lines(matrix)),
        costly=sorted(catalogue.costly),
    )


def _mutants_of(catalogue: Catalogue, fault: Fault) -> List[str]:
    return [mutant.id for mutant in catalogue.mutants if mutant.fault == fault.id]


def _caught_by_one(matrix: Matrix) -> Dict[str, List[str]]:
    """The mutants that only one test catches, by that test."""
    found: Dict[str, List[str]] = {}
    for mutant in matrix.caught_by_one_alone():
        [test] = matrix.tests_that_caught(mutant)
        found.setdefault(test, []).append(mutant.name)
    return {test: found[test] for test in matrix.tests if test in found}


def documented_rows(text: str, tests: Dict[str, List[str]]) -> Dict[str, Row]:
    """What was measured, by mutant id. `tests`: the columns of today, by milestone; a matrix that
    has others gives nothing."""
    rows: Dict[str, Row] = {}
    for milestone, lines in _MATRIX.findall(text):
        found = parse_matrix_lines(lines.splitlines(), tests.get(milestone, []))
        rows.update({f"{milestone}.{name}": row for name, row in found.items()})
    return rows
