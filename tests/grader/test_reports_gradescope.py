"""grader/reports/gradescope.py: what Gradescope takes, and what students see of it there."""

from __future__ import annotations

import json
from typing import Any, Dict

from report_results import assert_harmless, hostile, late, machine_failed, secretive, usual

from grader.reports.gradescope import gradescope


def check_gradescope(text: str) -> Dict[str, Any]:
    data: Dict[str, Any] = json.loads(text)
    assert set(data) <= {
        *("score", "execution_time", "output", "output_format", "visibility", "stdout_visibility"),
        *("extra_data", "tests", "leaderboard"),
    }
    for test in data.get("tests", []):
        assert {type(test["name"]), type(test["number"]), type(test["output"])} == {str}
        assert 0 <= test["score"] <= test["max_score"]
        assert test["status"] in ("passed", "failed")
        assert test["output_format"] in ("text", "html", "simple_format", "md", "ansi")
        assert test["visibility"] in ("hidden", "after_due_date", "after_published", "visible")
    return data


def test_gradescope_has_all_tests_and_the_sum() -> None:
    data = check_gradescope(gradescope(usual()))
    assert data["score"] == sum(test["score"] for test in data["tests"]) == usual().score
    assert sum(test["max_score"] for test in data["tests"]) == usual().max_score
    assert data["execution_time"] == 12.5
    assert data["tests"][0]["output"] == ""
    output = data["tests"][1]["output"]
    assert "1. spawn A and B" in output and "actual:   B A" in output
    assert 'read:         milestones/m1-task/README.md, "Step 1: the ready queue"' in output


def test_gradescope_takes_off_what_lateness_costs() -> None:
    data = check_gradescope(gradescope(late()))
    assert data["score"] == late().score == usual().score - 0.75
    assert "1 day late: 0.75 points are taken off" in data["output"]


def test_gradescope_keeps_what_is_hidden_hidden() -> None:
    data = check_gradescope(gradescope(secretive()))
    told = {test["name"].split(":")[0]: test["visibility"] for test in data["tests"]}
    assert told["m1.secret"] == told["m9.secret"] == "hidden"
    assert told["m1.later"] == "after_due_date"
    assert told["m1.open"] == "visible"
    assert "execution_time" not in data  # it would tell of a hidden test that hangs
    assert "m9" not in data["output"] and "3 of 4 points" in data["output"]
    visible = [test["number"] for test in data["tests"] if test["visibility"] == "visible"]
    assert visible == ["1.1", "1.2"]  # no gap


def test_gradescope_shows_suspicions_to_instructors_only() -> None:
    data = check_gradescope(gradescope(usual()))
    told = [finding["kind"] for finding in data["extra_data"]["integrity"]]
    assert told == ["missing", "forbidden"]
    assert data["stdout_visibility"] == "hidden"
    del data["extra_data"]
    assert "forbidden" not in json.dumps(data) and "missing" in json.dumps(data)


def test_gradescope_gets_no_score_if_the_machine_failed() -> None:
    data = check_gradescope(gradescope(machine_failed()))
    assert "score" not in data and "tests" not in data
    assert data["output"].startswith("No score: grading did not come to its end")


def test_a_hostile_result_does_no_harm() -> None:
    check_gradescope(gradescope(hostile()))
    assert_harmless(gradescope(hostile()))
