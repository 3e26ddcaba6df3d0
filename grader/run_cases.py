"""Runs cases of a milestone's C tests, and takes their verdicts from the sealed records.

To start a program under the sanitizers, in a sandbox, costs more than most tests. So several that pass
share one program; each is a process of its own there. What does not pass is run again alone, and only
that counts.
"""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import itertools
import os
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, TypeVar

from grader.keepers import Keepers
from grader.model import Status, TestResult
from grader.patience import LESS_TIME, MUCH_HANGS, SHORTER
from grader.plan import PlannedTest
from grader.processes import Ended, clean_environment, describe_exit, run_program
from grader.record import BadRecord, make_nonce, read_record, read_records
from grader.sandbox import Sandbox

CASE_SECONDS = 90.0  # the program has its own, shorter limit, and can say more when it is reached

T = TypeVar("T")
Handful = Tuple[Path, List[PlannedTest]]  # tests that share a program

_FINE = (Status.PASSED, Status.NOT_IMPLEMENTED)
_HASTE = 0.15  # of the harness' own time limit, for tests that are run together


@dataclasses.dataclass(frozen=True)
class Conditions:
    """Under which a submission's programs are run."""

    sandbox: Optional[Sandbox] = None  # None: as a student runs his own
    seed: Optional[int] = None  # of random data; None: as LAB_SEED says, or a fixed one
    patience: float = 1.0  # stretches the harness' time limit for a case

    @property
    def environment(self) -> Dict[str, str]:
        surroundings = {} if self.sandbox is None else self.sandbox.environment
        patience = {} if self.patience == 1 else {"CK_TIMEOUT_MULTIPLIER": str(self.patience)}
        return {**surroundings, **self.seed_variable, **patience}

    @property
    def seed_variable(self) -> Dict[str, str]:
        return {} if self.seed is None else {"LAB_SEED": str(self.seed)}

    def after(self, results: Iterable[TestResult]) -> "Conditions":
        """For more tests of a milestone of which these are known."""
        hung = sum(result.status == Status.TIMEOUT for result in results)
        return dataclasses.replace(self, patience=SHORTER) if hung >= MUCH_HANGS else self

    @property
    def much_hangs(self) -> bool:
        return self.patience == SHORTER


@dataclasses.dataclass(frozen=True)
class CaseRun:
    result: TestResult
    text: str  # what the program printed for the student


def side_by_side(
    keepers: Keepers,
    handfuls: Iterable[Handful],
    run: Callable[[Path, List[PlannedTest], Conditions], List[T]],
    conditions_of: Callable[[PlannedTest], Conditions],
) -> Iterator[T]:
    """What `run` gives for all of them, as it comes. It may leave the last ones of a handful; they are next."""
    waiting = collections.deque(handfuls)
    running: Dict["concurrent.futures.Future[List[T]]", Handful] = {}
    while waiting or running:
        while waiting and len(running) < keepers.count:
            program, some = waiting.popleft()
            running[keepers.submit(run, program, some, conditions_of(some[0]))] = program, some
        ended = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done
        for done in ended:
            program, some = running.pop(done)
            yield from done.result()
            left = some[len(done.result()) :]
            if left:
                waiting.appendleft((program, left))


def in_handfuls(tests: Sequence[Tuple[PlannedTest, Path]], size: int) -> Iterator[Handful]:
    """Tests with their programs, so many at a time: enough to save most of a start, few enough for all jobs."""
    for program, pairs in itertools.groupby(tests, key=lambda pair: pair[1]):
        own = [test for test, _ in pairs]
        for start in range(0, len(own), size):
            yield program, own[start : start + size]


def run_and_explain(
    program: Path, tests: Sequence[PlannedTest], conditions: Conditions = Conditions()
) -> List[CaseRun]:
    """As a student runs his own: from the first that does not pass each alone, for what it says; up to one that
    hangs."""
    together = _run_while_fine(program, tests, conditions)
    passed = itertools.takewhile(lambda result: result.status == Status.PASSED, together)
    runs = [CaseRun(result, "") for result in passed]
    for test in tests[len(runs) :]:
        runs.append(run_case(program, test, conditions))
        if runs[-1].result.status == Status.TIMEOUT:
            break
    return runs


