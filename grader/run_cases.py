"""Runs one case of a milestone's C tests, and takes its verdict from the sealed record."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from grader.model import Status, TestResult
from grader.plan import PlannedTest
from grader.processes import Ended, clean_environment, describe_exit, run_program
from grader.record import BadRecord, make_nonce, read_record

CASE_SECONDS = 60.0  # the program has its own, shorter limit, and can say more when it is reached


@dataclasses.dataclass(frozen=True)
class CaseRun:
    result: TestResult
    text: str  # what the program printed for the student


def run_case(program: Path, test: PlannedTest, seconds: float = CASE_SECONDS) -> CaseRun:
    nonce = make_nonce()
    nonce_reader, nonce_writer = os.pipe()
    record_reader, record_writer = os.pipe()
    os.write(nonce_writer, f"{nonce}\n".encode())
    os.close(nonce_writer)
    try:
        ended = run_program(
            [str(program), test.name],
            seconds=seconds,
            environment=clean_environment(
                LAB_NONCE_FD=str(nonce_reader), LAB_RECORD_FD=str(record_writer)
            ),
            pass_fds=(nonce_reader, record_writer),
            extra_pipe=record_reader,
        )
    except OSError as error:
        return CaseRun(test.result(Status.ERROR, f"cannot run {program}: {error.strerror}"), "")
    finally:
        os.close(record_reader)
    return CaseRun(_verdict(ended, nonce, test, seconds), ended.output)


def _verdict(ended: Ended, nonce: str, test: PlannedTest, seconds: float) -> TestResult:
    try:
        return read_record(ended.extra, nonce, test)
    except BadRecord as why:
        result = test.result(*_without_record(ended, str(why), seconds))
    return dataclasses.replace(result, seconds=ended.seconds, hint=test.hint)


def _without_record(ended: Ended, why: str, seconds: float) -> "tuple[Status, str]":
    if ended.timed_out:
        return Status.TIMEOUT, f"not done after {seconds:g} seconds"
    how = describe_exit(ended.returncode)
    return Status.EARLY_EXIT, f"the program ended with {how} before the test was over: {why}"
