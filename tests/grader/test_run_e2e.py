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
import pytest
from .checks import check
from .verdicts import NoFirstEcho, Status, TimedOut

def run(number):
    with open(Path(__file__).parent / "runs", "a") as file:
        file.write(f"{number} {os.getpid()}\\n")
    if number == ENDS_PYTEST:
        os._exit(7)

@pytest.fixture
def patience(start_server):
    return start_server._patience
"""
_CHECK = """
@check(points=0.5, needs_echo=False, rule="P3", title="check {number}", hint="-")
def test_number_{number}(patience):
    run({number})
    if {number} < HANG:
        message = "waited for " + str(patience) + " s, in vain"
        raise NoFirstEcho(message, status=Status.TIMEOUT) if FOUND_BEFORE else TimedOut(message)
    assert patience == (3 if HANG >= 5 and not FOUND_BEFORE else 10)
"""


def make_kit(folder: Path, ends_pytest: int = -1, hang: int = 0, found_before: bool = False) -> Kit:
    """With checks that only note that they are run, in the file `runs`, of which the first may hang, or say what
    was found before."""
    kit = Kit(folder)
    others = shutil.ignore_patterns("test_*.py", "__pycache__")
    shutil.copytree(KIT_ROOT / "tests" / "e2e", kit.end_to_end, ignore=others)
    (kit.root / "grader").symlink_to(KIT_ROOT / "grader")
    checks = "".join(_CHECK.format(number=number) for number in range(COUNT))
    text = f"ENDS_PYTEST, HANG, FOUND_BEFORE = {ends_pytest}, {hang}, {found_before}\n{_BEGIN}{checks}"
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


def test_a_share_that_ends_before_its_plan_is_named(tmp_path: Path) -> None:
    kit = make_kit(tmp_path / "kit")
    with (kit.end_to_end / "test_numbers.py").open("a", encoding="utf-8") as file:
        file.write("import sys\nif '2/2' in sys.argv:\n    os._exit(9)\n")
    results = results_of(kit, 2, planned())
    for number, result in enumerate(results[test.id] for test in planned()):
        assert result.status == (Status.ERROR if number % 2 else Status.PASSED)
        assert ("it ended with exit code 9" in result.message) == bool(number % 2)


@pytest.mark.parametrize("hang", [4, 5, 7])
def test_where_much_hangs_each_wait_is_shorter(tmp_path: Path, hang: int) -> None:
    kit = make_kit(tmp_path / "kit", hang=hang)
    results = list(results_of(kit, 1, planned()).values())
    waited = [result.message.splitlines()[0] for result in results if result.status == Status.TIMEOUT]
    assert waited == [f"waited for {10.0 if n < 5 else 3.0} s, in vain" for n in range(hang)]
    assert [r.message for r in results if r.status not in (Status.TIMEOUT, Status.PASSED)] == []


def test_what_was_found_once_is_waited_for_once(tmp_path: Path) -> None:
    kit = make_kit(tmp_path / "kit", hang=7, found_before=True)
    results = list(results_of(kit, 1, planned()).values())
    assert [r.message.splitlines()[0] for r in results[:7]] == ["waited for 10.0 s, in vain"] * 7
    assert {r.status for r in results[7:]} == {Status.PASSED}


@pytest.mark.parametrize("share", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2"])
def test_a_share_that_is_none_is_refused(tmp_path: Path, share: str) -> None:
    command = [sys.executable, "-m", "pytest", str(make_kit(tmp_path / "kit").end_to_end), f"--share={share}"]
    ended = subprocess.run(command, env=python_environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 4
    assert f"--share {share}: it is I/N" in ended.stderr


def test_results_are_told_in_the_order_of_the_lab() -> None:
    told: List[str] = []
    in_order = InOrder(["a", "b", "c", "d"], told.append)
    seen = []
    for id in "cbad":
        in_order.add(id, id.upper())
        seen.append("".join(told))
    assert seen == ["", "", "ABC", "ABCD"]
    assert in_order.told == told
