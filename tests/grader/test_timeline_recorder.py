"""The recorder, tests/support/trace*.c: what it writes of a program and of a test."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest

from conftest import KIT_ROOT
from grader.build import BuildRequest
from grader.kit import Kit
from grader.timeline.record import built_program, chosen_test, record_test
from grader.timeline.recording import read_recording

SCENARIO = KIT_ROOT / "tests" / "timeline" / "scenario.c"
MS = 1_000_000


@pytest.fixture(scope="module", params=["gcc", "clang"])
def request_(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BuildRequest]:
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} here")
    folder = tmp_path_factory.mktemp("traced")
    options = [f"-DCMAKE_C_COMPILER={request.param}", "-DLAB_WERROR=ON"]
    tree = KIT_ROOT / "solutions"
    yield BuildRequest(KIT_ROOT, tree, folder / "build", "reference", options=options)
    shutil.rmtree(folder)


def run_scenario(request: BuildRequest, folder: Path, *arguments: str) -> Tuple[int, List[str]]:
    """Exit code, and the events without their real times and files."""
    recording = folder / "recording"
    environment = {**os.environ, "LAB_TRACE": str(recording)}
    program = built_program(request, SCENARIO)
    done = subprocess.run([str(program), *arguments], env=environment, timeout=60, check=False)
    found = read_recording(recording)
    assert list(found.files.values()) == [str(SCENARIO)]
    times = [event.time for event in found.events]
    assert times == sorted(times)
    return done.returncode, [f"{e.virtual} {e.kind} {' '.join(e.fields)}" for e in found.events]


def line_of(marker: str) -> int:
    lines = SCENARIO.read_text(encoding="utf-8").splitlines()
    [number] = [n for n, line in enumerate(lines, 1) if f"/* {marker} */" in line]
    return number


def expected() -> List[str]:
    return [
        "0 create 1 0 parent",
        "0 ready 1 0",
        "0 create 2 0 stuck",
        "0 ready 2 0",
        "0 run 1",
        "0 create 3 1 worker",
        "0 ready 3 1",
        f"0 wait 1 0 {line_of('parent awaits')} task task 'worker'",
        "0 run 2",
        f"0 wait 2 0 {line_of('stuck waits')} suspend_always suspend_always",
        "0 run 3",
        f"0 wait 3 0 {line_of('worker sleeps')} sleep sleep(until 3.000000 ms)",
        f"{3 * MS} ready 3 0",
        f"{3 * MS} run 3",
        f"{3 * MS} ready 1 3",
        f"{3 * MS} return 3 42",
        f"{3 * MS} run 1",
        f"{3 * MS} gone 3",
        f"{3 * MS} create 4 1 failing",
        f"{3 * MS} ready 4 1",
        f"{3 * MS} wait 1 0 {line_of('parent tries')} task task 'failing'",
        f"{3 * MS} run 4",
        f"{3 * MS} ready 4 4",
        f"{3 * MS} wait 4 0 {line_of('failing yields')} yield yield",
        f"{3 * MS} run 4",
        f"{3 * MS} ready 1 4",
        f"{3 * MS} throw 4 0 {line_of('failing throws')} -7 as planned",
        f"{3 * MS} run 1",
        f"{3 * MS} gone 4",
        f"{3 * MS} return 1 -7",
        f"{3 * MS} gone 1",
        f"{3 * MS} create 5 0 leaving",
        f"{3 * MS} run 5",
        f"{3 * MS} gone 5",
        f"{3 * MS} gone 2",
    ]


def test_a_program_event_by_event(request_: BuildRequest, tmp_path: Path) -> None:
    assert run_scenario(request_, tmp_path) == (0, expected())


def test_what_was_before_a_crash_is_kept(request_: BuildRequest, tmp_path: Path) -> None:
    assert run_scenario(request_, tmp_path, "crash") == (-6, expected()[:-1])


def test_without_lab_trace_nothing_is_written(request_: BuildRequest, tmp_path: Path) -> None:
    program = built_program(request_, SCENARIO)
    environment = {name: value for name, value in os.environ.items() if name != "LAB_TRACE"}
    done = subprocess.run([str(program)], cwd=tmp_path, env=environment, timeout=60, check=False)
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_a_test_with_its_steps(request_: BuildRequest) -> None:
    recorded = record_test(request_, chosen_test(Kit(KIT_ROOT), "m3.sleeps_overlap"))
    assert recorded.ending == "The test passed."
    assert [text for _, text in recorded.story.steps] == ["two tasks sleep for 50 ms each"]
    assert max(recorded.story.asleep) == 2
    assert recorded.story.virtual
    assert recorded.story.times[-1] == 50 * MS
