"""Builds and runs mutants, and gathers what came of it."""

from __future__ import annotations

import concurrent.futures
import dataclasses
from pathlib import Path
from typing import Callable, Dict, List, Sequence

from grader.case_list import read_cases
from grader.exit_codes import KitFailed
from grader.kit import LABS, Kit
from grader.mutants.building import Programs, build_mutants
from grader.mutants.end_to_end import run_checks
from grader.mutants.manifest import Catalogue, Mutant
from grader.mutants.matrix import CAUGHT, NOT_TRIED, PASSED, Matrix
from grader.mutants.running import CAUGHT_VERDICTS, Verdicts, run_mutant, run_reference

Progress = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class Outcome:
    matrices: List[Matrix]  # by milestone; of those mutants that there is a program of
    unbuilt: Dict[str, str]  # by mutant id: why there is none


def run_experiment(
    kit: Kit, folder: Path, catalogue: Catalogue, wanted: Sequence[Mutant], jobs: int,
    progress: Progress,
) -> Outcome:  # fmt: skip
    """`folder`: of the build. `wanted`: some of the catalogue's mutants, or all."""
    programs = build_mutants(kit, folder, catalogue.mutants, wanted, jobs)
    matrices = []
    for milestone in LABS:
        mutants = [
            m for m in wanted if m.milestone == milestone.id and m.id not in programs.failures
        ]
        if mutants:
            bench = _Bench(kit, programs, catalogue, milestone.id, mutants)
            progress(f"{milestone.id}: {len(mutants)} mutants")
            matrices.append(bench.run(jobs))
    unbuilt = {m.id: programs.failures[m.id] for m in wanted if m.id in programs.failures}
    return Outcome(matrices, unbuilt)


class _Bench:
    """The mutants of one milestone."""

    def __init__(
        self, kit: Kit, programs: Programs, catalogue: Catalogue, milestone: str,
        mutants: Sequence[Mutant],
    ) -> None:  # fmt: skip
        self._kit = kit
        self._programs = programs
        self._milestone = milestone
        self._mutants = list(mutants)
        self._cases = case_names(kit, milestone)
        self._costly = catalogue.costly
        self._checks = list(dict.fromkeys(check for m in mutants for check in m.checks))
        self._times: Dict[str, float] = {}

    def run(self, jobs: int) -> Matrix:
        self._run_reference()
        # One more than there are cores, for a mutant that hangs uses none; a server mostly waits.
        runs = jobs * 2 if self._milestone == "m5" else jobs + 1
        with concurrent.futures.ThreadPoolExecutor(runs) as pool:
            verdicts = list(pool.map(self._run_mutant, self._mutants))
        tests = self._cases + self._checks
        rows = {
            mutant.id: {test: _mark(found, test) for test in tests}
            for mutant, found in zip(self._mutants, verdicts)
        }
        return Matrix(self._milestone, tests, self._mutants, rows)

    def _run_reference(self) -> None:
        program = self._programs.reference_tests(self._milestone)
        self._times = run_reference(program, self._cases)
        if self._checks:
            found = run_checks(self._kit, self._programs.reference_server, self._checks)
            bad = [check for check in self._checks if found.get(check) != "passed"]
            if bad:
                raise KitFailed(f"the reference's server does not pass: {', '.join(bad)}")

    def _run_mutant(self, mutant: Mutant) -> Verdicts:
        others = [
            case
            for case in self._cases
            if case not in mutant.cases and f"{mutant.milestone}.{case}" not in self._costly
        ]
        program = self._programs.tests_of(mutant)
        verdicts = run_mutant(program, mutant.cases, others, self._times)
        if mutant.checks:
            server = self._programs.server_of(mutant)
            verdicts.update(run_checks(self._kit, server, mutant.checks))
        return verdicts


def _mark(verdicts: Verdicts, test: str) -> str:
    if test not in verdicts:
        return NOT_TRIED
    return CAUGHT if verdicts[test] in CAUGHT_VERDICTS else PASSED


def case_names(kit: Kit, milestone: str) -> List[str]:
    [found] = [lab for lab in LABS if lab.id == milestone]
    return [case.name for case in read_cases(kit.cases_file(found))]
