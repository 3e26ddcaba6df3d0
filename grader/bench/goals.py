"""Whether the goals are met: each in each case, beside each peer that it names."""

from __future__ import annotations

import dataclasses
from typing import List, Sequence

from grader.bench.model import Bench, Case, Goal, Measured
from grader.bench.peers import OURS, title_of


@dataclasses.dataclass(frozen=True)
class Verdict:
    bench: str
    case: str
    goal: str  # in words
    value: float  # of what the goal is about
    met: bool


def verdicts(measured: Measured) -> List[Verdict]:
    found: List[Verdict] = []
    for goal in measured.bench.goals:
        if goal.first_case:
            found += _growth(measured, goal)
            continue
        for case in measured.bench.cases:
            found += _in_case(measured, case, goal)
    return found


def _in_case(measured: Measured, case: Case, goal: Goal) -> List[Verdict]:
    bench = measured.bench
    if not goal.beside:
        value = measured.median(case, OURS)
        text = f"at most {goal.limit:g} {bench.figure.title}"
        return [] if value is None else [_verdict(bench, case, text, value, goal)]
    found = []
    for who in goal.beside:
        ratio = measured.ratio(case, OURS, beside=who)
        if ratio is not None:
            text = f"{_bound(goal)} {title_of(who)}"
            found.append(_verdict(bench, case, text, ratio, goal))
    return found


def _growth(measured: Measured, goal: Goal) -> List[Verdict]:
    first, last = measured.bench.cases[0], measured.bench.cases[-1]
    begin, end = measured.median(first, OURS), measured.median(last, OURS)
    if not begin or end is None:
        return []
    text = f"{_bound(goal)} that of: {first.title}"
    return [_verdict(measured.bench, last, text, end / begin, goal)]


def _verdict(bench: Bench, case: Case, text: str, value: float, goal: Goal) -> Verdict:
    met = value < goal.limit if goal.below else value <= goal.limit
    return Verdict(bench.id, case.title, text, value, met)


def _bound(goal: Goal) -> str:
    if goal.below and goal.limit == 1:
        return "below"
    return f"{'below' if goal.below else 'at most'} {goal.limit:g} x"


def missed(found: Sequence[Verdict]) -> List[Verdict]:
    return [verdict for verdict in found if not verdict.met]


