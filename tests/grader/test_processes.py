"""Bounds on what is run: time, output, and processes left behind."""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from pathlib import Path
from typing import Optional

import pytest
from conftest import Program

from grader.keepers import Keepers
from grader.model import Status
from grader.plan import PlannedTest
from grader.processes import Ended, python_environment, run_program
from grader.rubric import read_rubric
from grader.run_cases import Conditions, run_case
from grader.sandbox import Sandbox


def run_python(text: str, seconds: float = 20) -> Ended:
    return run_program([sys.executable, "-S", "-c", text], seconds=seconds)


def is_alive(pid: int) -> bool:
    """A zombie, which nobody has reaped yet, is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def has_ended(pid: int) -> bool:
    """It was killed; the kernel may need a moment until that is done."""
    end = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.005)
    return not is_alive(pid)


# Leaves a grandchild in a session of its own, deaf to SIGTERM, that holds the output open.
ORPHAN = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        with open(PIDFILE, 'w') as file: file.write(str(os.getpid()))
        time.sleep(60)
    time.sleep(60)
while not os.path.exists(PIDFILE): time.sleep(0.01)
time.sleep(0.1)
"""


@pytest.mark.parametrize("ending", ["", "time.sleep(60)"], ids=["exits", "times-out"])
def test_setsid_grandchild_is_ended(
    tmp_path: Path,
    program: Program,
    planned: PlannedTest,
    ending: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Sandbox, "user", None)  # pytest's folders are for its own user alone
    limits = dataclasses.replace(read_rubric().limits, case_seconds=2)
    conditions = Conditions(Sandbox(limits, enabled=False))
    pid_file = tmp_path / "pid"
    path = program(f"PIDFILE = {str(pid_file)!r}\n{ORPHAN}\n{ending}")
    began = time.monotonic()
    with Keepers(1) as keepers:
        result = keepers.submit(run_case, path, planned, conditions).result().result
    assert time.monotonic() - began < 10
    assert has_ended(int(pid_file.read_text(encoding="ascii")))
    assert result.status == (Status.TIMEOUT if ending else Status.EARLY_EXIT)
    assert not ending or result.message == "not done after 2 seconds"


def test_group_is_ended_without_a_keeper(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    text = f"import os, time\nif os.fork() == 0:\n  open({str(pid_file)!r}, 'w').write(str(os.getpid()))"
    ended = run_python(text + "\ntime.sleep(60)", seconds=1.0)
    assert (ended.timed_out, ended.returncode) == (True, -9)
    assert has_ended(int(pid_file.read_text(encoding="ascii")))


def test_endless_output_keeps_both_ends() -> None:
    text = "import sys\nprint('first')\nsys.stdout.write('x' * 5_000_000)\nprint('last')"
    ended = run_python(text)
    assert ended.output.startswith("first\n") and ended.output.endswith("last\n")
    assert "bytes cut here" in ended.output and len(ended.output) < 200_000


def test_output_and_errors_come_in_order() -> None:
    text = "import os\nos.write(1, b'one ')\nos.write(2, b'two ')\nos.write(1, b'three')"
    assert run_python(text).output == "one two three"


def test_environment_of_the_user_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    assert run_python("import os; print(os.environ.get('ASAN_OPTIONS'))").output == "None\n"


def test_no_descriptors_leak() -> None:
    before = len(os.listdir("/proc/self/fd"))
    run_python("pass")
    with pytest.raises(OSError):
        run_program(["/nowhere"], seconds=1)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("prefix", [None, "elsewhere"])
def test_compiled_python_is_never_between_the_sources(
    prefix: Optional[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "module.py").touch()
    monkeypatch.setattr(sys, "pycache_prefix", prefix and str(tmp_path / prefix))
    command = [sys.executable, "-c", "import sys; sys.path[0] = '.'; import module"]
    run_program(command, seconds=60, folder=tmp_path, environment=python_environment())
    assert {path.name for path in tmp_path.iterdir()} == {"module.py"} | ({prefix} if prefix else set())
