"""The timelines of what failed: each of these tests runs once more, with the recorder on.

The grade stands before this begins, and nothing here can change it: a run that ends otherwise, a recording
that is none, a machine that fails cost a picture, and no more. The first run has no recorder in its way.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from pathlib import Path
from typing import Iterator, List, Mapping, Optional, Sequence

from grader.alike import alike
from grader.keepers import Keepers
from grader.model import Result, Status, TestResult, Visibility
from grader.processes import Ended, clean_environment, run_program
from grader.run_cases import Conditions
from grader.sandbox import Sandbox
from grader.timeline.excerpt import Excerpt, excerpt
from grader.timeline.story import tell
from grader.timeline.untrusted import SIZE_LIMIT, BadRecording, read_untrusted
from grader.watcher import Watcher

MOST = 12  # tests of a submission,
MOST_HUNG = 4  # of them such as have run out of time: each of these takes
_PATIENCE = 0.2  # of the harness' time limit
SECONDS = 60.0  # for all of them, should the machine be slow

_STATUSES = {  # by enum lab_exit of lab_test.h
    1: Status.FAILED, 10: Status.CRASHED, 11: Status.TIMEOUT, 12: Status.LEAKED,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Again:
    """A test that runs once more."""

    command: Sequence[str]
    status: Status  # as it was graded
    recording: Path  # to be written, in a folder that was lent to the sandbox
    roots: Sequence[Path]  # places are named from there on
    end: float  # when it must be over, by the monotonic clock


def add_timelines(
    result: Result,
    commands: Mapping[str, Sequence[str]],
    conditions: Conditions,
    keepers: Keepers,
    watcher: Watcher,
    folder: Path,
    roots: Sequence[Path],
) -> None:
    """`commands`: what runs a test, by its id; nobody needs its explanation, which takes the most time.
    `folder`, `roots`: see Again."""
    tests = chosen(result, commands)
    if tests:
        watcher.phase("Recording what failed")
    end = time.monotonic() + SECONDS
    try:
        runs = []
        for number, test in enumerate(tests):
            recording = folder / f"recording-{number}"
            again = Again(commands[test.id], test.status, recording, roots, end)
            runs.append(keepers.submit(timeline, again, conditions))
        for test, run in zip(tests, runs):
            test.timeline = run.result()
    except Exception as error:  # whatever it was, the grade stands
        result.environment["no_timelines"] = f"{type(error).__name__}: {error}"


def chosen(result: Result, commands: Mapping[str, Sequence[str]]) -> List[TestResult]:
    """Of those that ended alike the first, and of these as many as may be. None is hidden, for the pages
    are the students'."""
    first = [
        group[0]
        for visibility in (Visibility.VISIBLE, Visibility.AFTER_DUE_DATE)
        for milestone in result.milestones
        for group in alike(test for test in milestone.tests if test.visibility == visibility)
    ]
    failed = [t for t in first if t.id in commands and t.status in _STATUSES.values()]
    too_much = [test.id for test in failed if test.status == Status.TIMEOUT][MOST_HUNG:]
    return [test for test in failed if test.id not in too_much][:MOST]


def timeline(again: Again, conditions: Conditions) -> Optional[Excerpt]:
    """None if it does not end as before, or there is nothing to see."""
    sandbox = conditions.sandbox
    left = again.end - time.monotonic()
    if sandbox is None or left <= 0:
        return None
    with _recording(again.recording, sandbox) as file:
        ended = _run(again, conditions, sandbox, left)
        data = os.pread(file, SIZE_LIMIT, 0)
    if _status(ended) != again.status:
        return None
    try:
        kept = read_untrusted(data)
    except BadRecording:
        return None
    story = tell(kept.recording, again.roots)
    return excerpt(story, kept) if story.coroutines else None


@contextlib.contextmanager
def _recording(path: Path, sandbox: Sandbox) -> Iterator[int]:
    """An empty file that the program may write. It is read by its descriptor, for outside of a sandbox
    the path may mean something else by then."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        if sandbox.user is not None:
            os.chown(file, sandbox.user, sandbox.user)
        yield file
    finally:
        os.close(file)
        path.unlink(missing_ok=True)


def _run(again: Again, conditions: Conditions, sandbox: Sandbox, seconds: float) -> Ended:
    if again.status == Status.TIMEOUT:
        conditions = dataclasses.replace(conditions, patience=_PATIENCE)
    program = Path(again.command[0])
    return run_program(
        sandbox.command(again.command, read=[program], write=[again.recording]),
        seconds=min(seconds, sandbox.limits.case_seconds),
        environment=clean_environment(
            LAB_TRACE=str(again.recording), **conditions.environment
        ),
        memory_limit=sandbox.memory_bytes,
    )


def _status(ended: Ended) -> Optional[Status]:
    if ended.over_memory:
        return Status.CRASHED
    return Status.TIMEOUT if ended.timed_out else _STATUSES.get(ended.returncode)
