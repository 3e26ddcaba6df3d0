"""A tiny kit, whose test programs are small scripts, for tests of the grader."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Protocol

import pytest

KIT_ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(KIT_ROOT))

from grader.kit import MILESTONES, Kit  # noqa: E402
from grader.model import Result  # noqa: E402
from grader.plan import PlannedTest  # noqa: E402



class Program(Protocol):
    """Makes a program that can be run."""

    def __call__(self, body: str, name: str = ...) -> Path: ...


@pytest.fixture
def planned() -> PlannedTest:
    return PlannedTest("m1.value", "a value comes back", 2.0, "look at task_get")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes a test program of Python text. Its helper `report(status, ...)` writes the record."""

    def make(body: str, name: str = "test-m1") -> Path:
        path = tmp_path / name
        path.write_text(f"#!{sys.executable} -S\n{_HELPER}\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return make


_HELPER = """
import json, os, sys, time
nonce = 'LAB_NONCE_FD' in os.environ and os.read(int(os.environ['LAB_NONCE_FD']), 100).decode().strip()
MILESTONE = 'm1'
def report(status, **more):
    id = MILESTONE + '.' + sys.argv[1]
    record = {'nonce': nonce, 'id': id, 'status': status, 'seconds': 0.5}
    os.write(int(os.environ['LAB_RECORD_FD']), json.dumps({**record, **more}).encode() + b'\\n')
"""


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    """Stubs and one case for each milestone; nothing that could be built."""
    root = tmp_path / "kit"
    for milestone in MILESTONES:
        stub = root / "milestones" / milestone.path
        stub.parent.mkdir(parents=True)
        stub.write_text(f"/* stub of {milestone.id} */\n", encoding="utf-8")
        (stub.parent / "given.h").write_text("/* given */\n", encoding="utf-8")
        cases = root / "tests" / milestone.folder / "cases.def"
        cases.parent.mkdir(parents=True)
        text = f'CASE(only, {milestone.case_points}, "the only case", "Step 1", "cause")\n'
        cases.write_text(text, encoding="utf-8")
    return Kit(root)


def statuses(result: Result) -> "dict[str, str]":
    return {test.id: test.status.value for test in result.tests}
