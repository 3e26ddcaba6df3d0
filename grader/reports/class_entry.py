"""A class, as the gradebook and the class page take it: its submissions, always in one order."""

from __future__ import annotations

import dataclasses
from typing import Iterable, List, Optional, Sequence, Tuple

from grader.kit import MILESTONES
from grader.model import Result
from grader.reports.safe_text import safe_line
from grader.reports.view import View, instructor_view


@dataclasses.dataclass(frozen=True)
class Entry:
    """One submission, and its result or why there is none."""

    name: str  # in any encoding: undecodable bytes as surrogates, as in the names of files
    result: Optional[Result] = None
    not_graded: str = ""  # if there is no result: there was nothing to grade
    page: str = ""  # where its page is, from the class page


@dataclasses.dataclass(frozen=True)
class Row:
    """An entry, ready to be shown."""

    name: str
    page: str
    view: Optional[View]
    status: str  # graded, not graded, machine failure
    reason: str

    @property
    def graded(self) -> bool:
        return self.status == "graded"


def rows(entries: Iterable[Entry]) -> List[Row]:
    """By name; no order of grading changes it."""
    made = [_row(entry) for entry in entries]
    return sorted(made, key=lambda row: (row.name.casefold(), row.name, row.page))


def _row(entry: Entry) -> Row:
    name = safe_line(entry.name) or "(no name)"
    if entry.result is None:
        return Row(name, entry.page, None, "not graded", safe_line(entry.not_graded))
    view = instructor_view(entry.result)
    status = "machine failure" if view.no_grade else "graded"
    return Row(name, entry.page, view, status, view.no_grade)


def milestone_ids(of: Sequence[Row]) -> List[str]:
    """The lab's own, and what else was graded: optional labs."""
    known = [milestone.id for milestone in MILESTONES]
    results = [row.view.result for row in of if row.view is not None]
    seen = {m.id for result in results for m in (*result.milestones, *result.extra)}
    return known + sorted(seen.difference(known))


def score_of(view: View, milestone: str) -> Optional[Tuple[float, float]]:
    """Score and maximum; None: not in this result."""
    for m in (*view.result.milestones, *view.result.extra):
        if m.id == milestone:
            return m.score, m.max_score
    return None
