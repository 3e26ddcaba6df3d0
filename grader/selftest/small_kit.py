"""A copy of the kit with one case in each milestone, and five checks of the echo server: what is tried of
the kit's commands does not depend on how many tests there are, and should not take as long."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.kit import END_TO_END_POINTS, MILESTONES, Kit, Milestone

CASE = "only"

_LEFT_OUT = shutil.ignore_patterns("build", ".git", ".lab", "__pycache__", ".mypy_cache")
_TRIES = {  # each layer; a stub says that it is not implemented
    "m1": ("task.h", "(void)task_destroy(NULL);"),
    "m2": ("scheduler.h", "(void)scheduler_destroy(scheduler_create(SCHEDULER_FIFO));"),
    "m3": ("timers.h", "timers *t = timers_create(lab_clock_monotonic());\n"
        "    (void)timers_driver(t);\n    timers_destroy(t);"),
    "m4": ("event_loop.h", "event_loop_destroy(NULL);"),
    "m5": ("echo_server.h", "echo_server_destroy(NULL);"),
}
_CMAKE = """\
lab_add_tests({id} main.c {case}.c)
# The harness' parts that no case of these asks for.
foreach(function task_init scheduler_start epoll_wait epoll_ctl read malloc)
  target_link_options(test-{id} PRIVATE -Wl,-u,__wrap_${{function}})
endforeach()
"""
_CHECKS_BEGIN = """\
from .checks import check
from .conftest import Connector
from .exchange import echo
from .launcher import Launcher
"""
_CHECK = """

@check(points={points:g}, own=True, rule="P3", title="What is sent comes back", hint="-")
def test_{name}(start_server: Launcher, connect: Connector) -> None:
    echo(connect(start_server()), b"hello")
"""


def make_small_kit(kit: Kit, folder: Path) -> Kit:
    """Without the tests of optional labs."""
    shutil.copytree(kit.root, folder, ignore=_LEFT_OUT, symlinks=True)
    small = Kit(folder)
    for lab in kit.labs:
        shutil.rmtree(small.cases_file(lab).parent)
    for milestone in MILESTONES:
        _write_case(kit.cases_file(milestone).parent, small.cases_file(milestone).parent, milestone)
    _leave_out_of_handout(small.root / "grader" / "handout" / "manifest.txt", "tests/x[12]-", "tests/x2-")
    for path in small.end_to_end.glob("test_*.py"):
        path.unlink()
    (small.end_to_end / "test_echo.py").write_text(_checks(), encoding="utf-8")
    return small


def _leave_out_of_handout(manifest: Path, *beginnings: str) -> None:
    lines = manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(beginnings)]
    manifest.write_text("".join(kept), encoding="utf-8")


def _write_case(whole: Path, tests: Path, milestone: Milestone) -> None:
    header, statements = _TRIES[milestone.id]
    tests.mkdir()
    for name in ("main.c", "hints.toml"):
        shutil.copy(whole / name, tests)
    line = f'CASE({CASE}, {milestone.case_points:g}, "it is there", "-", "-")\n'
    (tests / "cases.def").write_text(line, encoding="utf-8")
    cmake = _CMAKE.format(id=milestone.id, case=CASE)
    (tests / "CMakeLists.txt").write_text(cmake, encoding="utf-8")
    code = f'#include "{header}"\n#include "lab_test.h"\n\nLAB_TEST({CASE})\n{{\n    {statements}\n}}\n'
    (tests / f"{CASE}.c").write_text(code, encoding="utf-8")


def _checks() -> str:
    """As many as there are points for the own stack, of which each check gives one."""
    others = [f"another_client_{number}" for number in range(1, int(END_TO_END_POINTS["m5.own"]))]
    share = END_TO_END_POINTS["m5.e2e"] // (len(others) + 1)
    first = END_TO_END_POINTS["m5.e2e"] - share * len(others)
    checks = [_CHECK.format(points=first, name="one_client")]
    checks += [_CHECK.format(points=share, name=name) for name in others]
    return _CHECKS_BEGIN + "".join(checks)
