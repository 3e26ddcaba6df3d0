"""Grades one submission: takes its files, builds, runs every test, and keeps the score file current."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import platform
import shutil
import tempfile
import time
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

from grader.build import TARGETS, submission_warnings
from grader.exit_codes import KitFailed
from grader.integrity.inspect import inspect_objects, to_findings
from grader.keepers import KeeperLost, Keepers, available_cores
from grader.kit import END_TO_END_POINTS, MILESTONES, OPTIONAL, Kit
from grader.late import lateness
from grader.model import MilestoneResult, Result, Status, TestResult
from grader.plan import Plan, PlannedTest, choose, make_plan, restrict, unfinished, weigh
from grader.result_cache import ResultCache
from grader.rubric import Rubric
from grader.run_cases import Conditions, in_handfuls, run_cases, side_by_side
from grader.run_e2e import run_end_to_end
from grader.sandbox import Sandbox, require_reach, require_sandbox
from grader.score_file import write_score_file
from grader.stage import SHOWN_AS, Stage, make_stage
from grader.submissions.take import Submission, labs_in, take_submission
from grader.submission_build import Made, Place, SubmissionBuild, build_submission
from grader.timeline.failures import add_timelines
from grader.watcher import Watcher


@dataclasses.dataclass(frozen=True)
class GradeRequest:
    kit: Kit
    source: Path  # folder or archive
    rubric: Rubric
    sandboxed: bool = True
    score_file: Optional[Path] = None
    submitted: Optional[datetime.datetime] = None  # with time zone; None: not known
    jobs: int = 0  # programs that run at a time; 0: as many as there are cores
    stage: Optional[Stage] = None  # of this kit and base; None: it is made
    work_folder: Optional[Path] = None  # emptied, and kept; None: a temporary one
    name: str = ""  # of the submission; "": that of the folder or archive
    cache: Optional[ResultCache] = None
    taken: Optional[Path] = None  # where the files that are taken are kept; None: nowhere
    left_out: Sequence[str] = ()  # groups of end-to-end checks that are not run
    timelines: bool = False  # of tests that failed, for pages
    only: Sequence[str] = ()  # patterns of tests' ids; (): all of them

    @property
    def sandbox(self) -> Sandbox:
        return Sandbox(self.rubric.limits, self.sandboxed, (self.kit.root, self.source.resolve()))


def grade(request: GradeRequest, watcher: Watcher) -> Result:
    """SubmissionError if there is nothing to grade. KitFailed if grading broke off: the score file
    then has what was found out until then, and `error` for the rest."""
    with _work_folder(request) as work:
        submission = take_submission(request.kit, request.source, work / "submission")
        submission = dataclasses.replace(submission, name=request.name or submission.name)
        require_sandbox(request.sandbox)
        require_reach(request.sandbox, work)
        if request.taken is not None:
            shutil.copytree(submission.tree, request.taken, dirs_exist_ok=True)
        if request.cache is None:
            return _grade_taken(request, watcher, submission, work)
        return _grade_once(request, request.cache, watcher, submission, work)


def _grade_once(
    request: GradeRequest, cache: ResultCache, watcher: Watcher, submission: Submission, work: Path
) -> Result:
    """What the cache has of the same files, with what is this submission's own."""
    key = cache.key(submission.tree)
    with cache.alone_with(key):
        found = cache.find(key)
        if found is None:
            result = _grade_taken(request, watcher, submission, work)
            own = result.integrity[len(submission.findings) :]
            cache.keep(key, dataclasses.replace(result, submission="", integrity=own, late=None))
            return result
    result = dataclasses.replace(
        found,
        submission=submission.name,
        integrity=[*submission.findings, *found.integrity],
        late=lateness(request.rubric.late, request.submitted, found.max_score),
    )
    if request.score_file is not None:
        write_score_file(request.score_file, result)
    return result


def _grade_taken(
    request: GradeRequest, watcher: Watcher, submission: Submission, work: Path
) -> Result:
    with Keepers(request.jobs or available_cores()) as keepers:
        return _Grading(request, watcher, keepers, submission, work).run()


@contextlib.contextmanager
def _work_folder(request: GradeRequest) -> Iterator[Path]:
    if request.work_folder is not None:
        shutil.rmtree(request.work_folder, ignore_errors=True)
        request.work_folder.mkdir(parents=True)
        request.sandbox.lend(request.work_folder)
        yield request.work_folder
    else:
        with tempfile.TemporaryDirectory(prefix="lab-grade-") as folder:
            request.sandbox.lend(Path(folder))
            yield Path(folder)


_HANDFUL = 16  # tests that share a program


