"""Verdicts come from the sealed record alone. Small programs that try to pass without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Program

from grader.model import Status
from grader.plan import PlannedTest
from grader.run_cases import run_case


def test_a_record_is_believed(program: Program, planned: PlannedTest) -> None:
    path = program("print('well done'); report('passed', points=1000, max_points=1000)")
    run = run_case(path, planned)
    assert (run.result.status, run.result.points, run.result.max_points) == (Status.PASSED, 2.0, 2.0)
    assert (run.result.seconds, run.result.hint, run.text) == (0.5, "", "well done\n")


def test_a_failure_carries_message_steps_and_hint(program: Program, planned: PlannedTest) -> None:
    path = program("report('failed', message='no value', steps=['create', 'resume'], hint='why')")
    result = run_case(path, planned).result
    assert (result.points, result.message, result.hint) == (0.0, "no value", "why")
    assert result.steps == ["create", "resume"]


@pytest.mark.parametrize(
    "body, message",
    [
        ("os._exit(0)", "exit code 0 before the test was over: there is no record"),
        ("print('1 passed, 0 failed')", "exit code 0 before the test was over: there is no record"),
        ("os.execlp('true', 'true')", "exit code 0 before the test was over: there is no record"),
        ("os.kill(os.getpid(), 9)", "signal 9 (SIGKILL) before the test was over"),
        ("report('passed', nonce='guess')", "the record does not carry the nonce of this run"),
        ("report('passed', id='m1.other')", "the record is one of 'm1.other'"),
        ("report('passed'); report('passed')", "there is more than one record"),
        ("report('excellent')", "the record has no known status: 'excellent'"),
        ("os.write(int(os.environ['LAB_RECORD_FD']), b'passed')", "the record is not JSON"),
        ("os.write(int(os.environ['LAB_RECORD_FD']), b'[]')", "the record is not an object"),
    ],
)
def test_no_points_without_a_record(
    program: Program, planned: PlannedTest, body: str, message: str
) -> None:
    result = run_case(program(body), planned).result
    assert (result.status, result.points) == (Status.EARLY_EXIT, 0.0)
    assert message in result.message
    assert result.hint == planned.hint


def test_a_program_that_cannot_start_is_no_zero(tmp_path: Path, planned: PlannedTest) -> None:
    result = run_case(tmp_path / "nowhere", planned).result
    assert result.status == Status.ERROR
    assert "cannot run" in result.message and "No such file" in result.message


def test_a_stub_gets_no_hint_about_mistakes(program: Program, planned: PlannedTest) -> None:
    path = program("report('not-implemented', message='f is not implemented yet', hint='why')")
    result = run_case(path, planned).result
    assert (result.status, result.hint) == (Status.NOT_IMPLEMENTED, "")
