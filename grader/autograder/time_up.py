"""Grades milestone by milestone, each within its share of the time that a container has: endless
loops in one milestone cost no other. Optional labs come last, and share one share.

Whoever wrote programs that never end has used up that share himself: what was not run by then has
failed. Otherwise the machine was too slow, which is no verdict on anybody.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import signal
import time
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from grader.grade import GradeRequest
from grader.kit import END_TO_END_POINTS, MILESTONES
from grader.model import Late, MilestoneResult, Result, Status, TestResult, from_json

_SHARES = {"m1": 1, "m2": 1, "m3": 1, "m4": 1, "m5": 3}  # the last has all checks with real clients
_EXTRA = 1

Grade = Callable[[GradeRequest], Result]


class TimeIsUp(BaseException):
    """Like KeyboardInterrupt: nothing may take it for an error of its own."""


def grade_in_shares(request: GradeRequest, seconds: float, grade: Grade) -> Result:
    """What one milestone leaves of its share is for the next ones. `request` has a score file."""
    end = time.monotonic() + seconds
    parts: List[Result] = []
    for index, milestone in enumerate(MILESTONES):
        shares = [*(_SHARES[later.id] for later in MILESTONES[index:]), _EXTRA]
        share = (end - time.monotonic()) * shares[0] / sum(shares)
        parts.append(_part(request, [milestone.id], share, grade))
        if "failure" in parts[-1].environment:
            return _together(parts)
    extra = [lab.id for lab in parts[0].extra]  # what was handed in of optional labs
    if extra:
        parts.append(_part(request, extra, end - time.monotonic(), grade))
    return _together(parts)


def known(score_file: Path) -> Result:
    """What was found out until grading broke off."""
    if score_file.exists():
        return from_json(json.loads(score_file.read_text(encoding="utf-8")))
    return Result("submission", environment={"complete": False})


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """TimeIsUp in the block, wherever it is then. For the main thread."""

    def ring(number: int, frame: Optional[FrameType]) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))  # 0 would be never
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def close(result: Result, seconds: float, at_a_time: int) -> Result:
    """`result` as it is when `seconds` are over, with `at_a_time` C tests side by side."""
    if _spent_waiting(result, at_a_time) < seconds / 2:
        needed = "the container needs more time, or more processors"
        failure = f"not done after {seconds:.0f} seconds: {needed}"
        return dataclasses.replace(
            result, environment={**result.environment, "complete": False, "failure": failure}
        )
    why = (
        "not run: tests of this milestone that never ended had used up its share of the time, "
        f"{seconds:.0f} seconds"
    )
    milestones, extra = (
        [MilestoneResult(m.id, m.title, [_closed(test, why) for test in m.tests]) for m in found]
        for found in (result.milestones, result.extra)
    )
    environment = {**result.environment, "complete": True}
    return dataclasses.replace(result, milestones=milestones, extra=extra, environment=environment)


def _part(request: GradeRequest, ids: Sequence[str], share: float, grade: Grade) -> Result:
    score_file = request.score_file
    assert score_file is not None
    score_file.unlink(missing_ok=True)
    request = dataclasses.replace(request, only=tuple(f"{id}.*" for id in ids))
    try:
        with time_limit(share):
            result = grade(request)
    except TimeIsUp:
        result = close(known(score_file), share, request.jobs)
    own = [one for one in result.milestones if one.id in ids]
    return dataclasses.replace(result, milestones=own)


def _together(parts: List[Result]) -> Result:
    """One result, as of a submission that was graded at once."""
    environment: Dict[str, Any] = {}
    for part in parts:
        environment.update(part.environment)
    for name in ("seconds", "build_seconds"):
        told = [part.environment[name] for part in parts if name in part.environment]
        environment.update({name: round(sum(told), 1)} if told else {})
    late = [part.late for part in parts if part.late is not None]
    return Result(
        parts[0].submission,
        [milestone for part in parts for milestone in part.milestones],
        max((part.integrity for part in parts), key=len),  # each has looked at all files
        environment,
        Late(late[0].days, sum(one.points for one in late), late[0].detail) if late else None,
        parts[-1].extra,
    )


def _spent_waiting(result: Result, at_a_time: int) -> float:
    """For tests that had to be ended."""
    ended = [test for test in result.all_tests if test.status == Status.TIMEOUT]
    return sum(test.seconds / (1 if _is_end_to_end(test) else at_a_time) for test in ended)


def _is_end_to_end(test: TestResult) -> bool:
    """Those run one after the other."""
    return test.id.startswith(tuple(f"{group}." for group in END_TO_END_POINTS))


def _closed(test: TestResult, why: str) -> TestResult:
    if test.status != Status.ERROR:
        return test
    return dataclasses.replace(test, status=Status.TIMEOUT, points=0.0, message=why)
