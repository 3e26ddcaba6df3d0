"""The record of a run, as JSON: every sample, so that anything can be computed again."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Sequence

from grader.bench.goals import verdicts
from grader.bench.model import Measured, figures_of
from grader.bench.peers import title_of

SCHEMA = "lab-bench/1"


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What a run was made on, with, and how."""

    machine: Dict[str, str]
    versions: Dict[str, str]
    missing: Dict[str, str]  # peers that are not installed, and their packages
    rounds: int
    connections: int  # the most that the limit of descriptors allows
    load_before: float  # the machine's, when the run began
    seconds: float


def to_json(around: Surroundings, measured: Sequence[Measured]) -> Dict[str, Any]:
    return {
        "schema": SCHEMA,
        **dataclasses.asdict(around),
        "benches": [_bench(one) for one in measured],
        "goals": [dataclasses.asdict(verdict) for one in measured for verdict in verdicts(one)],
    }


def _bench(measured: Measured) -> Dict[str, Any]:
    bench = measured.bench
    return {
        "id": bench.id,
        "title": bench.title,
        "figures": {figure.name: figure.title for figure in figures_of(bench)},
        "compared": bench.figure.name,
        "cases": [
            {
                "title": case.title,
                "who": {
                    who: {
                        "title": title_of(who),
                        "median": measured.median(case, who),
                        "ratio_to_ours": measured.ratio(case, who),
                        "samples": measured.samples[case.title, who],
                    }
                    for who in measured.who
                    if (case.title, who) in measured.samples
                },
            }
            for case in bench.cases
        ],
        "left_out": [
            {"case": case, "who": who, "why": why} for case, who, why in measured.left_out
        ],
    }
