"""`./lab status`: how far a student has come, from the results that `./lab test` has kept."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional

from rich.console import Console
from rich.markup import escape

from grader.check_list import read_checks
from grader.handout_order import in_handout_order
from grader.kept_progress import KeptProgress, KeptResult, digests_of
from grader.kit import MILESTONES, Kit, Milestone
from grader.model import Status
from grader.plan import Plan, PlannedTest, make_plan
from grader.report_terminal import points

_BAR = 20


@dataclasses.dataclass(frozen=True)
class Standing:
    """Where a milestone or an optional lab stands."""

    milestone: Milestone
    tests: List[PlannedTest]  # in the order of the handout
    results: Dict[str, KeptResult]  # those of its tests, as they were kept
    changed: List[str]  # ids of results that are of other files than the ones here now

    @property
    def points(self) -> float:
        return sum(result.points for result in self.results.values())

    @property
    def passed(self) -> int:
        return sum(result.status == Status.PASSED for result in self.results.values())

    @property
    def is_done(self) -> bool:
        return self.passed == len(self.tests) and not self.changed

    @property
    def is_begun(self) -> bool:
        """Something was tried that is more than a stub."""
        return any(r.status != Status.NOT_IMPLEMENTED for r in self.results.values())

    @property
    def note(self) -> str:
        if not self.results:
            return "not tested yet"
        if self.changed:
            what = "all" if len(self.changed) == len(self.results) else str(len(self.changed))
            return f"changed since ({what} of the results)"
        if self.is_done:
            return "done"
        missing = len(self.tests) - len(self.results)
        return f"{missing} not tested yet" if missing else ""

    def next_test(self) -> Optional[PlannedTest]:
        """The first that has not passed when it was tried last."""
        for test in self.tests:
            if test.id in self.results and self.results[test.id].status != Status.PASSED:
                return test
        return None


def standings(kit: Kit) -> List[Standing]:
    """Of the milestones, and of the optional labs that were begun."""
    plan: Plan = make_plan(kit, read_checks(kit))
    kept = KeptProgress(kit).results()
    digests = {base: digests_of(kit.milestones, base) for base in ("own", "reference")}
    found = []
    for milestone in kit.labs:
        tests = in_handout_order(kit, milestone, plan.milestones[milestone.id])
        results = {test.id: kept[test.id] for test in tests if test.id in kept}
        changed = [
            test.id
            for test in tests
            if test.id in results
            and digests.get(results[test.id].base, {}).get(test.group) != results[test.id].files
        ]
        standing = Standing(milestone, tests, results, changed)
        if milestone in MILESTONES or standing.is_begun:
            found.append(standing)
    return found


def print_status(console: Console, kit: Kit) -> None:
    every = standings(kit)
    found = [standing for standing in every if standing.milestone in MILESTONES]
    for standing in found:
        console.print(_line(standing), soft_wrap=True)
    total = sum(standing.points for standing in found)
    whole = sum(standing.milestone.max_score for standing in found)
    console.print(f"{'':16} {'':{_BAR + 2}} {points(total):>6} / {points(whole)} points")
    for standing in every[len(found) :]:
        console.print(f"{_line(standing)}  (extra, not in the sum)", soft_wrap=True)
    for line in _what_next(found):
        console.print(escape(line), soft_wrap=True)


def _line(standing: Standing) -> str:
    milestone = standing.milestone
    filled = int(_BAR * standing.points / milestone.max_score)
    bar = escape(f"[{'#' * filled}{'-' * (_BAR - filled)}]")
    score = f"{points(standing.points):>6} / {points(milestone.max_score)}"
    counted = f"{standing.passed:>3} of {len(standing.tests)} tests"
    return f"{milestone.id} {milestone.title:13} {bar} {score}  {counted}  {standing.note}".rstrip()


def _what_next(found: List[Standing]) -> List[str]:
    for standing in found:
        milestone = standing.milestone
        if standing.is_done:
            continue
        if standing.changed or not standing.results:
            why = "its file has changed" if standing.changed else "it was not tested yet"
            return [f"next: ./lab test {milestone.id}  ({why})", _where(milestone)]
        test = standing.next_test()
        if test is None:
            return [f"next: ./lab test {milestone.id}  (not all of it was tested)"]
        status = standing.results[test.id].status.value
        return [
            f"next: {test.id}: {test.title}  ({status})",
            f"      ./lab test {test.id}    ./lab hint {test.id}",
            _where(milestone),
        ]
    return ["All done. ./lab submit makes the file to hand in."]


def _where(milestone: Milestone) -> str:
    return f"      you write milestones/{milestone.path}; read README.md beside it"