def run_cases(
    program: Path, tests: Sequence[PlannedTest], conditions: Conditions = Conditions()
) -> List[TestResult]:
    """The verdicts of the first ones: of all up to one that does not pass, and of that one."""
    results = _run_while_fine(program, tests, conditions)
    if len(results) < len(tests):
        results.append(run_case(program, tests[len(results)], conditions).result)
    return results


def _run_while_fine(
    program: Path, tests: Sequence[PlannedTest], conditions: Conditions
) -> List[TestResult]:
    """Up to the first that neither passes nor is a stub's, or that takes long."""
    if len(tests) < 2 or conditions.much_hangs:
        return []
    hasty = dataclasses.replace(conditions, patience=_HASTE)
    arguments = ["--while-fine", *(test.name for test in tests)]
    try:
        ended, nonce = _run(program, arguments, hasty)
    except OSError:
        return []
    results = read_records(ended.extra, nonce, tests)
    return list(itertools.takewhile(lambda result: result.status in _FINE, results))


def run_case(program: Path, test: PlannedTest, conditions: Conditions = Conditions()) -> CaseRun:
    sandbox = conditions.sandbox
    try:
        ended, nonce = _run(program, [test.name], conditions)
    except OSError as error:
        return CaseRun(test.result(Status.ERROR, f"cannot run {program}: {error.strerror}"), "")
    if sandbox is not None and sandbox.has_failed(ended.output):
        return CaseRun(test.result(Status.ERROR, f"no sandbox: {ended.output.strip()}"), "")
    result, text = _verdict(ended, nonce, test, _seconds(conditions)), ended.output
    if conditions.much_hangs and result.status == Status.TIMEOUT:
        result = dataclasses.replace(result, message=f"{result.message}\n{LESS_TIME}")
        text = f"{text.rstrip()}\n  {LESS_TIME}\n"
    return CaseRun(result, text)


def _seconds(conditions: Conditions) -> float:
    sandbox = conditions.sandbox
    return CASE_SECONDS if sandbox is None else sandbox.limits.case_seconds


def _run(program: Path, arguments: Sequence[str], conditions: Conditions) -> "tuple[Ended, str]":
    """How it ended, with its records, and the nonce that they must have."""
    sandbox = conditions.sandbox
    command = [str(program), *arguments]
    nonce = make_nonce()
    nonce_reader, nonce_writer = os.pipe()
    record_reader, record_writer = os.pipe()
    os.write(nonce_writer, f"{nonce}\n".encode())
    os.close(nonce_writer)
    try:
        ended = run_program(
            command if sandbox is None else sandbox.command(command, read=[program]),
            seconds=_seconds(conditions),
            environment=clean_environment(
                LAB_NONCE_FD=str(nonce_reader), LAB_RECORD_FD=str(record_writer), **conditions.environment
            ),
            pass_fds=(nonce_reader, record_writer),
            extra_pipe=record_reader,
            memory_limit=None if sandbox is None else sandbox.memory_bytes,
        )
    finally:
        os.close(record_reader)
    return ended, nonce


def _verdict(ended: Ended, nonce: str, test: PlannedTest, seconds: float) -> TestResult:
    try:
        return read_record(ended.extra, nonce, test)
    except BadRecord as why:
        result = test.result(*_without_record(ended, str(why), seconds))
    return dataclasses.replace(result, seconds=ended.seconds, hint=test.hint)


def _without_record(ended: Ended, why: str, seconds: float) -> "tuple[Status, str]":
    if ended.over_memory:
        return Status.CRASHED, "ended because it used more memory than a test may"
    if ended.timed_out:
        return Status.TIMEOUT, f"not done after {seconds:g} seconds"
    how = describe_exit(ended.returncode)
    return Status.EARLY_EXIT, f"the program ended with {how} before the test was over: {why}"
