"""What happens to a class in which most submissions are hostile (tests/hostile/): to them, to the honest
ones beside them, and to the machine."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pwd
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

from grader.kit import MILESTONES, Kit
from grader.model import Result, Status, TestResult, from_json
from grader.other_user import as_user
from grader.processes import clean_environment, run_program
from grader.selftest.grading import BREAKS
from grader.selftest.hostile_class import ONLY
from grader.selftest.hostile_corpus import MARK, Hostile, read_corpus
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

LEAST = 35  # hostile submissions
_SECONDS = 900
FORBIDDEN = {"refuse": "is not run", "report": "is run, and told of"}  # as in the rubric

# The honest ones, and which of the tests that are run they fail.
_REFERENCE, _STUBS, _ONE_FAULT = "honest-reference", "honest-stubs", "honest-one-fault"
_FAULT_SHOWS_IN = "m1.resume_after_done"

Snapshot = Dict[str, Tuple[object, ...]]


def check_hostile(workshop: Workshop, tester: Tester) -> None:
    """Who cheats, breaks things or attacks gains nothing, and harms neither the others nor the machine."""
    corpus = read_corpus(workshop.kit.root / "tests" / "hostile")
    with _scene(workshop.kit, corpus) as scene:
        for user in _users():
            who = "as root" if user is None and os.getuid() == 0 else "as an ordinary user"
            for forbidden in FORBIDDEN:
                _check_class(tester, scene, user, forbidden, who)


def _users() -> List[Optional[int]]:
    """Ourselves; for root, then somebody whom nobody else is."""
    if os.getuid() != 0:
        return [None]
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    return [None, next(uid for uid in range(2000, 60000) if uid not in taken)]


# ---- The scene ------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Scene:
    corpus: List[Hostile]
    folder: Path

    @property
    def kit(self) -> Path:
        return self.folder / "kit"

    def submissions(self, forbidden: str) -> Path:
        return self.folder / f"class-{forbidden}"

    def hostile(self, forbidden: str) -> List[Hostile]:
        """All of them; to see what is refused, those that must be."""
        return [one for one in self.corpus if forbidden == "report" or one.is_refused]

    def belongs_to(self, user: int) -> None:
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, user, user, follow_symlinks=False)

    def snapshot(self) -> Snapshot:
        """All but what is being built, and what the class' results are to be."""
        not_watched = (self.kit / "build", self.folder / "out")
        found: Snapshot = {}
        for top, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if Path(top, name) not in not_watched]
            for path in (Path(top, name) for name in (*folders, *files)):
                status = path.lstat()
                is_file = not path.is_dir()
                told = (status.st_size, status.st_mtime_ns) if is_file else ()
                found[str(path.relative_to(self.folder))] = (status.st_mode, status.st_uid, *told)
        return found


@contextlib.contextmanager
def _scene(kit: Kit, corpus: List[Hostile]) -> Iterator[Scene]:
    """Copies that only this test uses, so that whatever changes there was changed by a submission."""
    with tempfile.TemporaryDirectory(prefix="lab-hostile-") as name:
        scene = Scene(corpus, Path(name))
        left_out = shutil.ignore_patterns("build", ".git", "__pycache__", ".mypy_cache")
        shutil.copytree(kit.root, scene.kit, ignore=left_out, symlinks=True)
        for folder in ("home", "tmp", "out"):
            (scene.folder / folder).mkdir()
        for forbidden in FORBIDDEN:
            for one in scene.hostile(forbidden):
                one.write(Kit(scene.kit), scene.submissions(forbidden) / one.name)
            _write_honest(kit, scene.submissions(forbidden))
        scene.folder.chmod(0o755)
        yield scene


def _write_honest(kit: Kit, folder: Path) -> None:
    trees = {_REFERENCE: kit.solutions, _STUBS: kit.milestones, _ONE_FAULT: kit.solutions}
    for name, tree in trees.items():
        for milestone in MILESTONES:
            (folder / name / milestone.path).parent.mkdir(parents=True)
            shutil.copy(tree / milestone.path, folder / name / milestone.path)
    file = folder / _ONE_FAULT / MILESTONES[0].path
    text, fault = file.read_text(encoding="utf-8"), BREAKS["m1"]
    file.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")


# ---- One grading of the class ---------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Outcome:
    results: Dict[str, Optional[Result]]
    not_graded: Dict[str, str]
    left_running: List[str]
    changes: List[str]
    seconds: float


