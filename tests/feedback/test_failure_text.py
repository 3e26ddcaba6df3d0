"""The text of a test that did not tell it itself: an end-to-end check, or any test in `./lab grade`."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from grader.feedback.failure_text import failure_lines
from grader.model import Status, TestResult


HINT = 'the cause; handout, "Step 2: run and yield"'


def failed(message: str = "wrong", hint: str = HINT, steps: Sequence[str] = ()) -> TestResult:
    result = TestResult("m2.x", "a title", Status.FAILED, 0, 1, message=message, hint=hint)
    return dataclasses.replace(result, steps=list(steps))


def test_all_parts_are_there() -> None:
    assert failure_lines(failed(steps=["one", "two"]), "tests/x.c:3", ["gdb x", "(then: run)"]) == [
        "  steps:",
        "      1. one",
        "  ->  2. two",
        "  wrong",
        "  likely cause: the cause",
        '  read:         milestones/m2-scheduler/README.md, "Step 2: run and yield"',
        "  the test:     tests/x.c:3",
        "  run again:    ./lab test m2.x",
        "  debug:        gdb x",
        "                (then: run)",
    ]


def test_hints_of_every_source_are_understood() -> None:
    check = failure_lines(failed(hint="a cause (or two) (docs/protocol.md, P3, P4)"))
    assert check[1:3] == ["  likely cause: a cause (or two)", "  read:         docs/protocol.md, P3, P4"]
    plan = failure_lines(failed(hint="a cause (see m2-scheduler/README.md, Step 1: queue)"))
    assert plan[1] == "  likely cause: a cause"
    assert plan[2] == '  read:         milestones/m2-scheduler/README.md, "Step 1: queue"'
    assert failure_lines(failed(hint="just words"))[1] == "  likely cause: just words"
    unguessed = failure_lines(failed(hint='handout, "Step 2: run and yield"'))
    assert unguessed[1] == '  read:         milestones/m2-scheduler/README.md, "Step 2: run and yield"'


def test_what_is_long_is_cut_in_the_middle() -> None:
    steps = [f"step {number}" for number in range(1, 101)]
    message = "\n".join(f"line {number} {'x' * 500}" for number in range(1, 101))
    lines = failure_lines(failed(steps=steps, message=message), "place", ["gdb", "(note)"])
    assert len(lines) < 40
    assert lines[1] == "      1. step 1"
    assert any(line.endswith("-> 100. step 100") for line in lines)
    assert any(line.startswith("  line 1 ") for line in lines)
    assert any(line.startswith("  line 100 ") for line in lines)
    assert max(len(line) for line in lines) < 260
    assert lines[-3:] == ["  run again:    ./lab test m2.x", "  debug:        gdb", "                (note)"]


def test_a_sanitizers_report_is_told_without_addresses() -> None:
    report = (
        "the server crashed:\n"
        "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x60b0 at pc 0x1 bp 0x2 sp 0x3\n"
        "READ of size 8 at 0x60b000 thread T0\n"
        "    #0 0x55d0 in read_all /tmp/lab-x/submission/m5-echo-server/echo_server.c:88\n"
        "    #1 0x7f00 in __libc_start_main ../csu/libc-start.c:100"
    )
    assert failure_lines(failed(message=report))[:4] == [
        "  the server crashed:",
        "  ERROR: AddressSanitizer: heap-use-after-free",
        "  READ of size 8",
        "    in read_all, m5-echo-server/echo_server.c:88",
    ]
