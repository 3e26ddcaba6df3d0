"""The grader gives everybody what is due: all for the reference, nothing for stubs, and each fault
costs the milestone that it is in."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Dict, List, Set

from grader.grade import GradeRequest, grade
from grader.kit import MILESTONES, Milestone
from grader.model import Result, Status, from_json
from grader.rubric import read_rubric
from grader.selftest.tester import CheckFailed, Tester, require
from grader.selftest.workshop import Workshop
from grader.watcher import Watcher

LEAST_END_TO_END = 15


@dataclasses.dataclass(frozen=True)
class Break:
    """A contract of one layer, broken by hand in a copy of the reference."""

    contract: str
    right: str  # must be in the reference's file exactly once
    wrong: str


# Nothing that an echo server uses, so that it cannot be noticed above.
BREAKS: Dict[str, Break] = {
    "m1": Break(
        "a finished task cannot be resumed: -EINVAL",
        "if (t == NULL || task_done(t)) {\n        return -EINVAL;",
        "if (t == NULL || task_done(t)) {\n        return -EBUSY;",
    ),
    "m2": Break(
        "a LIFO scheduler resumes the newest first",
        "bool newest = policy == SCHEDULER_LIFO;",
        "bool newest = policy != SCHEDULER_FIFO && policy != SCHEDULER_LIFO;",
    ),
    "m3": Break(
        "equal deadlines wake in the order in which they came",
        "a->deadline < b->deadline : a->order < b->order",
        "a->deadline < b->deadline : a->order > b->order",
    ),
    "m4": Break(
        "time-outs are rounded up",
        "left / MILLISECONDS(1) + (left % MILLISECONDS(1) != 0)",
        "left / MILLISECONDS(1)",
    ),
    "m5": Break(
        "an aborted connection does not end the accept loop",
        "    case -ECONNABORTED:\n",
        "",
    ),
}
CRASH = Break(
    "scheduler_run returns",
    "int scheduler_run(scheduler *s)\n{\n",
    "int scheduler_run(scheduler *s)\n{\n    *(volatile int *)0 = 1; int unused;\n",
)


def check_stubs(workshop: Workshop, tester: Tester) -> None:
    """The untouched stubs build without a warning, get 0 points, and every test says why."""
    with tester.check("milestones/ builds on clang without a warning"):
        workshop.build_layers(workshop.kit.milestones)
    with tester.check("./lab grade: no warning, 0 points, all not-implemented, exit code 0"):
        result = _grade_by_command(workshop, workshop.kit.milestones)
        require((result.score, result.max_score) == (0, 100), f"{result.score} points")
        stub = Status.NOT_IMPLEMENTED
        others = [f"{t.id}: {t.status.value}" for t in result.tests if t.status != stub]
        require(not others, "\n".join(others))
        begun = [f"{t.id}: {t.status.value}" for lab in result.extra for t in lab.tests if t.status != stub]
        require(not result.extra, "optional labs that were not begun are told of: " + "\n".join(begun))
        require(not result.integrity, "\n".join(f"{f.where}: {f.detail}" for f in result.integrity))


def check_grade(workshop: Workshop, tester: Tester) -> None:
    """The reference gets 100 points; what is wrong costs the milestone that it is in, no other."""
    work = workshop.folder / "graded"
    with tester.check(f"solutions: 100 of 100, {LEAST_END_TO_END} end-to-end checks or more"):
        result = _grade_by_command(workshop, workshop.kit.solutions, "--keep-build", str(work))
        require((result.score, result.max_score) == (100, 100), _lost(result))
        extra = [lab.id for lab in result.extra if lab.score == lab.max_score]
        optional = [lab.id for lab in workshop.kit.labs if lab not in MILESTONES]
        require(extra == optional, _lost(result))
        require(not result.integrity, "\n".join(f"{f.where}: {f.detail}" for f in result.integrity))
        count = len(_ids(result, "m5.e2e."))
        require(count >= LEAST_END_TO_END, f"only {count} end-to-end checks")
    right_server = _server(work).read_bytes() if _server(work).exists() else b""
    with tester.check("solutions with the stub of m2: all points of m1, m3 and m4"):
        result = _grade_layers(workshop, _with_stub(workshop, "m2"), work)
        _require_lost(result, {"m2", "m5.own"})
        require(_server(work).read_bytes() == right_server, "m5 is not on the reference's layers")
    for milestone in MILESTONES:
        contract = BREAKS[milestone.id].contract
        with tester.check(f"broken in {milestone.id} ({contract}): points lost there alone"):
            result = _grade_layers(workshop, _with_break(workshop, milestone, BREAKS[milestone.id]), work)
            _require_lost(result, {milestone.id})
            same = _server(work).read_bytes() == right_server
            require(same == (milestone.id != "m5"), "the echo server is built from wrong layers")
    with tester.check("a crash and a warning are told with their places in the submission's file"):
        path = MILESTONES[1].path
        broken = _with_break(workshop, MILESTONES[1], CRASH)
        before = (broken / path).read_text(encoding="utf-8").partition("*(volatile int *)0")[0]
        only, boxed = ("m2.create_and_destroy",), workshop.sandboxed
        request = GradeRequest(workshop.kit, broken, read_rubric(), sandboxed=boxed, only=only)
        result = grade(request, Watcher())
        [test], place = result.tests, f"{path}:{1 + before.count(chr(10))}"
        require(f"\nin scheduler_run, {place}" in test.message, test.message)
        require([f.where for f in result.integrity] == [place], f"warnings: {result.integrity}")


def _grade_by_command(workshop: Workshop, submission: Path, *more: str) -> Result:
    score_file = workshop.folder / "score.json"
    options = more if workshop.sandboxed else ("--no-sandbox", *more)
    workshop.lab("grade", str(submission), "--json", str(score_file), *options)
    return from_json(json.loads(score_file.read_text(encoding="utf-8")))


def _grade_layers(workshop: Workshop, submission: Path, work: Path) -> Result:
    """Without the checks of the echo server on the reference's layers: the caller compares that
    program with the one that has passed them."""
    rubric = read_rubric()
    request = GradeRequest(
        workshop.kit,
        submission,
        rubric,
        sandboxed=workshop.sandboxed,
        work_folder=work,
        left_out=("m5.e2e",),
    )
    result = grade(request, Watcher())
    for milestone in result.milestones:
        milestone.tests = [t for t in milestone.tests if not t.id.startswith("m5.e2e.")]
    return result


def _server(work: Path) -> Path:
    return work / "build" / "echo-server"


def _ids(result: Result, beginning: str) -> List[str]:
    return [test.id for test in result.tests if test.id.startswith(beginning)]


def _require_lost(result: Result, expected: Set[str]) -> None:
    """Points are lost in these groups of tests, and in no other."""
    bad = [test for test in result.tests if test.points < test.max_points]
    lost = {"m5.own" if test.id.startswith("m5.own.") else test.id.split(".")[0] for test in bad}
    require(lost == expected, f"points lost in {sorted(lost) or 'none'}\n{_lost(result)}")


def _lost(result: Result) -> str:
    """Which tests did not pass, and why."""
    bad = [test for test in result.all_tests if test.status != Status.PASSED]
    return "\n".join(f"{test.id}: {test.status.value}: {test.message}" for test in bad)


def _copy(workshop: Workshop, name: str) -> Path:
    copy = workshop.folder / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(workshop.kit.solutions, copy)
    return copy


def _with_stub(workshop: Workshop, id: str) -> Path:
    copy = _copy(workshop, f"stub-{id}")
    [path] = [milestone.path for milestone in MILESTONES if milestone.id == id]
    shutil.copy(workshop.kit.milestones / path, copy / path)
    return copy


def _with_break(workshop: Workshop, milestone: Milestone, fault: Break) -> Path:
    copy = _copy(workshop, f"broken-{milestone.id}")
    file = copy / milestone.path
    text = file.read_text(encoding="utf-8")
    if text.count(fault.right) != 1:
        raise CheckFailed(f"{milestone.path} does not have this exactly once:\n{fault.right}")
    file.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    return copy
