"""Tests that share a program: what passes counts, and whatever else happens is seen again, alone."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import List

import pytest
from conftest import Program

from grader.keepers import Keepers
from grader.model import Status, TestResult
from grader.patience import LESS_TIME
from grader.plan import PlannedTest
from grader.rubric import read_rubric
from grader.run_cases import Conditions, in_handfuls, run_and_explain, run_cases, side_by_side
from grader.sandbox import Sandbox

NAMES = ("one", "two", "three", "four")
TESTS = [PlannedTest(f"m1.{name}", name, 1.0, "") for name in NAMES]

# A test program whose test `three` does DEED. It notes how it was started.
_PROGRAM = """
PATH = {path!r}
open(PATH, 'a').write(' '.join(sys.argv[1:]) + '\\n')
def verdict(name, status, **more):
    record = {{'nonce': nonce, 'id': 'm1.' + name, 'status': status, 'seconds': 0.1}}
    os.write(int(os.environ['LAB_RECORD_FD']), json.dumps({{**record, **more}}).encode() + b'\\n')
alone = sys.argv[1] != '--while-fine'
for name in sys.argv[1:] if alone else sys.argv[2:]:
    if name == 'three':
        {deed}
    verdict(name, 'passed')
"""
TOGETHER = "--while-fine one two three four"


@pytest.fixture
def conditions(monkeypatch: pytest.MonkeyPatch) -> Conditions:
    monkeypatch.setattr(Sandbox, "user", None)  # pytest's folders are for its own user alone
    limits = dataclasses.replace(read_rubric().limits, case_seconds=2)
    return Conditions(Sandbox(limits, enabled=False))


def verdicts(path: Path, conditions: Conditions) -> List[TestResult]:
    """Of all, as the grader gets them."""
    results: List[TestResult] = []
    while len(results) < len(TESTS):
        results += run_cases(path, TESTS[len(results) :], conditions)
    return results


def runs(path: Path) -> List[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_what_passes_shares_one_program(
    tmp_path: Path, program: Program, conditions: Conditions
) -> None:
    path = program(_PROGRAM.format(path=str(tmp_path / "runs"), deed="pass"))
    results = verdicts(path, conditions)
    assert [(result.id, result.status) for result in results] == [
        (f"m1.{name}", Status.PASSED) for name in NAMES
    ]
    assert runs(tmp_path / "runs") == [TOGETHER]


@pytest.mark.parametrize(
    "deed, status",
    [
        ("verdict(name, 'failed') if alone else os._exit(1); continue", Status.FAILED),
        ("os.kill(os.getpid(), 9)", Status.EARLY_EXIT),
        ("os._exit(0)", Status.EARLY_EXIT),
        ("time.sleep(60)", Status.EARLY_EXIT),
        ("verdict('three', 'failed'); continue", Status.FAILED),
        ("nonce = 'guess'", Status.EARLY_EXIT),
        ("verdict('four', 'passed')", Status.EARLY_EXIT),
    ],
    ids=["fails", "killed", "exits", "hangs", "failed-record", "wrong-nonce", "another-id"],
)
def test_what_does_not_pass_is_run_alone(
    tmp_path: Path, program: Program, conditions: Conditions, deed: str, status: Status
) -> None:
    path = program(_PROGRAM.format(path=str(tmp_path / "runs"), deed=deed))
    began = time.monotonic()
    results = verdicts(path, conditions)
    expected = Status.TIMEOUT if "sleep" in deed else status
    assert [result.status for result in results] == [
        Status.PASSED, Status.PASSED, expected, Status.PASSED
    ]  # fmt: skip
    assert runs(tmp_path / "runs") == [TOGETHER, "three", "four"]
    assert time.monotonic() - began < 20


def test_what_only_fails_beside_others_passes(
    tmp_path: Path, program: Program, conditions: Conditions
) -> None:
    deed = "assert alone"
    path = program(_PROGRAM.format(path=str(tmp_path / "runs"), deed=deed))
    assert {result.status for result in verdicts(path, conditions)} == {Status.PASSED}


@pytest.mark.parametrize("status", [Status.FAILED, Status.NOT_IMPLEMENTED])
def test_a_student_is_told_of_each_that_does_not_pass(
    tmp_path: Path, program: Program, status: Status
) -> None:
    deed = f"print('why', alone); verdict('three', '{status.value}'); continue"
    path = program(_PROGRAM.format(path=str(tmp_path / "runs"), deed=deed))
    told = run_and_explain(path, TESTS)
    assert [(run.result.status, run.text) for run in told] == [
        (Status.PASSED, ""), (Status.PASSED, ""), (status, "why True\n"), (Status.PASSED, "")
    ]  # fmt: skip
    assert runs(tmp_path / "runs") == [TOGETHER, "three", "four"]


def test_a_student_waits_for_one_that_hangs_and_not_for_the_rest(
    tmp_path: Path, program: Program
) -> None:
    """How long the others may take depends on how many have hung."""
    path = program(_PROGRAM.format(path=str(tmp_path / "runs"), deed="verdict(name, 'timeout'); break"))
    told = run_and_explain(path, TESTS)
    assert [run.result.status for run in told] == [Status.PASSED, Status.PASSED, Status.TIMEOUT]


def test_where_much_hangs_each_has_less_time_and_runs_alone(
    tmp_path: Path, program: Program, conditions: Conditions
) -> None:
    hung = [test.result(Status.TIMEOUT, "") for test in TESTS]
    few, many = conditions.after(hung), conditions.after(hung * 2)
    assert (few, many.environment["CK_TIMEOUT_MULTIPLIER"]) == (conditions, "0.3")
    deed = "print('why'); verdict(name, 'timeout', message='it hung'); break"
    path = program(_PROGRAM.format(path=str(tmp_path / "runs"), deed=deed))
    results = verdicts(path, many)
    assert [r.message for r in results] == ["", "", f"it hung\n{LESS_TIME}", ""]
    assert runs(tmp_path / "runs") == list(NAMES)
    assert run_and_explain(path, TESTS[2:], many)[0].text == f"why\n  {LESS_TIME}\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_side_by_side_leaves_none_out(jobs: int) -> None:
    handfuls = [(Path("m1"), TESTS[:3]), (Path("m2"), TESTS[3:])]
    with Keepers(jobs) as keepers:
        came = list(side_by_side(keepers, handfuls, _but_for_the_last, lambda test: Conditions()))
    assert sorted(came) == sorted(["m1 one", "m1 two", "m1 three", "m2 four"])


def _but_for_the_last(program: Path, tests: List[PlannedTest], conditions: Conditions) -> List[str]:
    return [f"{program} {test.name}" for test in tests[: max(1, len(tests) - 1)]]


def test_handfuls_are_of_one_program() -> None:
    programs = [Path("m1"), Path("m1"), Path("m1"), Path("m2")]
    assert list(in_handfuls(list(zip(TESTS, programs)), 2)) == [
        (Path("m1"), TESTS[:2]), (Path("m1"), TESTS[2:3]), (Path("m2"), TESTS[3:])
    ]  # fmt: skip


def test_a_program_that_cannot_start_is_no_zero(tmp_path: Path) -> None:
    results = run_cases(tmp_path / "nowhere", TESTS, Conditions())
    assert [result.status for result in results] == [Status.ERROR]
