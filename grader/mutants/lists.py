"""Looks for contradictions in the lists of tests/mutants/, before anything is built."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterator, List, Sequence

from grader.mutants.manifest import OWN, Catalogue


def contradictions(
    catalogue: Catalogue, tests: Dict[str, Sequence[str]], folder: Path
) -> List[str]:
    """`tests`: all names that the manifest may use, by milestone."""
    found = [
        *_repeated(catalogue),
        *_unknown_names(catalogue, tests),
        *_faults_in_the_air(catalogue),
    ]
    listed = {mutant.patch for mutant in catalogue.mutants}
    for path in sorted(folder.glob("*/*.patch")):
        if path not in listed:
            found.append(f"{path.relative_to(folder)} is not in manifest.txt")
    return found


def _repeated(catalogue: Catalogue) -> Iterator[str]:
    ids = [mutant.id for mutant in catalogue.mutants]
    for id in sorted({id for id in ids if ids.count(id) > 1}):
        yield f"{id} is listed twice"


def _unknown_names(catalogue: Catalogue, tests: Dict[str, Sequence[str]]) -> Iterator[str]:
    for mutant in catalogue.mutants:
        if mutant.fault != OWN and mutant.fault not in catalogue.faults:
            yield f"{mutant.id}: there is no fault {mutant.fault} in faults.txt"
        for test in mutant.tests:
            if test not in tests.get(mutant.milestone, []):
                yield f"{mutant.id}: {mutant.milestone} has no test {test}"
    for id in sorted(catalogue.costly):
        milestone, _, name = id.partition(".")
        if name not in tests.get(milestone, []):
            yield f"costly.txt: there is no test {id}"


def _faults_in_the_air(catalogue: Catalogue) -> Iterator[str]:
    """Every fault has a mutant, or a reason why not."""
    covered = {mutant.fault for mutant in catalogue.mutants}
    for fault in catalogue.faults.values():
        if fault.impossible_because and fault.id in covered:
            yield f"fault {fault.id} has a mutant, though faults.txt says that it cannot exist"
        if not fault.impossible_because and fault.id not in covered:
            yield f"fault {fault.id} ({fault.title}) has no mutant, and no reason why not"
