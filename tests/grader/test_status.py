"""./lab status, and what is kept for it between two runs."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from conftest import KIT_ROOT
from rich.console import Console

from grader import status
from grader.check_list import read_checks
from grader.kept_progress import KeptProgress, digests_of
from grader.kit import MILESTONES, Kit
from grader.model import Status, TestResult
from grader.plan import PlannedTest, c_tests
from grader.processes import python_environment
from grader.status import print_status, standings

CHECKS = [PlannedTest("m5.e2e.hello", "hello", 14), PlannedTest("m5.own.hello", "hello", 5)]


def result(id: str, state: Status, points: float = 0.0) -> TestResult:
    return TestResult(id, "the only case", state, points, 15)


@pytest.fixture
def student(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Kit:
    monkeypatch.setattr(status, "read_checks", lambda kit: CHECKS)
    return kit


def keep(kit: Kit, *results: TestResult, base: str = "own") -> None:
    digests = digests_of(kit.milestones, base)
    assert KeptProgress(kit).keep_results(results, base, digests) is None


def said(kit: Kit) -> List[str]:
    out = io.StringIO()
    print_status(Console(file=out, width=100), kit)
    return out.getvalue().splitlines()


def improve(kit: Kit) -> None:
    (kit.milestones / "m2-scheduler/scheduler.c").write_text("/* better */\n", encoding="utf-8")


def pass_all(kit: Kit) -> None:
    for milestone in MILESTONES:
        keep(kit, *(result(t.id, Status.PASSED, t.max_points) for t in c_tests(kit, milestone)))
    keep(kit, *(result(check.id, Status.PASSED, check.max_points) for check in CHECKS))


# ---- What is shown


def test_nothing_was_run(student: Kit) -> None:
    lines = said(student)
    assert lines[0] == f"m1 Task          [{'-' * 20}]      0 / 15    0 of 1 tests  not tested yet"
    assert lines[5].split() == ["0", "/", "100", "points"]
    assert lines[6] == "next: ./lab test m1  (it was not tested yet)"


def test_all_done(student: Kit) -> None:
    pass_all(student)
    lines = said(student)
    assert all(line.endswith("done") for line in lines[:5])
    assert f"[{'#' * 20}]     25 / 25    3 of 3 tests" in lines[4]
    assert lines[5].split() == ["100", "/", "100", "points"]
    assert lines[6].startswith("All done. ./lab submit")


def test_the_next_is_the_first_that_has_not_passed(student: Kit) -> None:
    pass_all(student)
    keep(student, result("m3.only", Status.CRASHED), result("m2.only", Status.FAILED))
    lines = said(student)
    assert "0 / 20    0 of 1 tests" in lines[1]
    assert lines[6] == "next: m2.only: the only case  (failed)"
    assert lines[7].split("   ")[-1].strip() == "./lab hint m2.only"
    assert "milestones/m2-scheduler/scheduler.c" in lines[8]


def test_the_next_goes_by_the_handout(student: Kit) -> None:
    """cases.def names `early` first, but it needs a later step."""
    cases = [f'CASE({name}, 7.5, "a case", "Step 1", "cause")\n' for name in ("early", "late")]
    student.cases_file(MILESTONES[0]).write_text("".join(cases), encoding="utf-8")
    handout = student.milestones / MILESTONES[0].folder / "README.md"
    handout.write_text("Green: `late`.\n\nGreen: `early`.\n", encoding="utf-8")
    keep(student, result("m1.early", Status.FAILED), result("m1.late", Status.FAILED))
    assert said(student)[6] == "next: m1.late: a case  (failed)"


def test_part_of_a_milestone(student: Kit) -> None:
    pass_all(student)
    keep(student, result("m5.own.hello", Status.FAILED))
    assert f"[{'#' * 16}----]     20 / 25    2 of 3 tests" in said(student)[4]


def test_a_file_that_was_changed_since(student: Kit) -> None:
    """m2's results depend on m2 and, on one's own base, on m1; m1's are of m1 alone."""
    pass_all(student)
    improve(student)
    lines = said(student)
    assert lines[0].endswith("done") and lines[1].endswith("changed since (all of the results)")
    assert all("changed since" in line for line in lines[2:5])
    assert lines[6] == "next: ./lab test m2  (its file has changed)"


def test_on_the_reference_only_its_own_file_counts(student: Kit) -> None:
    for id in ("m2.only", "m3.only", "m5.e2e.hello", "m5.own.hello"):
        keep(student, result(id, Status.PASSED, 1), base="reference")
    improve(student)
    changed = [id for standing in standings(student) for id in standing.changed]
    assert changed == ["m2.only", "m5.own.hello"]


