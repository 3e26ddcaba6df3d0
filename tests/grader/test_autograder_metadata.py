"""When a submission was due, from what Gradescope tells."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any, Dict, Optional

import pytest

from grader.autograder.metadata import Metadata, read_metadata
from grader.rubric import LatePolicy


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


METADATA: Dict[str, Any] = {
    "created_at": "2027-01-16T14:22:32.365935-07:00",
    "assignment": {"due_date": "2027-01-15T23:00:00.000000-07:00", "late_due_date": None},
    "users": [{"email": "student@example.com", "id": 1, "name": "Student"}],
}


NO_DATE = {"created_at": METADATA["created_at"]}


def extended(*dates: Optional[str]) -> Dict[str, Any]:
    users = [{"id": 1, "assignment": {"due_date": date}} for date in dates]
    return {**METADATA, "users": users}


@pytest.mark.parametrize(
    "data, rubrics, due",
    [
        (METADATA, "2027-01-20T00:00:00+00:00", "2027-01-20T00:00:00+00:00"),
        (METADATA, None, "2027-01-15T23:00:00-07:00"),
        (extended("2027-01-18T23:00:00-07:00"), None, "2027-01-18T23:00:00-07:00"),
        (extended(None, "2027-01-17T00:00:00Z"), None, "2027-01-17T00:00:00+00:00"),
        (NO_DATE, "2027-01-20T00:00:00+00:00", "2027-01-20T00:00:00+00:00"),
        (NO_DATE, None, None),
    ],
)
def test_the_later_due_date_counts(
    tmp_path: Path, data: Any, rubrics: Optional[str], due: Optional[str]
) -> None:
    (tmp_path / "m.json").write_text(json.dumps(data), encoding="utf-8")
    policy = LatePolicy(10, at(rubrics) if rubrics else None, datetime.timedelta())
    assert read_metadata(tmp_path / "m.json").policy(policy).due == (at(due) if due else None)


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"created_at": 7}', '{"created_at": "2027-01-16T00:00:00"}', "{}"]
)
def test_metadata_that_cannot_be_read_costs_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text, encoding="utf-8")
    told = read_metadata(tmp_path / "m.json")
    assert (told.submitted, told.due) == (None, None) and told.problem.startswith("m.json: ")
    assert read_metadata(tmp_path / "nowhere").problem != ""
    assert Metadata().problem == ""
