"""grader/reports/classroom50.py and autolab.py: points as those systems take them."""

from __future__ import annotations

import json
from typing import Any, Dict

import pytest
from report_results import assert_harmless, case, hostile, late, machine_failed, secretive, usual

from grader.exit_codes import KitFailed, WrongUse
from grader.model import MilestoneResult, Result, Status
from grader.reports.autolab import autolab
from grader.reports.classroom50 import Occasion, classroom50, occasion
from grader.reports.view import instructor_view, student_view

RUNNER = {
    "CLASSROOM": "os27",
    "ASSIGNMENT": "lab",
    "USERNAME": "jo",
    "SUBMISSION_TAG": "submit/2027-01-15T22-00-00Z-abc1234",
    "COMMIT_URL": "https://example.org/c",
    "RELEASE_URL": "https://example.org/r",
}
NOW = "2027-01-15T22:00:00Z"


def check_classroom50(result: Result) -> Dict[str, Any]:
    data: Dict[str, Any] = json.loads(classroom50(student_view(result), occasion(RUNNER), NOW))
    assert set(data) == {
        *("schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit"),
        *("release", "review", "datetime", "score", "max-score", "tests"),
    }
    assert data["schema"] == "classroom50/result/v1"
    for test in data["tests"]:
        assert type(test["score"]) is type(test["max-score"]) is int
        assert type(test["passed"]) is bool
        assert 0 <= test["score"] <= test["max-score"] and test["test-name"]
    assert type(data["score"]) is type(data["max-score"]) is int
    assert 0 <= data["score"] <= data["max-score"]
    assert data["max-score"] == sum(test["max-score"] for test in data["tests"])
    return data


def test_classroom50_counts_in_quarters_if_there_are_quarters() -> None:
    data = check_classroom50(usual())
    assert (data["score"], data["max-score"]) == (14, 25)  # 3.5 of 6.25
    assert [test["max-score"] for test in data["tests"]] == [6, 2, 1, 8, 2, 2, 2, 2]
    assert data["score"] == sum(test["score"] for test in data["tests"])
    assert "actual:   B A" in data["tests"][1]["output"]


def test_classroom50_counts_in_points_if_all_are_whole() -> None:
    tests = [case("m1.a"), case("m1.b")]
    data = check_classroom50(Result("jo", [MilestoneResult("m1", "Task", tests)]))
    assert (data["score"], data["max-score"]) == (2, 2)


def test_classroom50_sums_are_right_with_odd_weights() -> None:
    tests = [case(f"m1.t{i}", maximum=20 / 69) for i in range(69)]
    tests[3] = case("m1.t3", Status.FAILED, 20 / 69)
    data = check_classroom50(Result("jo", [MilestoneResult("m1", "Task", tests)]))
    assert data["max-score"] == 2000
    assert {test["max-score"] for test in data["tests"]} == {28, 29}
    assert data["score"] == 2000 - data["tests"][3]["max-score"]


def test_classroom50_takes_off_what_lateness_costs() -> None:
    assert check_classroom50(late())["score"] == 14 - 3  # quarters


def test_classroom50_has_nothing_hidden() -> None:
    data = check_classroom50(secretive())
    assert [test["test-name"].split(":")[0] for test in data["tests"]] == ["m1.open", "m1.open_too"]
    assert data["max-score"] == 4


def test_classroom50_has_no_file_if_the_machine_failed() -> None:
    with pytest.raises(KitFailed, match="machine"):
        classroom50(student_view(machine_failed()), occasion(RUNNER), NOW)


def test_classroom50_needs_its_runner() -> None:
    with pytest.raises(WrongUse, match="COMMIT_URL is not set"):
        occasion({**RUNNER, "COMMIT_URL": ""})
    group = {"ASSIGNMENT_TYPE": "group", "OWNER": "al", "REVIEW_URL": "https://x"}
    told = occasion({**RUNNER, **group})
    assert (told.assignment_type, told.owner, told.review) == ("group", "al", "https://x")
    assert occasion(RUNNER) == Occasion(
        *("os27", "lab", "individual", "jo", RUNNER["SUBMISSION_TAG"], RUNNER["COMMIT_URL"]),
        *(RUNNER["RELEASE_URL"], RUNNER["COMMIT_URL"]),
    )


def test_autolab_has_one_line_of_json() -> None:
    line = autolab(instructor_view(late()))
    assert line.count("\n") == 1 and line.endswith("\n")
    assert json.loads(line) == {"scores": {"m1": 1.5, "m2": 2}, "scoreboard": [2.75]}


def test_autolab_gets_no_score_if_the_machine_failed() -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(autolab(instructor_view(machine_failed())))


def test_a_hostile_result_does_no_harm() -> None:
    check_classroom50(hostile())
    assert_harmless(classroom50(student_view(hostile()), occasion(RUNNER), NOW))
    assert_harmless(autolab(instructor_view(hostile())))
