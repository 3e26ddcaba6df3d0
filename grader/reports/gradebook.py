"""gradebook.csv: a line for each submission of a class.

Who has no grade has no points in it, not 0: the columns `status` and `reason` say why.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Dict, Iterable, List, Union

from grader.model import Status, number
from grader.reports.class_entry import Entry, Row, milestone_ids, rows, score_of
from grader.reports.view import is_suspicion

# What a spreadsheet takes for the beginning of a formula, also as wide letters and after blanks.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")

Cell = Union[str, int, float]


def gradebook(entries: Iterable[Entry]) -> str:
    made = rows(entries)
    milestones = milestone_ids(made)
    columns = ["submission", "score", "max", *milestones, "late_days", "late_points"]
    columns += ["status", "reason", "integrity", "findings", *(status.value for status in Status)]
    out = io.StringIO()
    # Text in quotes: where a spreadsheet splits at semicolons, a formula could follow one.
    quoting = csv.QUOTE_NONNUMERIC
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n", quoting=quoting)
    writer.writeheader()
    for row in made:
        writer.writerow({name: _cell(value) for name, value in _line(row, milestones).items()})
    return out.getvalue()


def _line(row: Row, milestones: List[str]) -> Dict[str, Cell]:
    line: Dict[str, Cell] = {"submission": row.name, "status": row.status, "reason": row.reason}
    if row.view is None:
        return line
    result = row.view.result
    line["integrity"] = sum(is_suspicion(finding) for finding in result.integrity)
    line["findings"] = len(result.integrity)
    for status in Status:
        line[status.value] = sum(test.status == status for test in result.tests)
    if not row.graded:
        return line
    line.update(score=number(result.score), max=number(result.max_score))
    for milestone in milestones:
        found = score_of(row.view, milestone)
        if found is not None:
            line[milestone] = number(found[0])
    line["late_days"] = result.late.days if result.late else 0
    line["late_points"] = number(result.late.points) if result.late else 0
    return line


def _cell(value: Cell) -> Cell:
    """Text that would be computed gets the apostrophe by which spreadsheets know text."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
