"""What becomes of a submission for which the container's time does not suffice."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import Dict, List

import pytest
from autograder_results import NOT_RUN, PASSED, outcome, result_of
from conftest import KIT_ROOT

from grader.autograder.processors import available_processors
from grader.autograder.time_up import TimeIsUp, close, grade_in_shares, time_limit
from grader.grade import GradeRequest
from grader.kit import MILESTONES, Kit
from grader.model import Finding, Late, Result, Status, TestResult
from grader.reports.gradescope import gradescope
from grader.rubric import read_rubric
from grader.score_file import write_score_file
from grader.selftest.gradescope_format import problems


def test_time_is_up_wherever_the_program_is() -> None:
    with pytest.raises(TimeIsUp), time_limit(0.05):
        time.sleep(10)
    with time_limit(0.05):
        pass
    time.sleep(0.1)  # and it does not ring later


def fate(result: Result) -> Status:
    """Of the test that was not run."""
    [test] = [test for test in result.tests if test.id == NOT_RUN.id]
    return test.status


def test_who_never_ends_has_used_up_his_own_time() -> None:
    endless = [outcome(f"m1.{i}", Status.TIMEOUT, 30.0) for i in range(20)]
    closed = close(result_of(PASSED, *endless, NOT_RUN, complete=False), 540.0, at_a_time=2)
    assert fate(closed) == Status.TIMEOUT
    assert any("its share of the time, 540 seconds" in test.message for test in closed.tests)
    results = json.loads(gradescope(closed))
    assert (results["score"], problems(results)) == (10, [])


@pytest.mark.parametrize(
    "tests",
    [
        [PASSED],
        [outcome(f"m1.{i}", Status.TIMEOUT, 30.0) for i in range(17)],  # 255 seconds, two at a time
        [outcome(f"m1.{i}", Status.PASSED, 30.0) for i in range(30)],
        [outcome(f"m5.e2e.{i}", Status.TIMEOUT, 30.0) for i in range(8)],  # 240, one at a time
    ],
)
def test_a_slow_machine_is_no_zero(tests: List[TestResult]) -> None:
    closed = close(result_of(*tests, NOT_RUN, complete=False), 540.0, at_a_time=2)
    assert fate(closed) == Status.ERROR
    results = json.loads(gradescope(closed))
    assert "score" not in results and "more time" in results["extra_data"]["no_grade"]


def test_real_clients_come_one_after_the_other() -> None:
    endless = [outcome(f"m5.own.{i}", Status.TIMEOUT, 30.0) for i in range(10)]
    closed = close(result_of(*endless, NOT_RUN, complete=False), 540.0, at_a_time=2)
    assert fate(closed) == Status.TIMEOUT


def test_endless_loops_cost_their_own_milestone_alone(tmp_path: Path) -> None:
    """Of 1.4 seconds, m1 has 0.2."""
    score_file, asked = tmp_path / "score.json", []

    def grade(request: GradeRequest) -> Result:
        asked.append(request.only)
        [pattern] = request.only
        id = pattern.split(".")[0]
        begun = [outcome(f"{id}.a", Status.ERROR), outcome(f"{id}.b", Status.ERROR)]
        if id == "m1":
            begun[0] = outcome("m1.a", Status.TIMEOUT, 0.15)
            write_score_file(score_file, result_of(*begun, complete=False))
            time.sleep(30)
        late = Late(2, 4.0, "late")
        passed = [outcome(test.id, Status.PASSED, 0.0, 10.0) for test in begun]
        done = result_of(*passed, complete=True, seconds=1.5)
        return dataclasses.replace(done, late=late, integrity=[Finding("missing", id, "a file")])

    request = GradeRequest(Kit(KIT_ROOT), tmp_path, read_rubric(), score_file=score_file, jobs=1)
    result = grade_in_shares(request, 1.4, grade)
    assert asked == [(f"{m.id}.*",) for m in MILESTONES]
    assert [m.id for m in result.milestones] == [m.id for m in MILESTONES]
    assert [m.score for m in result.milestones] == [0, 20, 20, 20, 20]
    assert {test.status for test in result.milestones[0].tests} == {Status.TIMEOUT}
    assert result.late == Late(2, 16.0, "late") and len(result.integrity) == 1
    assert (result.environment["complete"], result.environment["seconds"]) == (True, 6.0)


def test_what_one_milestone_has_used_up_is_not_held_against_the_next(tmp_path: Path) -> None:
    """m2 has no test begun when its time is up."""
    score_file = tmp_path / "score.json"

    def grade(request: GradeRequest) -> Result:
        if request.only != ("m1.*",):
            time.sleep(30)
        ended = result_of(outcome("m1.a", Status.TIMEOUT, 10.0), complete=True)
        write_score_file(score_file, ended)
        return ended

    request = GradeRequest(Kit(KIT_ROOT), tmp_path, read_rubric(), score_file=score_file, jobs=1)
    result = grade_in_shares(request, 0.7, grade)
    assert "more processors" in result.environment["failure"]


@pytest.mark.parametrize(
    "files, expected",
    [
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu.max": "400000 100000"}, 4),
        ({"cpu.max": "max 100000"}, 8),
        ({"cpu/cpu.cfs_quota_us": "250000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 8),
        ({"cpu.max": "6400000 100000"}, 8),
        ({}, 8),
    ],
)
def test_processors_of_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Dict[str, str], expected: int
) -> None:
    monkeypatch.setattr("grader.autograder.processors.available_cores", lambda: 8)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    assert available_processors(tmp_path) == expected
