"""Which test caught which mutant, and what the rules say of that."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Sequence

from grader.mutants.manifest import Mutant

CAUGHT, PASSED, NOT_TRIED = "x", ".", "-"

Row = Dict[str, str]  # by test: one of those marks


@dataclasses.dataclass
class Matrix:
    """Of one milestone."""

    milestone: str
    tests: List[str]  # in the order of the lab; end-to-end checks, if any mutant names them, last
    mutants: List[Mutant]
    rows: Dict[str, Row]  # by mutant id

    def tests_that_caught(self, mutant: Mutant) -> List[str]:
        row = self.rows[mutant.id]
        return [test for test in self.tests if row[test] == CAUGHT]

    def caught_by(self, test: str) -> List[Mutant]:
        return [mutant for mutant in self.mutants if self.rows[mutant.id][test] == CAUGHT]

    def survivors(self) -> List[Mutant]:
        return [mutant for mutant in self.mutants if not self.tests_that_caught(mutant)]

    def caught_by_one_alone(self) -> List[Mutant]:
        return [mutant for mutant in self.mutants if len(self.tests_that_caught(mutant)) == 1]

    def weakest(self) -> List[str]:
        """The tests that catch fewest."""
        counts = {test: len(self.caught_by(test)) for test in self.tests}
        return [test for test, count in counts.items() if count == min(counts.values())]


def problems(matrix: Matrix) -> List[str]:
    """Mutants that survive, or are not caught by whom the manifest says."""
    found = []
    for mutant in matrix.mutants:
        caught = matrix.tests_that_caught(mutant)
        if not caught:
            found.append(f"{mutant.id} survives: {mutant.sentence}")
        else:
            missed = [test for test in mutant.tests if test not in caught]
            found += [f"{mutant.id} is not caught by {test}: {mutant.sentence}" for test in missed]
    return found


def idle_tests(matrix: Matrix) -> List[str]:
    """Tests that catch no mutant: nothing shows that they are good for anything."""
    return [test for test in matrix.tests if not matrix.caught_by(test)]


def matrix_lines(matrix: Matrix) -> List[str]:
    """One row a mutant, one column a test. The columns are numbered from above: units, tens below."""
    width = max((len(mutant.name) for mutant in matrix.mutants), default=0)
    numbers = [f"{number:2d}" for number in range(1, len(matrix.tests) + 1)]
    head = [" " * (width + 2) + "".join(number[digit] for number in numbers) for digit in (0, 1)]
    rows = [
        f"{mutant.name:{width}}  " + "".join(matrix.rows[mutant.id][t] for t in matrix.tests)
        for mutant in matrix.mutants
    ]
    return head + rows


def parse_matrix_lines(lines: Sequence[str], tests: Sequence[str]) -> Dict[str, Row]:
    """By the mutant's name: the inverse of matrix_lines, for rows that have as many columns."""
    rows: Dict[str, Row] = {}
    for line in lines:
        words = line.split()
        if len(words) == 2 and len(words[1]) == len(tests):
            rows[words[0]] = dict(zip(tests, words[1]))
    return rows
