"""The HTML page of a class, for the instructor."""

from __future__ import annotations

import dataclasses
import os
import statistics
import urllib.parse
from typing import Callable, Dict, Iterable, List, Sequence, Tuple

from grader.model import Finding, Status, TestResult
from grader.report_terminal import points
from grader.reports.class_entry import Entry, Row, milestone_ids, rows, score_of
from grader.reports.safe_text import safe_line
from grader.reports.shared_code import Shared, pairs
from grader.reports.templates import render
from grader.reports.view import is_suspicion
from grader.reports.wording import otherwise

_BINS = 10
_FAILING_SHOWN = 15


@dataclasses.dataclass(frozen=True)
class _Bar:
    label: str
    count: int
    x: int
    y: int
    height: int

    @property
    def middle(self) -> int:
        return self.x + 27


@dataclasses.dataclass(frozen=True)
class _MilestoneFigures:
    name: str
    maximum: str
    mean: str
    median: str
    full: str
    none: str
    percent: str


@dataclasses.dataclass(frozen=True)
class _FailingTest:
    id: str
    title: str
    count: int
    share: str
    otherwise: str
    percent: str


@dataclasses.dataclass(frozen=True)
class _Line:
    name: str
    link: str
    score: str
    scores: List[str]
    late: str
    suspicions: int
    otherwise: str


@dataclasses.dataclass(frozen=True)
class _Report:
    name: str
    link: str
    findings: List[Finding]


def class_page(
    entries: Iterable[Entry], shared: Iterable[Shared] = (), title: str = "Class"
) -> str:
    made = rows(entries)
    graded = [row for row in made if row.graded]
    ids = milestone_ids(made)
    scores = [row.view.result.score for row in graded if row.view is not None]
    failing = _failing_tests(graded)
    bars = _histogram(graded)
    said = ", ".join(f"{bar.label}: {bar.count}" for bar in bars)
    page = {
        "title": safe_line(title),
        "figures": _figures(made, scores),
        "not_graded": [(r.name, _link(r), r.status, r.reason) for r in made if not r.graded],
        "bars": bars,
        "histogram_said": f"Submissions by percent of all points: {said}",
        "ticks": [{"x": 10 + 62 * i, "percent": i * 100 // _BINS} for i in range(_BINS + 1)],
        "milestones": _milestones(graded, ids),
        "failing": failing[:_FAILING_SHOWN],
        "failing_more": failing[_FAILING_SHOWN:],
        "ids": ids,
        "by_name": [_line(row, ids) for row in graded],
        "by_score": [_line(row, ids) for row in sorted(graded, key=_minus_score)],
        "suspicions": _reports(made, is_suspicion),
        "findings": _reports(made, lambda finding: not is_suspicion(finding)),
        "shared": pairs(shared),
    }
    return render("class.html.j2", page)


def _figures(made: Sequence[Row], scores: Sequence[float]) -> List[Tuple[str, str]]:
    figures = [("submissions", str(len(made))), ("graded", str(len(scores)))]
    if scores:
        figures.append(("mean", points(statistics.fmean(scores))))
        figures.append(("median", points(statistics.median(scores))))
        figures.append(("lowest", points(min(scores))))
        figures.append(("highest", points(max(scores))))
    return figures


def _minus_score(row: Row) -> float:
    return -row.view.result.score if row.view is not None else 0.0


def _histogram(graded: Sequence[Row]) -> List[_Bar]:
    """Of scores in percent of the maximum; the last bar has those with all points, too."""
    counts = [0] * _BINS
    for row in graded:
        result = row.view.result if row.view is not None else None
        if result is not None and result.max_score:
            share = result.score / result.max_score
            counts[min(_BINS - 1, int(share * _BINS + 1e-9))] += 1
    highest = max([1, *counts])
    bars: List[_Bar] = []
    for i, count in enumerate(counts):
        height = round(150 * count / highest)
        end = (i + 1) * 100 // _BINS - (i < _BINS - 1)
        label = f"{i * 100 // _BINS}–{end}"
        bars.append(_Bar(label, count, x=14 + 62 * i, y=180 - height, height=height))
    return bars


def _milestones(graded: Sequence[Row], ids: Sequence[str]) -> List[_MilestoneFigures]:
    made: List[_MilestoneFigures] = []
    for id in ids:
        found = [score_of(row.view, id) for row in graded if row.view is not None]
        pairs = [pair for pair in found if pair is not None]
        if not pairs:
            continue
        scores = [score for score, _ in pairs]
        maximum = max(most for _, most in pairs)
        mean = statistics.fmean(scores)
        made.append(
            _MilestoneFigures(
                name=f"{id} {_title(graded, id)}",
                maximum=points(maximum),
                mean=points(mean),
                median=points(statistics.median(scores)),
                full=str(sum(score >= most for score, most in pairs)),
                none=str(scores.count(0)),
                percent=_percent(mean, maximum),
            )
        )
    return made


def _title(graded: Sequence[Row], id: str) -> str:
    results = [row.view.result for row in graded if row.view is not None]
    titles = {m.id: m.title for result in results for m in result.milestones}
    extra = {lab.id: f"{lab.title} (extra)" for result in results for lab in result.extra}
    return {**extra, **titles}[id]


def _failing_tests(graded: Sequence[Row]) -> List[_FailingTest]:
    """The tests that not all pass, those that fail most first."""
    tests: Dict[str, List[TestResult]] = {}
    for row in graded:
        for test in row.view.result.tests if row.view is not None else ():
            tests.setdefault(test.id, []).append(test)
    made: List[_FailingTest] = []
    for id, results in tests.items():
        bad = sum(test.status != Status.PASSED for test in results)
        if bad:
            share = f"{bad} of {len(results)}"
            percent = _percent(bad, len(results))
            told = otherwise(results)
            made.append(_FailingTest(id, results[0].title, bad, share, told, percent))
    return sorted(made, key=lambda test: (-test.count, test.id))


def _line(row: Row, ids: Sequence[str]) -> _Line:
    assert row.view is not None  # it is graded
    result = row.view.result
    scores = [score_of(row.view, id) for id in ids]
    return _Line(
        name=row.name,
        link=_link(row),
        score=points(result.score),
        scores=[points(score[0]) if score else "–" for score in scores],
        late=f"−{points(result.late.points)}" if result.late else "",
        suspicions=sum(is_suspicion(finding) for finding in result.integrity),
        otherwise=otherwise(result.tests),
    )


def _reports(made: Sequence[Row], wanted: Callable[[Finding], bool]) -> List[_Report]:
    reports: List[_Report] = []
    for row in made:
        found = row.view.result.integrity if row.view is not None else []
        found = [finding for finding in found if wanted(finding)]
        if found:
            reports.append(_Report(row.name, _link(row), found))
    return reports


def _link(row: Row) -> str:
    """A path, whatever it looks like: a colon could make `javascript:` of it."""
    return urllib.parse.quote(os.fsencode(row.page), safe="/") if row.page else ""


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else "0"
