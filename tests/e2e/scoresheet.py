"""Makes a record of each check from what pytest reports about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional

import pytest

from . import seed
from .checks import Check, PlannedCheck, check_of, plan_check
from .hooks import wraps_hook
from .records import Record, RecordFile
from .steps import Steps
from .verdicts import CheckFailed, NoFirstEcho, Status

FULL_POINTS = 14.0
OWN_STACK_POINTS = 5.0


@dataclass
class Progress:
    """What is known about a test while it runs."""

    steps: Steps = field(default_factory=Steps)
    seconds: float = 0.0
    problem: Optional[BaseException] = None
    skipped: str = ""
    repeat: str = ""  # how to get the same random data again


_PROGRESS = pytest.StashKey[Progress]()
_TIME_OUTS = pytest.StashKey[int]()


def progress_of(item: pytest.Item) -> Progress:
    return item.stash.setdefault(_PROGRESS, Progress())


def steps_of(item: pytest.Item) -> Steps:
    return progress_of(item).steps


def has_failed(item: pytest.Item) -> bool:
    return progress_of(item).problem is not None


def time_outs(config: pytest.Config) -> int:
    """How many checks of this run have waited in vain so far."""
    return config.stash.get(_TIME_OUTS, 0)


class ScoreSheet:
    """The plugin: plans, watches, records."""

    def __init__(self, config: pytest.Config) -> None:
        self._own_stack = bool(config.getoption("own_stack"))
        self._plan_only = bool(config.getoption("plan_only"))
        path: Optional[Path] = config.getoption("records")
        self._file = RecordFile(path) if path is not None else None

    # ---- planning --------------------------------------------------------------------------------

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if self._own_stack:
            _keep_own_checks(config, items)
        is_whole = all(Path(argument).is_dir() for argument in config.args)
        if is_whole and not config.getoption("keyword"):
            _verify_points(self._plan(items), OWN_STACK_POINTS if self._own_stack else FULL_POINTS)
        which, count = _share(config.getoption("share"))
        _keep(config, items, items[which - 1 :: count])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self._file is not None:
            self._file.write_plan(self._plan(session.items))

    def pytest_runtestloop(self, session: pytest.Session) -> Optional[bool]:
        if not self._plan_only:
            return None
        for planned in self._plan(session.items):
            print(f"{planned.max_points:5.2f}  {planned.id}: {planned.title}")
        return True

    def _plan(self, items: list[pytest.Item]) -> list[PlannedCheck]:
        found = [(item, check_of(item)) for item in items]
        return [plan_check(item, check, self._own_stack) for item, check in found if check]

    # ---- watching --------------------------------------------------------------------------------

    def pytest_runtest_setup(self) -> None:
        seed.begin_test()

    @wraps_hook
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        outcome = yield
        report: pytest.TestReport = outcome.get_result()  # type: ignore[attr-defined]
        progress = progress_of(item)
        progress.seconds += call.duration
        if report.skipped and call.excinfo is not None:
            progress.skipped = str(call.excinfo.value)
        elif call.excinfo is not None:
            _note_problem(progress, call.excinfo.value)
        progress.repeat = seed.how_to_repeat()
        check = check_of(item)
        if check is None:
            return
        record = self._make_record(item, check, progress)
        if report.failed and isinstance(progress.problem, CheckFailed):
            report.longrepr = _explain(record, progress.steps)
        if call.when == "teardown":
            has_waited = not isinstance(progress.problem, NoFirstEcho)
            if record.status is Status.TIMEOUT and has_waited:
                item.config.stash[_TIME_OUTS] = time_outs(item.config) + 1
            if self._file is not None:
                self._file.write_record(record)

    def _make_record(self, item: pytest.Item, check: Check, progress: Progress) -> Record:
        planned = plan_check(item, check, self._own_stack)
        status, message, hint = _judge(check, progress)
        points = planned.max_points if status is Status.PASSED else 0
        return Record(
            planned.id, planned.title, status, points, planned.max_points,
            round(progress.seconds, 3), message, progress.steps.done, hint,
        )  # fmt: skip

    def pytest_unconfigure(self) -> None:
        if self._file is not None:
            self._file.close()


def _note_problem(progress: Progress, problem: BaseException) -> None:
    """The first problem counts, unless a later one, the server's death, explains it."""
    explains = isinstance(problem, CheckFailed) and problem.status is not Status.FAILED
    if progress.problem is None or explains:
        progress.problem = problem


def _judge(check: Check, progress: Progress) -> tuple[Status, str, str]:
    """Status, message and hint."""
    problem = progress.problem
    if progress.skipped:
        return Status.ERROR, progress.skipped, ""
    if problem is None:
        return Status.PASSED, "; ".join(f"not tried: {why}" for why in progress.steps.untried), ""
    if not isinstance(problem, CheckFailed):
        return Status.ERROR, f"{type(problem).__name__}: {problem}", ""
    if problem.status is Status.NOT_IMPLEMENTED:
        return problem.status, problem.message, ""
    hint = problem.hint or check.hint
    message = "\n".join(part for part in (problem.message, progress.repeat) if part)
    return problem.status, message, f"{hint} (docs/protocol.md, {check.rule})"


def _explain(record: Record, steps: Steps) -> str:
    parts = [record.title, steps.numbered(), f"{record.status.value}: {record.message}"]
    if record.hint:
        parts.append(f"hint: {record.hint}")
    return "\n".join(part for part in parts if part)


def _keep_own_checks(config: pytest.Config, items: list[pytest.Item]) -> None:
    own = [item for item in items if (found := check_of(item)) is not None and found.own]
    _keep(config, items, own)


def _keep(config: pytest.Config, items: list[pytest.Item], kept: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _share(text: str) -> tuple[int, int]:
    """Which one, of how many."""
    which, _, count = text.partition("/")
    if not (which.isdecimal() and count.isdecimal() and 1 <= int(which) <= int(count)):
        raise pytest.UsageError(f"--share {text}: it is I/N, with 1 <= I <= N")
    return int(which), int(count)


def _verify_points(plan: list[PlannedCheck], expected: float) -> None:
    total = sum(planned.max_points for planned in plan)
    if total != expected:
        raise pytest.UsageError(f"the checks are worth {total} points, not {expected}")
