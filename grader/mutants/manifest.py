"""tests/mutants/: which mutants there are, and which faults they stand for.

manifest.txt has one mutant a line:

    milestone  name  fault  tests that must catch it ...

The fault is a row of faults.txt, or "own". A test is a case of the milestone's cases.def, or, in
milestone 5, an end-to-end check: e2e.NAME. The patch is m1/NAME.patch; its first line is a sentence
that says what is wrong, and a line of it names the file: --- a/m1-task/task.c

faults.txt has one fault a line: number, what it is, and, if this design has no place for it, why.

    1-01 | the body runs when the task is created
    2-20 | a stale "current task" | nobody asks for the current task

costly.txt names cases that run only for the mutants that name them.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Dict, FrozenSet, Iterator, List, Tuple

from grader.exit_codes import KitFailed

OWN = "own"
END_TO_END = "e2e."


@dataclasses.dataclass(frozen=True)
class Mutant:
    milestone: str  # "m1"
    name: str
    fault: str  # a row of faults.txt, or OWN
    tests: Tuple[str, ...]  # that must catch it
    patch: Path

    @property
    def id(self) -> str:
        return f"{self.milestone}.{self.name}"

    @property
    def sentence(self) -> str:
        """What is wrong with it."""
        return self.patch.read_text(encoding="utf-8").splitlines()[0]

    @property
    def source(self) -> str:
        """The file of the reference that it changes: m1-task/task.c."""
        for line in self.patch.read_text(encoding="utf-8").splitlines():
            if line.startswith("--- a/"):
                return line[len("--- a/") :].strip()
        raise KitFailed(f"{self.patch} names no file: it has no line --- a/...")

    @property
    def cases(self) -> List[str]:
        """The C cases among its tests."""
        return [test for test in self.tests if not test.startswith(END_TO_END)]

    @property
    def checks(self) -> List[str]:
        """The end-to-end checks among its tests."""
        return [test for test in self.tests if test.startswith(END_TO_END)]


@dataclasses.dataclass(frozen=True)
class Fault:
    id: str
    title: str
    impossible_because: str  # empty: it can exist


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """All of tests/mutants/."""

    mutants: List[Mutant]
    faults: Dict[str, Fault]
    costly: FrozenSet[str]  # ids of cases: m2.long_chain_runs


def read_catalogue(folder: Path) -> Catalogue:
    costly = frozenset(line.strip() for _, line in _lines(folder / "costly.txt"))
    return Catalogue(_read_mutants(folder), _read_faults(folder), costly)


def _read_mutants(folder: Path) -> List[Mutant]:
    mutants: List[Mutant] = []
    for where, line in _lines(folder / "manifest.txt"):
        words = line.split()
        if len(words) < 4:
            raise KitFailed(f"{where}: not milestone, name, fault, and at least one test")
        patch = folder / words[0] / f"{words[1]}.patch"
        if not patch.is_file():
            raise KitFailed(f"{where}: there is no {patch}")
        mutants.append(Mutant(words[0], words[1], words[2], tuple(words[3:]), patch))
    return mutants


def _read_faults(folder: Path) -> Dict[str, Fault]:
    faults: Dict[str, Fault] = {}
    for where, line in _lines(folder / "faults.txt"):
        columns = [column.strip() for column in line.split("|")]
        if len(columns) not in (2, 3) or columns[0] in faults:
            raise KitFailed(f"{where}: not number | fault [| why it cannot exist], or there twice")
        faults[columns[0]] = Fault(columns[0], columns[1], columns[2] if columns[2:] else "")
    return faults


def _lines(path: Path) -> Iterator[Tuple[str, str]]:
    """Where and what: without comments and empty lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise KitFailed(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield f"{path}:{number}", line
