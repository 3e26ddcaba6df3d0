"""grader/timeline/failures.py: what failed runs again, with the recorder on, and changes no grade."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from conftest import KIT_ROOT
from recordings import BAD, STUCK
from report_results import case

from grader.build import TARGETS, BuildRequest, build
from grader.keepers import Keepers
from grader.kit import MILESTONES, Kit
from grader.model import MilestoneResult, Result, Status, TestResult, Visibility, to_json
from grader.mutants.manifest import read_catalogue
from grader.mutants.patching import apply_patch
from grader.rubric import read_rubric
from grader.run_cases import Conditions
from grader.sandbox import Sandbox, why_not
from grader.timeline import failures
from grader.timeline.excerpt import Excerpt, Lane
from grader.timeline.failures import MOST, MOST_HUNG, Again, add_timelines, chosen, timeline
from grader.watcher import Watcher

LIMITS = read_rubric().limits
OPEN = Conditions(Sandbox(LIMITS, enabled=False), seed=7)

# A test program that writes a recording, `DATA`, and ends.
RECORDS = """
with open(os.environ['LAB_TRACE'], 'wb') as file:
    file.write({data!r})
{then}
"""


@pytest.fixture(autouse=True)
def as_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest's folders are for its own user alone."""
    monkeypatch.setattr(Sandbox, "user", None)


