"""The checks with real clients, shared out among keepers: each is run once, and none is lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Sequence

import pytest
from conftest import KIT_ROOT

from grader.keepers import Keepers
from grader.kit import Kit
from grader.model import Status, TestResult
from grader.plan import PlannedTest
from grader.processes import python_environment
from grader.run_e2e import run_end_to_end
from grader.student_test import InOrder

COUNT = 28
_BEGIN = """\
import os
from pathlib import Path
from .checks import check

def run(number):
    with open(Path(__file__).parent / "runs", "a") as file:
        file.write(f"{number} {os.getpid()}\\n")
    if number == ENDS_PYTEST:
        os._exit(7)
"""
_CHECK = """
@check(points=0.5, rule="P3", title="check {number}", hint="-")
def test_number_{number}():
    run({number})
"""


def make_kit(folder: Path, ends_pytest: int = -1) -> Kit:
    """With checks that only note that they are run, in the file `runs`."""
    kit = Kit(folder)
    others = shutil.ignore_patterns("test_*.py", "__pycache__")
    shutil.copytree(KIT_ROOT / "tests" / "e2e", kit.end_to_end, ignore=others)
    (kit.root / "grader").symlink_to(KIT_ROOT / "grader")
    checks = "".join(_CHECK.format(number=number) for number in range(COUNT))
    text = f"ENDS_PYTEST = {ends_pytest}\n{_BEGIN}{checks}"
    (kit.end_to_end / "test_numbers.py").write_text(text, encoding="utf-8")
    (kit.root / "server").touch()
    return kit


def planned(count: int = COUNT) -> List[PlannedTest]:
    return [PlannedTest(f"m5.e2e.number_{n}", f"check {n}", 0.5) for n in range(count)]


def results_of(kit: Kit, jobs: int, tests: Sequence[PlannedTest]) -> Dict[str, TestResult]:
    results: List[TestResult] = []
    with Keepers(jobs) as keepers:
        run_end_to_end(kit, keepers, "m5.e2e", kit.root / "server", tests, results.append)
    assert sorted(result.id for result in results) == sorted(test.id for test in tests)
    return {result.id: result for result in results}


def runs(kit: Kit) -> "Dict[int, List[int]]":
    """Which checks each process ran."""
    found: Dict[int, List[int]] = {}
    for line in (kit.end_to_end / "runs").read_text(encoding="ascii").splitlines():
        number, pid = map(int, line.split())
        found.setdefault(pid, []).append(number)
    return found


@pytest.mark.parametrize("jobs, processes", [(1, 1), (2, 2), (5, 2)])
def test_each_check_is_run_once(tmp_path: Path, jobs: int, processes: int) -> None:
    kit = make_kit(tmp_path / "kit")
    results = results_of(kit, jobs, planned())
    assert {result.status for result in results.values()} == {Status.PASSED}
    assert sorted(number for numbers in runs(kit).values() for number in numbers) == list(range(COUNT))
    assert len(runs(kit)) == processes


def test_a_few_are_not_shared(tmp_path: Path) -> None:
    kit = make_kit(tmp_path / "kit")
    results_of(kit, 2, planned(2))
    [numbers] = runs(kit).values()
    assert {0, 1} <= set(numbers) < set(range(COUNT))


def test_a_share_that_ends_early_costs_its_own_checks(tmp_path: Path) -> None:
    """They are the machine's failures, and no zero; the other share is whole."""
    kit = make_kit(tmp_path / "kit", ends_pytest=11)
    results = results_of(kit, 2, planned())
    lost = {f"m5.e2e.number_{n}" for n in range(11, COUNT, 2)}
    for id, result in results.items():
        assert result.status == (Status.ERROR if id in lost else Status.PASSED), id
        assert ("pytest did not report it: it ended with exit code 7" in result.message) == (id in lost)


@pytest.mark.parametrize("share", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2"])
def test_a_share_that_is_none_is_refused(tmp_path: Path, share: str) -> None:
    command = [sys.executable, "-m", "pytest", str(make_kit(tmp_path / "kit").end_to_end), f"--share={share}"]
    ended = subprocess.run(command, env=python_environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 4
    assert f"--share {share}: it is I/N" in ended.stderr


def test_results_are_told_in_the_order_of_the_lab() -> None:
    tests, told = planned(4), []
    in_order = InOrder(tests, lambda result: told.append(result.id))
    for number in (2, 1, 0, 3):
        in_order.tested(tests[number].result(Status.PASSED))
        assert told == [test.id for test in tests][: {2: 0, 1: 0, 0: 3, 3: 4}[number]]
    assert [result.id for result in in_order.results] == told
