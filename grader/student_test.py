"""`./lab test`: a student's loop. Builds what has changed, runs the chosen tests, says what is wrong."""

from __future__ import annotations

import collections
import dataclasses
import fcntl
import itertools
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Dict, Generic, Iterator, List, Optional, Sequence, TypeVar

from rich.console import Console

from grader.build import TARGETS, Build, BuildRequest, build, submission_warnings
from grader.check_list import read_checks
from grader.handout_order import in_handout_order
from grader.keepers import Keepers, available_cores
from grader.kit import END_TO_END_POINTS, LABS, Kit
from grader.model import Status, TestResult
from grader.plan import PlannedTest, c_tests
from grader.run_cases import CaseRun, Conditions, in_handfuls, run_and_explain, side_by_side
from grader.run_e2e import run_end_to_end
from grader.selection import select_tests
from grader.student_report import StudentReport

T = TypeVar("T")
_HANDFUL = 8  # tests that share a program


@dataclasses.dataclass(frozen=True)
class TestRequest:
    __test__ = False

    kit: Kit
    names: Sequence[str]  # of milestones, optional labs and tests; none: all milestones
    base: str
    solution: bool = False  # test the reference instead of the student's files

    @property
    def tree(self) -> Path:
        return self.kit.solutions if self.solution else self.kit.milestones

    @property
    def build_name(self) -> str:
        return ("solution" if self.solution else "student") + f"-on-{self.base}"


def run_tests(
    request: TestRequest, console: Console, report: Optional[StudentReport] = None
) -> List[TestResult]:
    """KitFailed if the kit itself could not be built."""
    report = report or StudentReport(console, request.kit)
    with Keepers(available_cores()) as keepers:
        chosen = select_tests(_all_tests(request.kit), request.names)
        folder = request.kit.build_folder(request.build_name)
        with locked(folder, console):
            made = _build(request, keepers, folder, chosen, console)
            report.warnings(submission_warnings(made.warnings))
            report.not_built(made.failure_texts.values())
            results = _count_unbuilt(made, chosen)
            with _counter(console, len(chosen) - len(results)) as ended:
                results += _run_c_cases(keepers, made, chosen, report, ended)
                results += _run_end_to_end(request.kit, keepers, made, chosen, report, ended)
    return results


def _all_tests(kit: Kit) -> List[PlannedTest]:
    tests = [t for lab in kit.labs for t in in_handout_order(kit, lab, c_tests(kit, lab))]
    return tests + read_checks(kit)


@contextmanager
def locked(folder: Path, console: Console) -> Iterator[None]:
    """Two at once in one build folder would each see the other's half-made files."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f"{folder.name}.lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            console.print("Another ./lab test is running here: waiting for it ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _counter(console: Console, total: int) -> Iterator[Callable[[], None]]:
    """The last line of a terminal tells how many tests have ended; to be called as each does."""
    count = itertools.count(1)
    with console.status(f"{total} tests ...") as line:
        yield lambda: line.update(f"{next(count)} of {total} tests ...")


def _build(
    request: TestRequest,
    keepers: Keepers,
    folder: Path,
    chosen: Sequence[PlannedTest],
    console: Console,
) -> Build:
    groups = {test.group for test in chosen}
    targets = [target for group, target in TARGETS.items() if group in groups]
    what = BuildRequest(request.kit.root, request.tree, folder, request.base)
    with console.status("Building ..."):
        made = keepers.submit(build, what, targets).result()
    for warning in submission_warnings(made.warnings):
        _compile_again(folder, Path(warning.where.split(":")[0]))
    return made


def _compile_again(folder: Path, source: Path) -> None:
    """The next time, so that a warning is shown until it has gone."""
    for path in folder.rglob(f"{source.name}.o"):
        if any(part.startswith("submission-") for part in path.parts):
            path.unlink()


def _count_unbuilt(made: Build, chosen: Sequence[PlannedTest]) -> List[TestResult]:
    return [
        test.result(Status.FAILED, made.failures[TARGETS[test.group]])
        for test in chosen
        if TARGETS[test.group] in made.failures
    ]


def _run_c_cases(
    keepers: Keepers,
    made: Build,
    chosen: Sequence[PlannedTest],
    report: StudentReport,
    ended: Callable[[], None],
) -> List[TestResult]:
    """Side by side, but shown in the order of the lab."""
    labs = {lab.id for lab in LABS}
    tests = [t for t in chosen if t.group in labs and TARGETS[t.group] in made.programs]
    programs = [(test, made.programs[TARGETS[test.group]]) for test in tests]
    group_of = {test.id: test.group for test in tests}
    results: Dict[str, List[TestResult]] = {test.group: [] for test in tests}  # as they come
    shown: List[str] = []

    def show(case: CaseRun) -> None:
        group = group_of[case.result.id]
        if shown[-1:] != [group]:
            shown.append(group)
            report.group(group)
        report.tested(case.result, case.text)

    def conditions_of(test: PlannedTest) -> Conditions:
        return Conditions().after(results[test.group])

    in_order = InOrder([test.id for test in tests], show)
    handfuls = in_handfuls(programs, _HANDFUL)
    for case in side_by_side(keepers, handfuls, run_and_explain, conditions_of):
        ended()
        results[group_of[case.result.id]].append(case.result)
        in_order.add(case.result.id, case)
    report.close()
    return [case.result for case in in_order.told]


def _run_end_to_end(
    kit: Kit,
    keepers: Keepers,
    made: Build,
    chosen: Sequence[PlannedTest],
    report: StudentReport,
    ended: Callable[[], None],
) -> List[TestResult]:
    results: List[TestResult] = []
    for group in END_TO_END_POINTS:
        tests = [test for test in chosen if test.group == group]
        server = made.programs.get(TARGETS[group])
        if tests and server is not None:
            report.group(group)
            in_order = InOrder([test.id for test in tests], report.tested)

            def note(result: TestResult) -> None:
                ended()
                in_order.add(result.id, result)

            run_end_to_end(kit, keepers, group, server, tests, note)
            report.close()
            results += in_order.told
    return results


class InOrder(Generic[T]):
    """Of what comes in any order, each is told once all before it are."""

    def __init__(self, ids: Sequence[str], tell: Callable[[T], None]) -> None:
        self._waited_for = collections.deque(ids)
        self._tell = tell
        self._held: Dict[str, T] = {}
        self.told: List[T] = []

    def add(self, id: str, what: T) -> None:
        self._held[id] = what
        while self._waited_for and self._waited_for[0] in self._held:
            told = self._held.pop(self._waited_for.popleft())
            self.told.append(told)
            self._tell(told)