def script(tmp_path: Path, data: bytes, then: str = "sys.exit(1)") -> List[str]:
    path = tmp_path / "test-m1"
    body = RECORDS.format(data=data, then=then)
    path.write_text(f"#!/usr/bin/python3 -S\nimport os, sys, time\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return [str(path), "only"]


def again(command: List[str], tmp_path: Path, status: Status = Status.FAILED, seconds: float = 60) -> Again:
    return Again(command, status, tmp_path / "recording", (), time.monotonic() + seconds)


def test_a_test_that_fails_again_has_a_timeline(tmp_path: Path) -> None:
    found = timeline(again(script(tmp_path, STUCK), tmp_path), OPEN)
    assert found is not None and [lane.name for lane in found.lanes] == ["reader #1", "writer #2"]
    assert not (tmp_path / "recording").exists()


@pytest.mark.parametrize("code, status", [(10, Status.CRASHED), (11, Status.TIMEOUT), (12, Status.LEAKED)])
def test_so_has_one_that_ends_badly_in_another_way(tmp_path: Path, code: int, status: Status) -> None:
    command = script(tmp_path, STUCK, f"sys.exit({code})")
    assert timeline(again(command, tmp_path, status), OPEN) is not None
    assert timeline(again(command, tmp_path, Status.FAILED), OPEN) is None


@pytest.mark.parametrize("then", ["sys.exit(0)", "os.kill(os.getpid(), 9)", "sys.exit(14)"])
def test_who_ends_differently_has_none(tmp_path: Path, then: str) -> None:
    assert timeline(again(script(tmp_path, STUCK, then), tmp_path), OPEN) is None


@pytest.mark.parametrize("data", [b"", *BAD.values()], ids=["nothing", *BAD])
def test_a_bad_recording_is_none(tmp_path: Path, data: bytes) -> None:
    assert timeline(again(script(tmp_path, data), tmp_path), OPEN) is None


def test_what_takes_the_place_of_the_recording_is_not_read(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(STUCK)
    moved = "os.unlink(os.environ['LAB_TRACE']); os.symlink({!r}, os.environ['LAB_TRACE']); sys.exit(1)"
    assert timeline(again(script(tmp_path, b"", moved.format(str(other))), tmp_path), OPEN) is None
    assert other.read_bytes() == STUCK


def test_who_never_ends_is_ended_when_time_is_up(tmp_path: Path) -> None:
    command = script(tmp_path, STUCK, "time.sleep(3600)")
    began = time.monotonic()
    assert timeline(again(command, tmp_path, Status.TIMEOUT, seconds=0.5), OPEN) is not None
    assert time.monotonic() - began < LIMITS.case_seconds / 2


def test_after_the_time_is_up_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: List[object] = []
    monkeypatch.setattr(failures, "run_program", lambda *begins, **_: begun.append(begins))
    assert timeline(again(script(tmp_path, STUCK), tmp_path, seconds=0), OPEN) is None
    assert begun == []


# ---- Which ones


def results(*tests: TestResult) -> Result:
    return Result("jo", [MilestoneResult("m1", "Task", list(tests))])


def ids(result: Result) -> List[str]:
    return [test.id for test in chosen(result, {test.id: [] for test in result.tests if test.id != "m1.unbuilt"})]


def test_those_are_chosen_that_ran_and_failed() -> None:
    tests = [case(f"m1.{status.value}", status, message=status.value) for status in Status]
    assert ids(results(*tests, case("m1.unbuilt", Status.FAILED))) == [
        "m1.failed", "m1.crashed", "m1.timeout", "m1.leaked",
    ]  # fmt: skip


def test_of_many_the_first_are_chosen_and_of_those_alike_one() -> None:
    tests = [case(f"m1.t{n}", Status.FAILED, message=f"{n // 2}") for n in range(100)]
    assert ids(results(*tests)) == [f"m1.t{2 * n}" for n in range(MOST)]


def test_of_those_that_hang_fewer_are_chosen() -> None:
    statuses = [Status.TIMEOUT] * 6 + [Status.FAILED] * 2
    tests = [case(f"m1.t{n}", status, message=str(n)) for n, status in enumerate(statuses)]
    assert ids(results(*tests)) == [f"m1.t{n}" for n in (*range(MOST_HUNG), 6, 7)]


def test_hidden_ones_are_not_chosen_and_those_seen_at_once_come_first() -> None:
    later, hidden = Visibility.AFTER_DUE_DATE, Visibility.HIDDEN
    tests = [
        case("m1.hidden", Status.FAILED, visibility=hidden), case("m1.later", Status.FAILED, visibility=later),
        case("m1.open", Status.FAILED),
    ]  # fmt: skip
    assert ids(results(*tests)) == ["m1.open", "m1.later"]


# ---- All of them


def added(result: Result, tmp_path: Path, command: List[str], jobs: int = 2) -> Result:
    with Keepers(jobs) as keepers:
        commands = {test.id: command for test in result.tests}
        add_timelines(result, commands, OPEN, keepers, Watcher(), tmp_path, ())
    return result


def failing(count: int) -> Result:
    return results(*(case(f"m1.t{n}", Status.FAILED, message=str(n)) for n in range(count)))


@pytest.mark.parametrize(
    "data", [STUCK, BAD["binary"], STUCK * 50_000], ids=["stuck", "binary", "long"]
)
def test_nothing_but_timelines_is_added(tmp_path: Path, data: bytes) -> None:
    before = to_json(failing(4))
    result = added(failing(4), tmp_path, script(tmp_path, data))
    for test in result.tests:
        test.timeline = None
    assert to_json(result) == before


def test_order_and_number_of_jobs_change_nothing(tmp_path: Path) -> None:
    command = script(tmp_path, STUCK)
    made = [to_json(added(failing(5), tmp_path, command, jobs)) for jobs in (1, 3)]
    assert made[0] == made[1]
    assert [bool(test.timeline) for test in added(failing(15), tmp_path, command).tests] == [True] * 12 + [False] * 3


def test_a_keeper_that_is_lost_costs_timelines_alone(tmp_path: Path) -> None:
    """The program ends who runs it, as running out of memory could."""
    result = added(failing(2), tmp_path, script(tmp_path, STUCK, "os.kill(os.getppid(), 9); time.sleep(60)"))
    assert [test.timeline for test in result.tests] == [None, None]
    assert "BrokenProcessPool" in result.environment["no_timelines"]
    assert result.score == 0 and result.max_score == 2


def test_a_fault_of_the_kit_is_told_and_costs_timelines_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "excerpt", lambda *_: 1 // 0)
    result = added(failing(1), tmp_path, script(tmp_path, STUCK))
    assert result.environment["no_timelines"].startswith("ZeroDivisionError")


# ---- Of real programs, in the sandbox


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dict[str, Path]]:
    """Of a submission whose tasks do not wake their parents, and whose yield does not yield."""
    folder = tmp_path_factory.mktemp("faulty")
    wanted = {("m1", "parent_is_not_woken"), ("m2", "yield_alone_goes_on")}
    mutants = read_catalogue(KIT_ROOT / "tests" / "mutants").mutants
    paths = {milestone.id: milestone.path for milestone in MILESTONES}
    shutil.copytree(Kit(KIT_ROOT).solutions, folder / "tree")
    for mutant in mutants:
        if (mutant.milestone, mutant.name) in wanted:
            file = folder / "tree" / paths[mutant.milestone]
            right = file.read_text(encoding="utf-8")
            file.write_text(apply_patch(mutant.patch.read_text("utf-8"), right), encoding="utf-8")
    made = build(BuildRequest(KIT_ROOT, folder / "tree", folder / "build"), [TARGETS["m1"], TARGETS["m2"]])
    yield {id: made.programs[TARGETS[id]] for id in ("m1", "m2")}
    shutil.rmtree(folder)


@pytest.fixture(params=[True, False], ids=["sandbox", "no sandbox"])
def conditions(request: pytest.FixtureRequest) -> Conditions:
    sandbox = Sandbox(LIMITS, enabled=request.param)
    words = why_not(sandbox)
    if words is not None:
        pytest.skip(f"no sandbox here: {words}")
    return Conditions(sandbox, seed=7)


def recorded(program: Path, name: str, tmp_path: Path, conditions: Conditions) -> Excerpt:
    found = timeline(again([str(program), "--while-fine", name], tmp_path), conditions)
    assert found is not None
    return found


def kinds(lane: Lane) -> List[str]:
    return [stretch.kind for stretch in lane.stretches]


def test_a_parent_that_nobody_wakes_waits_to_the_end(
    programs: Dict[str, Path], tmp_path: Path, conditions: Conditions
) -> None:
    found = recorded(programs["m1"], "await_gives_the_value", tmp_path, conditions)
    child, parent = found.lanes
    assert (child.name, parent.name) == ("c #1", "p #2")
    assert kinds(child) == ["new", "ready", "run", "ended"]
    assert kinds(parent) == ["new", "ready", "run", "wait"]
    last = parent.stretches[-1]
    assert (last.last, last.text) == (len(found.events), "task 'c'")
    assert last.place.startswith("actors.c:")
    assert [wake.to for wake in found.wakes if wake.by >= 0] == [0]  # the child; and nobody the parent


def test_a_yield_that_does_not_yield_is_one_long_run(
    programs: Dict[str, Path], tmp_path: Path, conditions: Conditions
) -> None:
    found = recorded(programs["m2"], "yield_alone", tmp_path, conditions)
    assert [kinds(lane) for lane in found.lanes] == [["new", "ready", "run", "ended"]] * 2
    assert [event.what for event in found.events if event.lane < 0][-1].startswith("another one that yields")


def test_nothing_else_that_is_written_in_the_sandbox_is_seen_outside(tmp_path: Path) -> None:
    sandbox = Sandbox(LIMITS)
    if why_not(sandbox) is not None:
        pytest.skip("no sandbox here")
    other = tmp_path / "other"
    command = script(tmp_path, STUCK, f"open({str(other)!r}, 'w').close(); sys.exit(1)")
    assert timeline(again(command, tmp_path), Conditions(sandbox)) is not None
    assert not other.exists()
