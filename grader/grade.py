"""Grades one submission: takes its files, builds, runs every test, and keeps the score file current."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import platform
import tempfile
import time
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

from grader.build import TARGETS, Build, BuildRequest, build, compiler_name, submission_warnings
from grader.exit_codes import KitFailed
from grader.keepers import KeeperLost, Keepers, available_cores
from grader.kit import END_TO_END_POINTS, MILESTONES, Kit
from grader.model import MilestoneResult, Result, Status, TestResult
from grader.plan import Plan, PlannedTest, make_plan, unfinished
from grader.run_cases import CaseRun, run_case
from grader.run_e2e import end_to_end_plan, run_end_to_end
from grader.score_file import write_score_file
from grader.submission import Submission, take_submission
from grader.watcher import Watcher


@dataclasses.dataclass(frozen=True)
class GradeRequest:
    kit: Kit
    source: Path  # folder or archive
    base: str
    score_file: Optional[Path] = None
    work_folder: Optional[Path] = None  # kept, and built on the next time; None: a temporary one
    left_out: Sequence[str] = ()  # groups of end-to-end checks that are not run


def grade(request: GradeRequest, watcher: Watcher) -> Result:
    """SubmissionError if there is nothing to grade. KitFailed if grading broke off: the score file
    then has what was found out until then, and `error` for the rest."""
    with _work_folder(request) as work:
        submission = take_submission(request.kit, request.source, work / "submission")
        with Keepers(available_cores()) as keepers:
            return _Grading(request, watcher, keepers, submission, work / "build").run()


@contextlib.contextmanager
def _work_folder(request: GradeRequest) -> Iterator[Path]:
    if request.work_folder is not None:
        request.work_folder.mkdir(parents=True, exist_ok=True)
        yield request.work_folder
    else:
        with tempfile.TemporaryDirectory(prefix="lab-grade-") as folder:
            yield Path(folder)


class _Grading:
    def __init__(
        self,
        request: GradeRequest,
        watcher: Watcher,
        keepers: Keepers,
        submission: Submission,
        build_folder: Path,
    ) -> None:
        self._request = request
        self._watcher = watcher
        self._keepers = keepers
        self._submission = submission
        self._folder = build_folder
        self._began = time.monotonic()
        self._result = Result(
            submission.name,
            integrity=list(submission.findings),
            environment={
                "base": request.base,
                "system": f"{platform.system()} {platform.release()} {platform.machine()}",
                "python": platform.python_version(),
                "cores": keepers.count,
                "complete": False,
            },
        )

    def run(self) -> Result:
        try:
            plan, made = self._prepare()
            self._give_up_unbuilt(plan, made)
            self._run_c_cases(plan, made)
            self._run_end_to_end(plan, made)
        except (KitFailed, KeeperLost) as error:
            self._result.environment["failure"] = str(error)
            self._save()
            raise KitFailed(str(error)) from error
        self._result.environment["complete"] = True
        self._save()
        return self._result

    def _prepare(self) -> "tuple[Plan, Build]":
        """Builds, and asks the end-to-end checks for their plan, side by side."""
        self._watcher.phase("Building")
        kit = self._request.kit
        asked = [self._keepers.submit(end_to_end_plan, kit, group) for group in END_TO_END_POINTS]
        plan = make_plan(kit, [test for future in asked for test in future.result()])
        self._result.milestones = unfinished(plan)
        self._places = _places(self._result.milestones)
        self._save()
        request = BuildRequest(kit.root, self._submission.tree, self._folder, self._request.base)
        made = self._keepers.submit(build, request, list(TARGETS.values())).result()
        self._result.integrity += submission_warnings(made)
        self._result.environment["compiler"] = compiler_name(self._folder)
        self._result.environment["build_seconds"] = round(made.seconds, 1)
        return plan, made

    def _give_up_unbuilt(self, plan: Plan, made: Build) -> None:
        for group, target in TARGETS.items():
            for test in plan.group(group) if target in made.failures else ():
                self._record(test.result(Status.FAILED, f"not built: {made.failures[target]}"))

    def _run_c_cases(self, plan: Plan, made: Build) -> None:
        """All of them side by side, as many at a time as there are cores."""
        tests = [
            (test, made.programs[TARGETS[milestone.id]])
            for milestone in MILESTONES
            for test in plan.group(milestone.id)
            if TARGETS[milestone.id] in made.programs
        ]
        self._watcher.phase("Testing each milestone", len(tests))
        runs = [self._keepers.submit(run_case, program, test) for test, program in tests]
        for run in concurrent.futures.as_completed(runs):
            case: CaseRun = run.result()
            self._record(case.result)

    def _run_end_to_end(self, plan: Plan, made: Build) -> None:
        for group in END_TO_END_POINTS:
            server = made.programs.get(TARGETS[group])
            tests = plan.group(group)
            if server is not None and tests and group not in self._request.left_out:
                self._watcher.phase(END_TO_END_PHASES[group], len(tests))
                run_end_to_end(self._request.kit, self._keepers, group, server, tests, self._record)

    def _record(self, test: TestResult) -> None:
        milestone, index = self._places[test.id]
        milestone.tests[index] = dataclasses.replace(test, message=self._shorten(test.message))
        self._watcher.tested(test)
        self._save()

    def _shorten(self, text: str) -> str:
        """Paths as a student knows them, the same in every run."""
        text = text.replace(f"{self._submission.tree}/", "")
        return text.replace(f"{self._request.kit.root}/", "")

    def _save(self) -> None:
        self._result.environment["seconds"] = round(time.monotonic() - self._began, 1)
        if self._request.score_file is not None:
            write_score_file(self._request.score_file, self._result)


END_TO_END_PHASES = {
    "m5.e2e": "Real clients against the echo server",
    "m5.own": "Real clients against the submission's own whole stack",
}


def _places(milestones: List[MilestoneResult]) -> Dict[str, "tuple[MilestoneResult, int]"]:
    return {
        test.id: (milestone, index)
        for milestone in milestones
        for index, test in enumerate(milestone.tests)
    }


def errors(result: Result) -> List[TestResult]:
    """The tests without a verdict: if there are any, the machine has failed, not the student."""
    return [test for test in result.tests if test.status == Status.ERROR]