class _Grading:
    def __init__(
        self,
        request: GradeRequest,
        watcher: Watcher,
        keepers: Keepers,
        submission: Submission,
        work: Path,
    ) -> None:
        self._request = request
        self._watcher = watcher
        self._keepers = keepers
        self._submission = submission
        self._work = work
        self._sandbox = request.sandbox
        self._refuses = request.rubric.refuses_forbidden
        self._conditions = Conditions(self._sandbox, request.rubric.seed)
        self._began = time.monotonic()
        self._result = Result(
            submission.name,
            integrity=list(submission.findings),
            environment={
                "base": request.rubric.base,
                "seed": request.rubric.seed,
                "sandbox": request.sandboxed,
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
        self._result.extra = [lab for lab in self._result.extra if _is_begun(lab)]
        self._result.environment["complete"] = True
        self._save()
        if self._request.timelines:
            self._add_timelines(plan, made)
        return self._result

    def _prepare(self) -> "tuple[Plan, SubmissionBuild]":
        self._watcher.phase("Building")
        request = self._request
        self._stage = stage = request.stage or self._make_stage()
        rubric = request.rubric
        weighed = weigh(make_plan(request.kit, stage.checks), rubric)
        handed_in = {lab.id for lab in labs_in(self._submission.tree) if rubric.points_of(lab.id)}
        counted = {milestone.id for milestone in MILESTONES}
        plan = choose(restrict(weighed, counted | handed_in), request.only)
        self._result.milestones = unfinished(plan, MILESTONES)
        self._result.extra = unfinished(plan, OPTIONAL)
        self._result.late = lateness(
            rubric.late, request.submitted, self._result.max_score
        )
        self._places = _places([*self._result.milestones, *self._result.extra])
        self._save()
        place = Place(stage, self._sandbox, self._submission.tree, self._work / "build")
        targets = [target for group, target in TARGETS.items() if plan.group(group)]
        made = build_submission(place, targets, self._keepers, self._refused)
        self._result.integrity += submission_warnings(made.warnings)
        self._result.environment["compiler"] = stage.compiler
        self._result.environment["build_seconds"] = round(made.seconds, 1)
        return plan, made

    def _make_stage(self) -> Stage:
        folder = self._work / "stage"
        folder.mkdir()
        self._sandbox.lend(folder)
        return make_stage(self._request.kit, self._request.rubric.base, self._sandbox, folder)

    def _refused(self, objects: Dict[str, Made]) -> Dict[str, str]:
        """Files that could forge what their tests say, and why."""
        there = {path: made.path for path, made in objects.items() if made.exists}
        uses = inspect_objects(self._stage, self._sandbox, there)
        self._result.integrity += to_findings(uses)
        forbidden = [use for use in uses if use.forbidden] if self._refuses else []
        return {
            use.path: f"refused: {use.where}: {use.what}: {use.reason}"
            for use in reversed(forbidden)
        }

    def _give_up_unbuilt(self, plan: Plan, made: SubmissionBuild) -> None:
        for group, target in TARGETS.items():
            for test in plan.group(group):
                program = made.programs[target]
                if not program.exists:
                    self._record(test.result(Status.FAILED, f"not built: {program.failure}"))

    def _run_c_cases(self, plan: Plan, made: SubmissionBuild) -> None:
        """All of them side by side, as many at a time as there are keepers."""
        tests = _c_cases(plan, made)
        self._watcher.phase("Testing each milestone", len(tests))
        handfuls = in_handfuls(tests, _HANDFUL)
        for result in side_by_side(self._keepers, handfuls, run_cases, self._conditions_of):
            self._record(result)

    def _conditions_of(self, test: PlannedTest) -> Conditions:
        milestone, _ = self._places[test.id]
        return self._conditions.after(milestone.tests)

    def _run_end_to_end(self, plan: Plan, made: SubmissionBuild) -> None:
        for group in END_TO_END_POINTS:
            tests = plan.group(group)
            server = made.programs[TARGETS[group]] if tests else None
            if server and server.exists and group not in self._request.left_out:
                self._watcher.phase(END_TO_END_PHASES[group], len(tests))
                run_end_to_end(
                    self._request.kit,
                    self._keepers,
                    group,
                    server.path,
                    tests,
                    self._record,
                    self._conditions,
                )

    def _add_timelines(self, plan: Plan, made: SubmissionBuild) -> None:
        cases = _c_cases(plan, made)
        commands = {test.id: [str(path), "--while-fine", test.name] for test, path in cases}
        roots = (Path(SHOWN_AS), self._request.kit.milestones, self._request.kit.root)
        add_timelines(
            self._result, commands, self._conditions, self._keepers, self._watcher, self._work, roots
        )
        self._save()

    def _record(self, test: TestResult) -> None:
        milestone, index = self._places[test.id]
        milestone.tests[index] = dataclasses.replace(test, message=self._shorten(test.message))
        self._watcher.tested(test)
        self._save()

    def _shorten(self, text: str) -> str:
        """Paths as a student knows them, the same in every run."""
        text = text.replace(f"{SHOWN_AS}/", "").replace(f"{self._submission.tree}/", "")
        return text.replace(f"{self._request.kit.root}/", "")

    def _save(self) -> None:
        self._result.environment["seconds"] = round(time.monotonic() - self._began, 1)
        if self._request.score_file is not None:
            write_score_file(self._request.score_file, self._result)


END_TO_END_PHASES = {
    "m5.e2e": "Real clients against the echo server",
    "m5.own": "Real clients against the submission's own whole stack",
}


def _c_cases(plan: Plan, made: SubmissionBuild) -> List["tuple[PlannedTest, Path]"]:
    """Those that can be run, with their programs."""
    return [
        (test, made.programs[TARGETS[id]].path)
        for id in plan.milestones
        for test in plan.group(id)
        if made.programs[TARGETS[id]].exists
    ]


def _is_begun(lab: MilestoneResult) -> bool:
    """Stubs that were handed in as they are say nothing. (Nor does a lab that this run leaves out, whose
    name is all that is told.)"""
    return not lab.tests or any(test.status != Status.NOT_IMPLEMENTED for test in lab.tests)


def _places(milestones: List[MilestoneResult]) -> Dict[str, "tuple[MilestoneResult, int]"]:
    return {
        test.id: (milestone, index)
        for milestone in milestones
        for index, test in enumerate(milestone.tests)
    }


def errors(result: Result) -> List[TestResult]:
    """The tests without a verdict: if there are any, the machine has failed, not the student."""
    return [test for test in result.all_tests if test.status == Status.ERROR]
