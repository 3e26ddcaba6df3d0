"""Runs the end-to-end checks of tests/e2e against an echo server, and follows their verdicts.

pytest writes one JSON line for each check into a file of the grader's, as soon as it is over; the
server under test never sees that file.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set

from grader.keepers import KeeperLost, Keepers
from grader.kit import Kit
from grader.model import Status, TestResult
from grader.plan import PlannedTest
from grader.processes import Ended, python_environment, run_program
from grader.record import read_verdict
from grader.run_cases import Conditions
from grader.sandbox import Sandbox, network_of_our_own

RUN_SECONDS = 600.0
_FEW_TESTS = 3
_LEAST_SHARE = 10  # checks that are worth a pytest of their own


def run_end_to_end(
    kit: Kit,
    keepers: Keepers,
    group: str,
    server: Path,
    tests: Sequence[PlannedTest],
    on_result: Callable[[TestResult], None],
    conditions: Conditions = Conditions(),
) -> None:
    """Reports a result for each of `tests`, as it comes; an error for what pytest did not get to.
    Keepers share them, for most of a check is waiting. With few of the tests of a group, only functions
    of their names are run."""
    waiting: Dict[str, PlannedTest] = {test.id: test for test in tests}

    def note(record: Dict[str, Any]) -> None:
        test = waiting.pop(str(record.get("id")), None)
        result = read_verdict(record, test) if test is not None else None
        if result is not None:
            on_result(result)

    with tempfile.TemporaryDirectory(prefix="lab-e2e-") as folder:
        shares = _start_shares(kit, keepers, group, server, tests, Path(folder), conditions)
        done = False
        while not done:
            done = not concurrent.futures.wait([s.run for s in shares], timeout=0.1).not_done
            for share in shares:
                for record in share.new_records():
                    note(record)
    for test in waiting.values():
        ending = _ending(_share_of(test, shares).run)
        on_result(test.result(Status.ERROR, f"pytest did not report it: {ending}"))


def _start_shares(
    kit: Kit,
    keepers: Keepers,
    group: str,
    server: Path,
    tests: Sequence[PlannedTest],
    folder: Path,
    conditions: Conditions,
) -> List[_Share]:
    arguments = ["--echo-server", str(server)]
    if conditions.sandbox is not None:
        arguments += ["--enclosure", str(folder / "enclosure")]
        _write_enclosure(folder / "enclosure", conditions.sandbox, server)
    if len(tests) <= _FEW_TESTS:
        names = sorted({test.name.split(".")[0] for test in tests})
        arguments += ["-k", " or ".join(f"test_{name}" for name in names)]
    count = max(1, min(keepers.count, len(tests) // _LEAST_SHARE))
    shares = []
    for number in range(1, count + 1):
        records = folder / f"records-{number}"
        own = [*arguments, "--share", f"{number}/{count}", "--records", str(records)]
        run = keepers.submit(_run_pytest, kit, group, own, conditions)
        shares.append(_Share(run, _Follower(records)))
    return shares


def _share_of(test: PlannedTest, shares: Sequence[_Share]) -> _Share:
    """The one that had it in its plan; else one that ended before it had any."""
    for share in shares:
        if test.id in share.planned:
            return share
    return next((share for share in shares if not share.planned), shares[0])


def _write_enclosure(path: Path, sandbox: Sandbox, server: Path) -> None:
    told = {
        "command": sandbox.command([], read=[server], own_network=False),
        "memory_limit": sandbox.memory_bytes,
    }
    path.write_text(json.dumps(told), encoding="utf-8")


def _run_pytest(
    kit: Kit, group: str, arguments: Sequence[str], conditions: Conditions
) -> Ended:
    command = [sys.executable, "-m", "pytest", str(kit.end_to_end), "-q", "-p", "no:cacheprovider",
               "--rootdir", str(kit.end_to_end), *arguments]  # fmt: skip
    if group == "m5.own":
        command.append("--own-stack")
    seconds = RUN_SECONDS
    if conditions.sandbox is not None:
        seconds = conditions.sandbox.limits.end_to_end_seconds
        command = network_of_our_own(command) if conditions.sandbox.enabled else command
    # Another plugin could change the order of the checks, by which they are shared.
    environment = python_environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **conditions.seed_variable)
    return run_program(command, seconds=seconds, folder=kit.root, environment=environment)


def _ending(run: "concurrent.futures.Future[Ended]") -> str:
    try:
        ended = run.result()
    except (OSError, KeeperLost) as error:
        return str(error)
    if ended.timed_out:
        return f"not done after {ended.seconds:.0f} seconds"
    return f"it ended with exit code {ended.returncode}\n{ended.output.strip()[-2000:]}".rstrip()


class _Follower:
    """Reads the whole lines that have been added to a file since the last look."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0

    def new_records(self) -> Iterator[Dict[str, Any]]:
        for line in self._new_lines():
            record = _parsed(line)
            if record is not None:
                yield record

    def _new_lines(self) -> List[bytes]:
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._read)
            whole = file.read().rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        return whole.splitlines()


@dataclasses.dataclass
class _Share:
    """Some of the checks, and pytest that runs them."""

    run: "concurrent.futures.Future[Ended]"
    follower: _Follower
    planned: Set[str] = dataclasses.field(default_factory=set)

    def new_records(self) -> Iterator[Dict[str, Any]]:
        for record in self.follower.new_records():
            self.planned |= {str(check["id"]) for check in record.get("plan", [])}
            yield record


def _parsed(line: bytes) -> Optional[Dict[str, Any]]:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
