"""What a bench is, and what was measured: all tables, plots and pages are made from these."""

from __future__ import annotations

import dataclasses
import statistics
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

from grader.bench.peers import OURS

Sample = Mapping[str, float]  # of one run: figures by name


@dataclasses.dataclass(frozen=True)
class Program:
    """A program that repeats something, and prints what one of them costs."""

    arguments: Tuple[str, ...]  # "{count}": how often, so that a run takes a good while
    least: int = 1
    most: int = 100_000_000
    each: int = 1  # operations for a count of one
    cores: int = 1  # on which it may run

    @property
    def is_scaled(self) -> bool:
        return "{count}" in self.arguments


@dataclasses.dataclass(frozen=True)
class Load:
    """What an echo server is asked, for how long: see tests/bench/load/main.c."""

    mode: str
    connections: int
    workers: int = 1
    size: int = 64
    milliseconds: int = 500
    pause: int = 0
    threads: int = 1  # of our server


@dataclasses.dataclass(frozen=True)
class Case:
    title: str
    work: Union[Program, Load]
    x: Optional[float] = None  # where it is in a plot, if the cases are points of a curve
    without: Mapping[str, str] = dataclasses.field(default_factory=dict)  # who is left out, and why
    memory: Mapping[str, int] = dataclasses.field(default_factory=dict)  # bytes that a peer needs
    once: Sequence[str] = ()  # who takes part in the first round only, with the least work: it takes long


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str  # in a sample
    title: str
    more_is_better: bool = False


@dataclasses.dataclass(frozen=True)
class Bench:
    id: str
    title: str
    figure: Figure  # what is compared
    cases: Tuple[Case, ...]
    who: Tuple[str, ...]
    goals: Tuple["Goal", ...] = ()
    more_figures: Tuple[Figure, ...] = ()
    rounds: Optional[int] = None  # fewer than asked for, where one takes long


@dataclasses.dataclass(frozen=True)
class Goal:
    """Ours is at most `limit` times `beside` (nobody: `limit` itself), in each case."""

    limit: float
    beside: Tuple[str, ...] = ()
    below: bool = False  # less than that, and not equal
    first_case: bool = False  # the last case beside the first one, of ours alone


@dataclasses.dataclass
class Measured:
    """One bench, after its rounds."""

    bench: Bench
    samples: Dict[Tuple[str, str], List[Sample]] = dataclasses.field(default_factory=dict)
    left_out: List[Tuple[str, str, str]] = dataclasses.field(default_factory=list)

    def add(self, case: Case, who: str, sample: Sample) -> None:
        self.samples.setdefault((case.title, who), []).append(sample)

    def leave_out(self, case: Case, who: str, why: str) -> None:
        """Of this case; what was measured of it does not count either."""
        self.left_out.append((case.title, who, why))
        self.samples.pop((case.title, who), None)

    def is_out(self, case: Case, who: str) -> bool:
        return (case.title, who) in {(title, name) for title, name, _ in self.left_out}

    @property
    def who(self) -> List[str]:
        """Those of whom there is anything."""
        present = {who for _, who in self.samples}
        return [who for who in self.bench.who if who in present]

    def values(self, case: Case, who: str, figure: Optional[Figure] = None) -> List[float]:
        name = (figure or self.bench.figure).name
        return [sample[name] for sample in self.samples.get((case.title, who), [])]

    def median(self, case: Case, who: str, figure: Optional[Figure] = None) -> Optional[float]:
        values = self.values(case, who, figure)
        return statistics.median(values) if values else None

    def ratio(self, case: Case, who: str, beside: str = OURS) -> Optional[float]:
        """Of `who` to `beside`: the median of the rounds' ratios, for in a round both met the same
        machine."""
        pairs = list(zip(self.values(case, who), self.values(case, beside)))
        return statistics.median(a / b for a, b in pairs if b) if pairs else None


def figures_of(bench: Bench) -> Sequence[Figure]:
    return (bench.figure, *bench.more_figures)
