"""grader/reports/gradebook.py: nobody is lost, nobody has a zero by mistake, no cell computes."""

from __future__ import annotations

import csv
import io
from typing import Dict, List

import pytest
from report_results import FORMULA, assert_harmless, hostile, late, machine_failed, usual

from grader.reports.class_entry import Entry
from grader.reports.gradebook import gradebook


def read_gradebook(entries: List[Entry]) -> List[Dict[str, str]]:
    text = gradebook(entries)
    assert "\r" not in text
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_gradebook_has_scores_and_counts() -> None:
    (row,) = read_gradebook([Entry("jo", late())])
    assert list(row) == [
        *("submission", "score", "max", "m1", "m2", "m3", "m4", "m5", "late_days", "late_points"),
        *("status", "reason", "integrity", "findings", "passed", "failed", "crashed", "timeout"),
        *("leaked", "early-exit", "not-implemented", "error"),
    ]
    assert list(row.values()) == [
        *("jo", "2.75", "6.25", "1.5", "2", "", "", "", "1", "0.75"),
        *("graded", "", "1", "2", "2", "1", "1", "1", "1", "1", "1", "0"),
    ]


def test_who_has_no_grade_has_no_zero() -> None:
    entries = [Entry("b", machine_failed()), Entry("c", None, "an empty archive")]
    lost, broken = read_gradebook(entries)
    assert (lost["score"], lost["m1"], lost["status"]) == ("", "", "machine failure")
    assert lost["reason"] == "1 of 8 tests have no verdict: a keeper was lost"
    assert (broken["score"], broken["status"]) == ("", "not graded")
    assert broken["reason"] == "an empty archive"


def test_the_order_is_by_name_whatever_came_first() -> None:
    names = ["b", "A", "Ä", "a", "J\udcf6rg", "10", "9"]
    entries = [Entry(name, usual()) for name in names]
    assert gradebook(entries) == gradebook(entries[::-1])
    assert [row["submission"] for row in read_gradebook(entries)] == [
        *("10", "9", "A", "a", "b", "J\\xf6rg", "Ä"),
    ]


@pytest.mark.parametrize(
    "name", [FORMULA, "+1", "-1", "@SUM(A1)", "\t=1", "\n=1", "\uff1d1", " =1"]
)
def test_no_cell_is_a_formula(name: str) -> None:
    (row,) = read_gradebook([Entry(name, None, name)])
    assert row["submission"][0] == "'" and row["reason"][0] == "'"


def test_a_semicolon_ends_no_cell() -> None:
    """In a country where spreadsheets split at semicolons, too."""
    assert '"jo;=1+1"' in gradebook([Entry("jo;=1+1", usual())])


def test_a_hostile_result_does_no_harm() -> None:
    entries = [Entry(hostile().submission, hostile())]
    (row,) = read_gradebook(entries)
    assert row["submission"].startswith("'=cmd") and "\n" not in row["submission"]
    assert_harmless(gradebook(entries))
