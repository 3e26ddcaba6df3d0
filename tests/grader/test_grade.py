"""A whole grading, with small scripts in place of what is built."""

from __future__ import annotations

import dataclasses
import datetime
import json
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence

import pytest
from conftest import Program, statuses
from recordings import STUCK

from grader import grade as grade_module
from grader.build import TARGETS
from grader.exit_codes import KitFailed
from grader.grade import GradeRequest, errors, grade
from grader.kit import END_TO_END_POINTS, MILESTONES, Kit
from grader.model import Result, Status, TestResult, Visibility, from_json, to_json
from grader.patience import LESS_TIME
from grader.plan import PlannedTest
from grader.result_cache import ResultCache
from grader.rubric import LatePolicy, read_rubric
from grader.run_cases import Conditions
from grader.sandbox import Sandbox
from grader.stage import Stage
from grader.submission_build import Made, SubmissionBuild
from grader.watcher import Watcher

PASS = "report('passed')"


class FakeKit:
    """What `grade` builds and asks: replaced by scripts; the real clients always pass."""

    def __init__(self, kit: Kit, program: Program, patch: pytest.MonkeyPatch) -> None:
        self.kit = kit
        self.bodies: Dict[str, str] = {}
        self.failures: Dict[str, str] = {}
        self._program = program
        self.rubric = read_rubric()
        self.jobs = 0
        self.timelines = False
        self.cache: Optional[ResultCache] = None
        self.submitted: Optional[datetime.datetime] = None
        patch.setattr(grade_module, "make_stage", _make_stage)
        patch.setattr(grade_module, "build_submission", _build)
        patch.setattr(Sandbox, "user", None)  # pytest's folders are for its own user alone
        patch.setattr(grade_module, "run_end_to_end", _run_end_to_end)

    def grade(self, watcher: Optional[Watcher] = None, score_file: Optional[Path] = None) -> Result:
        programs = {
            target: Made(
                self._program(f"MILESTONE = {group!r}\n{self.bodies.get(group, PASS)}", target),
                self.failures.get(target, ""),
            )
            for group, target in TARGETS.items()
        }
        _made.clear()
        _made.append(SubmissionBuild({}, programs, [], 1.0))
        request = GradeRequest(
            self.kit,
            self.kit.milestones,
            self.rubric,
            sandboxed=False,
            score_file=score_file,
            submitted=self.submitted,
            jobs=self.jobs,
            timelines=self.timelines,
            cache=self.cache,
        )
        return grade(request, watcher or Watcher())


_made: List[SubmissionBuild] = []  # what the next build gives


def _make_stage(kit: Kit, base: str, sandbox: Sandbox, folder: Path) -> Stage:
    return Stage(folder, folder, {}, {}, {}, "a compiler", _checks())


def _build(*_: object) -> SubmissionBuild:
    return _made[0]


def _no_build(*_: object) -> SubmissionBuild:
    raise KitFailed("the disk is full")


def _checks() -> List[PlannedTest]:
    return [
        PlannedTest(f"{group}.hello", "hello comes back", points)
        for group, points in END_TO_END_POINTS.items()
    ]


def _run_end_to_end(
    kit: Kit, keepers: object, group: str, server: Path,
    tests: Sequence[PlannedTest], on_result: Callable[[TestResult], None], conditions: Conditions,
) -> None:  # fmt: skip
    for test in tests:
        on_result(test.result(Status.PASSED))


@pytest.fixture
def fake(kit: Kit, program: Program, monkeypatch: pytest.MonkeyPatch) -> FakeKit:
    return FakeKit(kit, program, monkeypatch)


def test_all_passed_is_full_score(fake: FakeKit, tmp_path: Path) -> None:
    result = fake.grade(score_file=tmp_path / "r.json")
    assert (result.score, result.max_score, errors(result)) == (100, 100, [])
    written = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (written["schema"], written["score"]) == ("lab-result/1", 100)
    assert written["score"] == sum(m["score"] for m in written["milestones"])
    assert written["environment"]["complete"] is True
    assert to_json(from_json(written)) == written
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_one_failure_costs_that_test_alone(fake: FakeKit) -> None:
    fake.bodies["m2"] = "report('failed', message='no')"
    result = fake.grade()
    assert [m.score for m in result.milestones] == [15, 0, 20, 20, 25]


def test_a_file_that_does_not_compile_costs_its_milestone(fake: FakeKit) -> None:
    fake.failures = {"test-m3": "m3-sleep/timers.c:7:1: error: expected ';'"}
    result = fake.grade()
    assert [m.score for m in result.milestones] == [15, 20, 0, 20, 25]
    [test] = result.milestones[2].tests
    assert test.message == "not built: m3-sleep/timers.c:7:1: error: expected ';'"


def test_a_crash_and_a_hang_touch_no_other_test(fake: FakeKit) -> None:
    limits = dataclasses.replace(fake.rubric.limits, case_seconds=1)
    fake.rubric = dataclasses.replace(fake.rubric, limits=limits)
    fake.bodies["m1"] = "os.abort()"
    fake.bodies["m2"] = "time.sleep(60)"
    found = statuses(fake.grade())
    assert (found["m1.only"], found["m2.only"]) == ("early-exit", "timeout")
    assert set(found.values()) == {"early-exit", "timeout", "passed"}