def test_a_file_that_is_back_as_it_was(student: Kit) -> None:
    pass_all(student)
    source = student.milestones / "m1-task/task.c"
    before = source.read_text(encoding="utf-8")
    source.unlink()
    assert "changed since" in said(student)[0]
    source.write_text(before, encoding="utf-8")
    assert said(student)[0].endswith("done")


# ---- What is kept


def test_the_last_result_counts(kit: Kit) -> None:
    keep(kit, result("m1.only", Status.PASSED, 15), result("m2.only", Status.FAILED))
    keep(kit, result("m1.only", Status.LEAKED))
    kept = KeptProgress(kit).results()
    assert kept["m1.only"].status == Status.LEAKED and kept["m2.only"].status == Status.FAILED


def test_no_verdict_is_not_kept(kit: Kit) -> None:
    keep(kit, result("m1.only", Status.PASSED, 15))
    keep(kit, result("m1.only", Status.ERROR))
    assert KeptProgress(kit).results()["m1.only"].status == Status.PASSED


def test_what_was_built_counts_and_not_what_was_saved_later(kit: Kit) -> None:
    digests = digests_of(kit.milestones, "own")
    (kit.milestones / "m1-task/task.c").write_text("/* saved during the run */\n", encoding="utf-8")
    KeptProgress(kit).keep_results([result("m1.only", Status.PASSED, 15)], "own", digests)
    kept = KeptProgress(kit).results()["m1.only"]
    assert kept.files != digests_of(kit.milestones, "own")["m1"]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"schema": "lab-progress/2"}', '{"schema": "lab-progress/1", "results": []}'],
)
def test_a_damaged_file_is_begun_anew(kit: Kit, content: str) -> None:
    progress = KeptProgress(kit)
    progress.path.parent.mkdir()
    progress.path.write_text(content, encoding="utf-8")
    assert progress.results() == {} and progress.hints_shown("m1.only") == 0
    keep(kit, result("m1.only", Status.PASSED, 15))
    assert list(progress.results()) == ["m1.only"]


def test_a_damaged_entry_costs_itself_alone(kit: Kit) -> None:
    keep(kit, result("m1.only", Status.PASSED, 15), result("m2.only", Status.PASSED, 20))
    path = KeptProgress(kit).path
    content = json.loads(path.read_text(encoding="utf-8"))
    content["results"]["m1.only"]["status"] = "splendid"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert list(KeptProgress(kit).results()) == ["m2.only"]


def test_only_whole_files_are_seen(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash in the middle of writing leaves the old one."""
    keep(kit, result("m1.only", Status.PASSED, 15))

    def crash(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", crash)
    problem = KeptProgress(kit).keep_results([], "own", {})
    assert problem is not None and "No space left" in problem
    assert list(KeptProgress(kit).results()) == ["m1.only"]
    assert sorted(path.name for path in (kit.root / ".lab").iterdir()) == [
        "progress.json",
        "progress.lock",
    ]


def _keep_hints(kit: Kit, name: str) -> None:
    for number in range(20):
        KeptProgress(kit).keep_hints_shown(f"{name}.{number}", 1)


def test_two_at_once_lose_nothing(kit: Kit) -> None:
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=_keep_hints, args=(kit, name)) for name in ("a", "b")]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
    assert sum(KeptProgress(kit).hints_shown(f"{n}.{i}") for n in "ab" for i in range(20)) == 40


def test_a_kit_that_is_read_only(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    keep(kit, result("m1.only", Status.PASSED, 15))
    assert KeptProgress(kit).path.is_relative_to(tmp_path / "cache")
    assert list(KeptProgress(kit).results()) == ["m1.only"]
    assert not (kit.root / ".lab").exists()


# ---- The list of checks that needs no pytest


def test_the_checks_are_those_of_pytests_plan(tmp_path: Path) -> None:
    kit = Kit(KIT_ROOT)
    planned = pytests_plan(kit, tmp_path / "records") + pytests_plan(kit, tmp_path / "own", "--own-stack")
    assert read_checks(kit) == planned


def pytests_plan(kit: Kit, records: Path, *options: str) -> List[PlannedTest]:
    command = [sys.executable, "-m", "pytest", str(kit.end_to_end), "--rootdir", str(kit.end_to_end),
               "-p", "no:cacheprovider", "--plan-only", "--records", str(records), *options]  # fmt: skip
    subprocess.run(command, env=python_environment(), stdout=subprocess.DEVNULL, check=True)
    plan = json.loads(records.read_text(encoding="utf-8").splitlines()[0])["plan"]
    return [PlannedTest(entry["id"], entry["title"], entry["max_points"]) for entry in plan]
