"""The part `mutants` of the kit's own tests."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional, Sequence

from grader.check_list import read_checks
from grader.kit import Kit
from grader.mutants import document
from grader.mutants.building import build_folder
from grader.mutants.experiment import Outcome, case_names, run_experiment
from grader.mutants.lists import contradictions
from grader.mutants.manifest import END_TO_END, Catalogue, Mutant, read_catalogue
from grader.mutants.matrix import Matrix, Row, idle_tests, matrix_lines, problems
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop


def check_mutants(workshop: Workshop, tester: Tester) -> None:
    """Each mutant is caught by the tests that are there for it, and each test catches one."""
    run_check(workshop, tester, (), update=False)


def run_check(workshop: Workshop, tester: Tester, names: Sequence[str], update: bool) -> None:
    """`names`: milestones or ids of mutants; none: all. `update`: write docs/faults.md."""
    kit = workshop.kit
    folder = kit.root / "tests" / "mutants"
    catalogue = read_catalogue(folder)
    wanted = [m for m in catalogue.mutants if not names or m.milestone in names or m.id in names]
    with tester.check("manifest.txt, faults.txt and the patches fit together"):
        require(len(wanted) > 0, f"no mutant is named {' '.join(names)}")
        found = contradictions(catalogue, _known_tests(kit, catalogue), folder)
        require(not found, "\n".join(found))
    outcome: Optional[Outcome] = None
    with tester.check(f"{len(wanted)} patches apply and compile; the reference passes the tests"):
        build = build_folder(kit, workshop.folder)
        outcome = run_experiment(kit, build, catalogue, wanted, workshop.jobs, tester.progress)
        require(not outcome.unbuilt, "\n".join(f"{k}: {v}" for k, v in outcome.unbuilt.items()))
    if outcome is None:
        return
    for matrix in outcome.matrices:
        _show(matrix)
        with tester.check(f"{matrix.milestone}: {len(matrix.mutants)} mutants are caught as named"):
            found = problems(matrix)
            require(not found, "\n".join(found))
        if not names or matrix.milestone in names:
            with tester.check(f"{matrix.milestone}: each of {len(matrix.tests)} tests catches one"):
                idle = idle_tests(matrix)
                require(not idle, f"these catch no mutant: {', '.join(idle)}")
    if not names:
        _check_document(kit, tester, catalogue, outcome, update)


def _known_tests(kit: Kit, catalogue: Catalogue) -> Dict[str, Sequence[str]]:
    tests = {lab.id: case_names(kit, lab.id) for lab in kit.labs}
    if any(mutant.checks for mutant in catalogue.mutants):
        plan = [check for check in read_checks(kit) if check.group == "m5.e2e"]
        tests["m5"] += [f"{END_TO_END}{test.name}" for test in plan]
    return dict(tests)


def _show(matrix: Matrix) -> None:
    """The rows, and what the columns are. Not by rich, which would break long lines."""
    print("\n".join(matrix_lines(matrix)))
    for number, test in enumerate(matrix.tests, 1):
        print(f"{number:3d} {test}: {len(matrix.caught_by(test))}")


# ---- docs/faults.md --------------------------------------------------------------------------------


def _check_document(
    kit: Kit, tester: Tester, catalogue: Catalogue, outcome: Outcome, update: bool
) -> None:
    path = document.path_of(kit)
    if update and not outcome.unbuilt:
        path.write_text(document.render(catalogue, outcome.matrices), encoding="utf-8")
        tester.progress(f"written: {path}")
    with tester.check("docs/faults.md is up to date"):
        text = path.read_text(encoding="utf-8")
        tests = {matrix.milestone: matrix.tests for matrix in outcome.matrices}
        documented = document.documented_rows(text, tests)
        expected = [_with_rows(matrix, documented) for matrix in outcome.matrices]
        hint = "it does not show the tests and mutants of today: python3 -m grader.mutants --update"
        require(document.render(catalogue, expected) == text, hint)
        for line in _differences(outcome.matrices, documented):
            tester.progress(line)


def _with_rows(matrix: Matrix, documented: Dict[str, Row]) -> Matrix:
    """As it stands in the document; what is not there, as measured."""
    rows = {id: documented.get(id, row) for id, row in matrix.rows.items()}
    return dataclasses.replace(matrix, rows=rows)


def _differences(matrices: Sequence[Matrix], documented: Dict[str, Row]) -> List[str]:
    """What is measured otherwise than documented: worth a look, but time-outs differ by machine."""
    return [
        f"docs/faults.md says otherwise of {mutant.id}: {', '.join(tests)}"
        for matrix in matrices
        for mutant in matrix.mutants
        if (tests := _differing(mutant, matrix, documented))
    ]


def _differing(mutant: Mutant, matrix: Matrix, documented: Dict[str, Row]) -> List[str]:
    row = documented.get(mutant.id, {})
    return [test for test in matrix.tests if row.get(test) != matrix.rows[mutant.id][test]]