def _check_class(
    tester: Tester, scene: Scene, user: Optional[int], forbidden: str, who: str
) -> None:
    outcomes: List[Outcome] = []
    corpus = scene.hostile(forbidden)
    what = f"what is forbidden {FORBIDDEN[forbidden]}"
    with tester.check(f"{who}, a class with {len(corpus)} hostile submissions is graded: {what}"):
        require(len(scene.corpus) >= LEAST, f"only {len(scene.corpus)} of them")
        outcomes.append(_grade_class(scene, user, forbidden))
    for outcome in outcomes:
        with tester.check("each of them ends as it must, and is told of"):
            wrong = [w for one in corpus for w in _wrong(one, outcome, forbidden)]
            require(not wrong, "\n".join(wrong))
        with tester.check("the honest submissions among them have their true scores"):
            wrong = list(_wrong_scores(outcome))
            require(not wrong, "\n".join(wrong))
        with tester.check("nothing is left running, and nothing was written"):
            left = [f"still runs: {name}" for name in outcome.left_running] + outcome.changes
            require(not left, "\n".join(left))


def _grade_class(scene: Scene, user: Optional[int], forbidden: str) -> Outcome:
    if user is not None:
        scene.belongs_to(user)
    output = scene.folder / "out" / f"{forbidden}-{user}"
    output.mkdir()
    if user is not None:
        os.chown(output, user, user)
    before, marks = scene.snapshot(), _marks()
    grading = [sys.executable, "-m", "grader.selftest.hostile_class", str(scene.kit),
               str(scene.submissions(forbidden)), str(output), f"forbidden={forbidden}"]  # fmt: skip
    ended = run_program(
        as_user(user, grading),
        seconds=_SECONDS,
        folder=scene.kit,
        environment=clean_environment(
            HOME=str(scene.folder / "home"), TMPDIR=str(scene.folder / "tmp"), PYTHONDONTWRITEBYTECODE="1"
        ),
    )  # fmt: skip
    require(ended.returncode == 0, f"exit code {ended.returncode}\n{ended.output}")
    told: Dict[str, Any] = json.loads((output / "outcome.json").read_text(encoding="utf-8"))
    return Outcome(
        {name: from_json(data) if data else None for name, data in told["results"].items()},
        told["not_graded"],
        told["left_running"],
        _differences(before, scene.snapshot()) + sorted(_marks() - marks),
        ended.seconds,
    )


def _differences(before: Snapshot, after: Snapshot) -> List[str]:
    paths = sorted(before.keys() | after.keys())
    return [f"changed: {path}" for path in paths if before.get(path) != after.get(path)]


def _marks() -> "set[str]":
    """Files of the name that hostile submissions give theirs, in places that others use, too."""
    places = ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", str(Path.home()), os.getcwd())
    return {str(path) for place in places for path in Path(place).glob(f"{MARK}*")}


# ---- What must be ---------------------------------------------------------------------------------------


def _wrong(one: Hostile, outcome: Outcome, forbidden: str) -> Iterator[str]:
    result = outcome.results.get(one.name)
    if result is None:
        yield f"{one.name}: not graded: {outcome.not_graded.get(one.name)}"
        return
    expected = {Status.FAILED} if forbidden == "refuse" else set(one.statuses)
    may_gain = one.base == "reference" or one.is_refused  # what can forge a result is to be refused
    for test in result.tests:
        own = test.id.split(".")[0] == one.milestone.id
        if test.status not in (expected if own else {Status.NOT_IMPLEMENTED}):
            yield f"{one.name}: {_said(test)}"
        elif test.points > 0 and (forbidden == "refuse" or not may_gain):
            yield f"{one.name}: has {test.points:g} points that it has not earned, for {test.id}"
    for kind, what in one.findings:
        kinds = {f.kind for f in result.integrity if re.match(rf"{re.escape(what)}[: ]", f.detail)}
        if not kinds & ({"forbidden"} if kind == "forbidden" else {"forbidden", "unusual"}):
            yield f"{one.name}: {what} is not {kind}, but: {', '.join(kinds) or 'not told of'}"


def _wrong_scores(outcome: Outcome) -> Iterator[str]:
    for name in (_REFERENCE, _STUBS, _ONE_FAULT):
        result = outcome.results.get(name)
        tests = result.tests if result else []
        if len(tests) != len(ONLY):
            yield f"{name}: {len(tests)} tests, not {len(ONLY)}: {outcome.not_graded.get(name)}"
        for test in tests:
            failing = name == _ONE_FAULT and test.id == _FAULT_SHOWS_IN
            due = Status.FAILED if failing else Status.PASSED
            due = Status.NOT_IMPLEMENTED if name == _STUBS else due
            if test.status != due or test.points != (test.max_points if due == Status.PASSED else 0):
                yield f"{name}: {_said(test)}"


def _said(test: TestResult) -> str:
    return f"{test.id}: {test.status.value}, {test.points:g} points: {test.message[:300]}"
