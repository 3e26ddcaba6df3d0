"""Which test caught which mutant, and what the rules say of that."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Sequence, Set

from grader.mutants.manifest import Mutant


@dataclasses.dataclass
class Matrix:
    """Of one milestone."""

    milestone: str
    tests: List[str]  # in the order of the lab; end-to-end checks, if any mutant names them, last
    mutants: List[Mutant]
    kills: Dict[str, Set[str]]  # by mutant id: the tests that caught it

    def kills_of(self, test: str) -> List[Mutant]:
        return [mutant for mutant in self.mutants if test in self.kills[mutant.id]]

    def caught(self) -> List[Mutant]:
        return [mutant for mutant in self.mutants if self.kills[mutant.id]]

    def caught_by_one(self) -> List[Mutant]:
        return [mutant for mutant in self.mutants if len(self.kills[mutant.id]) == 1]

    def weakest(self) -> List[str]:
        """The tests with the fewest kills."""
        counts = {test: len(self.kills_of(test)) for test in self.tests}
        least = min(counts.values(), default=0)
        return [test for test, count in counts.items() if count == least]


def survivors(matrix: Matrix) -> List[str]:
    return [
        f"{mutant.id} survives: {mutant.sentence}"
        for mutant in matrix.mutants
        if not matrix.kills[mutant.id]
    ]


def missed(matrix: Matrix) -> List[str]:
    """Tests that the manifest names, and that let their mutant pass."""
    return [
        f"{mutant.id} is not caught by {test}"
        for mutant in matrix.mutants
        if matrix.kills[mutant.id]
        for test in mutant.tests
        if test not in matrix.kills[mutant.id]
    ]


def idle_tests(matrix: Matrix) -> List[str]:
    """Tests without which every mutant would be caught as well: nothing shows that they work."""
    return [
        f"{matrix.milestone}.{test} catches no mutant"
        for test in matrix.tests
        if not matrix.kills_of(test)
    ]


def matrix_lines(matrix: Matrix) -> List[str]:
    """One row a mutant, one column a test: x where it is caught. The columns are numbered above."""
    width = max((len(mutant.name) for mutant in matrix.mutants), default=0)
    numbers = [f"{number:3d}" for number in range(1, len(matrix.tests) + 1)]
    lines = [
        (" " * (width + 2) + "".join(number[digit] for number in numbers)).rstrip()
        for digit in range(3)
    ]
    for mutant in matrix.mutants:
        row = "".join("x" if test in matrix.kills[mutant.id] else "." for test in matrix.tests)
        lines.append(f"{mutant.name:{width}}  {row}")
    return [line for line in lines if line]


def parse_matrix_lines(lines: Sequence[str], tests: Sequence[str]) -> Dict[str, Set[str]]:
    """By the mutant's name: the inverse of matrix_lines, for rows that have as many columns."""
    kills: Dict[str, Set[str]] = {}
    for line in lines:
        words = line.split()
        if len(words) == 2 and len(words[1]) == len(tests) and set(words[1]) <= {"x", "."}:
            kills[words[0]] = {test for test, mark in zip(tests, words[1]) if mark == "x"}
    return kills