def test_results_are_written_as_they_come(fake: FakeKit, tmp_path: Path) -> None:
    """What a reader sees in the middle: verdicts so far, and no zeros for the rest."""
    path = tmp_path / "r.json"
    seen: List[Dict[str, str]] = []

    class Reader(Watcher):
        def tested(self, test: TestResult) -> None:
            seen.append(statuses(from_json(json.loads(path.read_text(encoding="utf-8")))))

    fake.grade(Reader(), score_file=path)
    assert set(seen[0].values()) == {"error"} and len(seen[0]) == 7
    for earlier, later in zip(seen, seen[1:]):
        done = [id for id in later if later[id] != "error" and earlier[id] == "error"]
        assert len(done) == 1


def test_a_machine_failure_is_no_zero(
    fake: FakeKit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grade_module, "build_submission", _no_build)
    with pytest.raises(KitFailed, match="the disk is full"):
        fake.grade(score_file=tmp_path / "r.json")
    result = from_json(json.loads((tmp_path / "r.json").read_text(encoding="utf-8")))
    assert {test.message for test in errors(result)} == {"not run yet"} and len(errors(result)) == 7
    assert result.environment["failure"] == "the disk is full"


def test_grading_leaves_nothing_behind(
    fake: FakeKit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    before = sorted(fake.kit.root.rglob("*"))
    fake.grade()
    assert sorted(fake.kit.root.rglob("*")) == before
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_rubric_shares_the_points_out(fake: FakeKit) -> None:
    fake.rubric = dataclasses.replace(
        fake.rubric,
        points={**fake.rubric.points, "m1": 40, "m5": 30},
        weights={"m5.only": 0, "m5.own.hello": 1, "m5.e2e.hello": 2},
        visibilities=(("m5.own.*", Visibility.HIDDEN),),
    )
    fake.bodies["m5"] = "report('failed')"
    result = fake.grade()
    assert (result.score, result.max_score) == (130, 130)
    assert {t.id: t.max_points for t in result.milestones[4].tests} == {
        "m5.only": 0, "m5.e2e.hello": 20, "m5.own.hello": 10
    }  # fmt: skip
    hidden = [t.id for t in result.tests if t.visibility == Visibility.HIDDEN]
    assert hidden == ["m5.own.hello"]


def test_the_seed_reaches_the_tests(fake: FakeKit) -> None:
    fake.rubric = dataclasses.replace(fake.rubric, seed=77)
    fake.bodies["m1"] = "report('passed' if os.environ['LAB_SEED'] == '77' else 'failed')"
    result = fake.grade()
    assert result.score == 100
    assert result.environment["seed"] == 77


def test_lateness_is_taken_off(fake: FakeKit) -> None:
    due = datetime.datetime(2027, 1, 15, tzinfo=datetime.timezone.utc)
    policy = LatePolicy(10, due, datetime.timedelta())
    fake.rubric = dataclasses.replace(fake.rubric, late=policy)
    fake.submitted = due + datetime.timedelta(hours=30)
    result = fake.grade()
    assert result.late is not None
    assert (result.late.days, result.late.points, result.score) == (2, 20, 80)


def test_where_much_hangs_the_rest_is_given_less_time(fake: FakeKit) -> None:
    cases = fake.kit.cases_file(MILESTONES[1])
    lines = [f'CASE(c{n:02}, 1, "one of many", "Step 1", "cause")\n' for n in range(20)]
    cases.write_text("".join(lines), encoding="utf-8")
    fake.bodies["m2"] = "report('timeout', message=os.environ.get('CK_TIMEOUT_MULTIPLIER', '1'))"
    fake.bodies["m3"] = "report('passed' if 'CK_TIMEOUT_MULTIPLIER' not in os.environ else 'failed')"
    fake.jobs = 1
    result = fake.grade()
    assert [test.message for test in result.milestones[1].tests] == ["1"] * 5 + [f"0.3\n{LESS_TIME}"] * 15
    assert result.milestones[2].score == 20


FAILS_AND_IS_RECORDED = f"""
if 'LAB_TRACE' in os.environ:
    with open(os.environ['LAB_TRACE'], 'wb') as file:
        file.write({STUCK!r})
    sys.exit(1)
report('failed')
"""


def test_timelines_are_made_if_they_are_asked_for_and_change_no_grade(fake: FakeKit, tmp_path: Path) -> None:
    fake.bodies["m2"] = fake.bodies["m4"] = FAILS_AND_IS_RECORDED
    without = fake.grade()
    assert [test.id for test in without.tests if test.timeline] == []
    fake.timelines = True
    result = fake.grade(score_file=tmp_path / "r.json")
    assert [test.id for test in result.tests if test.timeline] == ["m2.only", "m4.only"]
    assert (result.score, statuses(result)) == (without.score, statuses(without))
    assert "no_timelines" not in result.environment and result.environment["complete"] is True
    written = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert from_json(written).tests == result.tests


def test_a_second_run_that_passes_gives_no_points(fake: FakeKit) -> None:
    fake.timelines = True
    fake.bodies["m2"] = "sys.exit(0) if 'LAB_TRACE' in os.environ else report('failed')"
    result = fake.grade()
    assert (result.score, statuses(result)["m2.only"]) == (80, "failed")
    assert [test.id for test in result.tests if test.timeline] == []


def test_the_cache_has_the_timelines_too(fake: FakeKit, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    fake.timelines, fake.cache = True, ResultCache(tmp_path / "cache", "conditions")
    fake.bodies["m2"] = FAILS_AND_IS_RECORDED
    first = fake.grade()
    fake.bodies["m2"] = PASS  # is not run
    assert fake.grade().tests == first.tests
    assert [test.id for test in first.tests if test.timeline] == ["m2.only"]
