"""What the C harness says of tests that fail in every way it knows."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("LAB_BUILD_DIR", ROOT / "build" / "student"))
PROGRAM = BUILD / "tests" / "support" / "selftest" / "lab-selftest"
NONCE = "N0NCE-SECRET-0123456789"

PASSED, FAILED, WRONG_USE, ERROR = 0, 1, 2, 3
CRASHED, TIMEOUT, LEAKED, EARLY_EXIT, NOT_IMPLEMENTED = 10, 11, 12, 13, 14


def built_with(sanitizer: str) -> bool:
    """Whether the build was configured with this sanitizer."""
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    line = next(line for line in cache.splitlines() if line.startswith("LAB_SANITIZE:"))
    return sanitizer in line


asan = pytest.mark.skipif(not built_with("address"), reason="the build has no AddressSanitizer")


@dataclass
class Run:
    """One case that was run: how the program ended, what it printed, its sealed record."""

    code: int
    text: str
    records: list[dict[str, Any]]

    @property
    def record(self) -> dict[str, Any]:
        assert len(self.records) == 1
        return self.records[0]


def run(*arguments: str, under: Sequence[str] = (), nonce: str = NONCE, **environment: str) -> Run:
    """Runs the program with a sealed record, as the grader does; `under`: a command before it."""
    nonce_in, nonce_out = os.pipe()
    record_in, record_out = os.pipe()
    os.write(nonce_out, nonce.encode() + b"\n")
    os.close(nonce_out)
    variables = {"LAB_NONCE_FD": str(nonce_in), "LAB_RECORD_FD": str(record_out)}
    done = subprocess.run(
        [*under, str(PROGRAM), *arguments],
        env={**os.environ, "LAB_SEED": "", **variables, **environment},
        pass_fds=(nonce_in, record_out),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    os.close(nonce_in)
    os.close(record_out)
    with os.fdopen(record_in, "rb") as stream:
        lines = stream.read().decode("utf-8").splitlines()
    text = done.stdout.decode("utf-8", errors="replace")
    return Run(done.returncode, text, [json.loads(line) for line in lines])


def check(name: str, code: int, status: str, *said: str, **environment: str) -> Run:
    """Runs a case and looks at exit code, record and the pieces of text that must be there."""
    result = run(name, **environment)
    assert result.code == code, result.text
    assert result.record["status"] == status
    assert result.record["id"] == f"m0.{name}"
    assert result.record["nonce"] == NONCE
    assert result.record["seconds"] >= 0
    for piece in said:
        assert piece in result.text
    assert len(result.text.splitlines()) <= 40
    assert NONCE not in result.text
    return result


CASES_THAT_PASS = [
    "passes",
    "passes_noisily",
    "passes_by_chance",
    "sees_no_secret",
    "injects_emfile",
    "injects_in_steps",
    "cuts_transfers",
    "leaves_own_calls_alone",
    "fails_allocations",
    "counts_blocks",
    "counts_descriptors",
    "waits_on_virtual_time",
]


@pytest.mark.parametrize("name", CASES_THAT_PASS)
def test_case_that_holds_passes(name: str) -> None:
    result = check(name, PASSED, "passed", f"m0.{name}: ")
    assert result.record["message"] == ""
    assert result.record["hint"] == ""
    assert len(result.text.splitlines()) == 1


def test_failure_is_told_step_by_step() -> None:
    result = check("fails_int", FAILED, "failed")
    lines = [line.strip() for line in result.text.splitlines()]
    assert lines[:7] == [
        "failed  m0.fails_int: a number is wrong",
        "steps:",
        "1. count to 3",
        "->  2. count on",
        "the count",
        "expected: 5",
        "actual:   4",
    ]
    assert lines[7] == "likely cause: the cause of the wrong number"
    assert lines[8] == 'read:         milestones/m0-selftest/README.md, "Step 2: fail"'
    assert lines[9].startswith("the test:     tests/support/selftest/failing.c:")
    assert lines[10].startswith("run again:    ./lab test ")
    assert lines[10].endswith(" m0.fails_int")
    assert lines[11].startswith("debug:        gdb -ex 'break test_failed' -ex run -ex backtrace --args ")
    assert lines[11].endswith("lab-selftest fails_int --no-fork")
    assert result.record["message"] == "the count\nexpected: 5\nactual:   4"
    assert result.record["steps"] == ["count to 3", "count on"]
    assert result.record["hint"] == 'the cause of the wrong number; handout, "Step 2: fail"'


def test_layers_of_ones_own_may_be_the_cause() -> None:
    """Said of a failure, not of a stub. (Of failures on the reference, see tests/feedback/golden.)"""
    line = "  below it:     your own task.c, scheduler.c (a fault there may show here)\n"
    own = str(PROGRAM.with_name("lab-selftest-own"))
    for name, is_said in (("fails_int", True), ("not_written", False)):
        done = subprocess.run([own, name], capture_output=True, text=True, check=False)
        assert (line in done.stdout) == is_said, done.stdout


@pytest.mark.parametrize(
    ("name", "expected", "actual"),
    [
        ("fails_errno", "-22 (-EINVAL)", "0"),
        ("fails_string", '"hello"', '"hallo"\n              ^ the first difference'),
        (
            "fails_bytes",
            "8 bytes: abc\\x02xyz!",
            "7 bytes: abc\\x01xyz\n                        ^ the first difference, at byte 3",
        ),
        ("fails_time", "50 ms to 60 ms", "49 ms (1 ms too little)"),
        ("fails_time_without_end", "at least 50 ms", "49 ms (1 ms too little)"),
        ("fails_trace", "1 2 3", "1 3\n              ^ the first difference: event 2 of 3"),
        ("fails_in_thread", "what the thread found", "that is not so"),
    ],
)
def test_expected_and_actual_are_shown(name: str, expected: str, actual: str) -> None:
    check(name, FAILED, "failed", f"expected: {expected}\n", f"actual:   {actual}\n")


def test_long_failure_is_cut() -> None:
    result = check("fails_after_many_steps", FAILED, "failed", "(91 more)", "-> 100. step 100")
    assert "output line 99" in result.text
    assert "output line 91" not in result.text
    assert "... (96 lines)" in result.text
    assert "  ten\n" in result.text
    assert max(len(line) for line in result.text.splitlines()) < 300
    assert len(result.record["steps"]) == 64


@pytest.mark.parametrize("first", ["", "1", "7", "4294967290"])
def test_random_failure_is_told_with_its_seed(first: str) -> None:
    result = check("fails_by_chance", FAILED, "failed", LAB_SEED=first)
    assert re.search("run again: +LAB_SEED=7 ./lab test .*m0.fails_by_chance\n", result.text)
    assert re.search("debug: +LAB_SEED=7 gdb ", result.text)
    cause = "the cause of the bad luck (LAB_SEED=7 repeats it)"
    assert result.record["hint"] == f'{cause}; handout, "Step 2: fail"'


def test_seed_is_the_first_of_twenty_five() -> None:
    for first, code in (("8", PASSED), ("4294967278", PASSED), ("4294967279", FAILED)):
        assert run("fails_by_chance", LAB_SEED=first).code == code


def test_failure_after_all_schedules_is_told_with_the_first_seed() -> None:
    for given, first in (("", "1"), ("9", "9")):
        result = check("fails_after_chance", FAILED, "failed", LAB_SEED=given)
        assert f"LAB_SEED={first} ./lab test" in result.text


def test_failure_without_chance_is_told_without_seed() -> None:
    assert "SEED" not in check("fails_int", FAILED, "failed", LAB_SEED="7").text


@pytest.mark.parametrize("seed", ["x", "7x", "-1", "+7", " 7", "4294967296", "99999999999999999999"])
def test_what_is_no_seed_is_an_error(seed: str) -> None:
    said = f"LAB_SEED is '{seed}': a seed is a number from 0 to 4294967295"
    check("fails_by_chance", ERROR, "error", said, LAB_SEED=seed)
    check("passes", PASSED, "passed", LAB_SEED=seed)


def test_record_is_json_whatever_the_message() -> None:
    result = check("fails_with_bad_text", FAILED, "failed")
    assert result.record["steps"] == ['quote " backslash \\ tab \t euro \u20ac cut \ufffd\ufffd']
    message = result.record["message"]
    assert message.startswith("bell \x07 bytes \ufffd\ufffd surrogate \ufffd")
    assert message.endswith(" end")


def test_abort_is_a_crash_with_its_last_words() -> None:
    result = check("crashes_by_abort", CRASHED, "crashed", "it printed: the frame is broken")
    assert "order of events so far: so far" in result.text
    assert "it printed: the frame is broken" in result.record["message"]


def test_segmentation_fault_is_a_crash() -> None:
    check("crashes_by_segv", CRASHED, "crashed", "->  1. follow NULL")


@asan
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("crashes_by_use_after_free", "AddressSanitizer: heap-use-after-free"),
        ("crashes_by_double_free", "AddressSanitizer: attempting double-free"),
        ("crashes_by_overflow", "UndefinedBehaviorSanitizer: signed integer overflow"),
        ("crashes_by_segv", "UndefinedBehaviorSanitizer: store to null pointer"),
        ("crashes_by_abort", "AddressSanitizer: ABRT"),
    ],
)
def test_sanitizer_report_names_the_line(name: str, what: str) -> None:
    result = check(name, CRASHED, "crashed", what)
    first, second = result.record["message"].splitlines()[:2]
    assert first.startswith(what)
    assert second.startswith("in the test, tests/support/selftest/ending.c:")
    assert "likely cause: " in result.text  # for the line is not one of the student's own


@asan
@pytest.mark.parametrize("case", ["leaks", "leaks_with_its_address_in_a_register"])
def test_leak_is_told_with_its_place(case: str) -> None:
    result = check(case, LEAKED, "leaked", "never freed: 24 bytes, of 1 call of malloc")
    assert "24 bytes, allocated in the test, tests/support/selftest/ending.c:" in result.text


@asan
def test_leaks_are_searched_for_only_where_something_is_left() -> None:
    """LeakSanitizer cannot search a process that is traced already, and says so."""
    strace = ["strace", "-f", "-o", "/dev/null", "-e", "trace=none"]
    assert run("passes", under=strace).code == PASSED
    searched = run("leaks", under=strace)
    assert searched.code == ERROR
    assert "LeakSanitizer does not work here" in searched.text


def test_endless_loop_is_a_timeout_of_its_own() -> None:
    result = check("hangs", TIMEOUT, "timeout", "time limit", CK_TIMEOUT_MULTIPLIER="0.1")
    assert "->  1. begin a loop without end" in result.text
    assert "order of events so far: round 1" in result.text
    assert "it was busy all the time" in result.text
    assert "it was in the test, tests/support/selftest/ending.c:" in result.text
    assert result.record["seconds"] < 5


def test_endless_sleep_is_told_from_a_loop() -> None:
    result = check("sleeps_for_ever", TIMEOUT, "timeout", "it slept", CK_TIMEOUT_MULTIPLIER="0.1")
    assert "it slept in the test, tests/support/selftest/ending.c:" in result.record["message"]
    assert "(when it hangs: ctrl-C, then: backtrace)" in result.text


def test_endless_output_is_stopped() -> None:
    result = check("prints_for_ever", CRASHED, "crashed", "File size limit exceeded")
    assert len(result.text) < 10000


@pytest.mark.parametrize("name", ["crashes_by_segv", "crashes_by_abort", "overflows_small_stack"])
def test_crash_names_the_line_with_or_without_sanitizer(name: str) -> None:
    message = check(name, CRASHED, "crashed").record["message"]
    assert "in the test, " in message
    assert re.search(r"tests/support/selftest/\w+\.c:\d+", message)


@pytest.mark.parametrize("name", ["exits_0", "exits_at_once_0", "exits_3"])
def test_exit_names_the_line(name: str) -> None:
    message = check(name, EARLY_EXIT, "early-exit").record["message"]
    assert "exit was called in the test, tests/support/selftest/ending.c:" in message


@pytest.mark.parametrize(
    ("name", "code"),
    [("exits_0", 0), ("exits_at_once_0", 0), ("exits_3", 3), ("executes_true", 0)],
)
def test_leaving_in_mid_test_is_no_pass(name: str, code: int) -> None:
    check(name, EARLY_EXIT, "early-exit", f"exit code {code} before the test was over")


def test_stub_is_told_from_a_wrong_answer() -> None:
    result = check("not_written", NOT_IMPLEMENTED, "not-implemented")
    message = result.record["message"]
    assert message.startswith("lab_test_not_written is not implemented yet (")


def test_endless_wait_on_virtual_time_is_seen() -> None:
    check("blocks_for_ever", FAILED, "failed", "would block for ever", "->  1. wait for nothing")


def test_spinning_on_virtual_time_is_seen() -> None:
    check("spins", FAILED, "failed", "spins: ")


def test_late_end_is_a_timeout() -> None:
    said = "did not end within its time limit"
    check("ends_late", TIMEOUT, "timeout", said, CK_TIMEOUT_MULTIPLIER="0.1")


def test_deep_recursion_is_a_crash() -> None:
    check("overflows_small_stack", CRASHED, "crashed")


def test_list_has_one_line_a_case() -> None:
    lines = run("--list").text.splitlines()
    names = [line.split("\t")[0] for line in lines]
    assert "passes_noisily\t0.25\ta test that prints much and holds\tStep 1: pass" in lines
    assert len(names) == len(set(names))
    assert set(CASES_THAT_PASS) < set(names)


@pytest.mark.parametrize("arguments", [("no_such_case",), ("passes", "--what"), ("a", "b", "c")])
def test_wrong_use(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.code == WRONG_USE
    assert result.records == []


@pytest.mark.parametrize(
    "environment",
    [
        {"LAB_NONCE_FD": "99"},
        {"LAB_NONCE_FD": "x"},
        {"LAB_RECORD_FD": "-1"},
        {"TMPDIR": "/nowhere", "LAB_RECORD_FD": "99"},
    ],
)
def test_broken_seal_is_an_error_of_the_harness(environment: dict[str, str]) -> None:
    result = run("passes", **environment)
    assert result.code == ERROR
    assert result.records == []


def test_empty_nonce_is_an_error_of_the_harness() -> None:
    assert run("passes", nonce="").code == ERROR


def test_without_seal_all_cases_run() -> None:
    done = subprocess.run(
        [str(PROGRAM)],
        env={**os.environ, "CK_TIMEOUT_MULTIPLIER": "0.2"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
    )
    lines = done.stdout.splitlines()
    cases = len(run("--list").text.splitlines())
    passed, failed = (int(word) for word in lines[-1].split() if word.isdigit())
    assert done.returncode == FAILED
    assert len(lines) == cases + 1
    assert passed + failed == cases
    assert passed >= len(CASES_THAT_PASS)
    assert lines[2] == (
        "failed          m0.fails_int: a number is wrong - the count, expected: 5, actual:   4"
    )


def test_no_fork_tells_as_it_goes() -> None:
    result = run("fails_int", "--no-fork")
    assert result.code == FAILED
    assert "  2. count on\nfailed: the count\nexpected: 5" in result.text
    assert run("passes", "--no-fork").text.endswith("passed\n")


def test_while_fine_stops_at_what_fails_and_leaves_no_record_of_it() -> None:
    result = run("--while-fine", "passes", "not_written", "passes_by_chance", "fails_int", "passes")
    assert result.code == FAILED
    assert [(record["id"], record["status"], record["nonce"]) for record in result.records] == [
        ("m0.passes", "passed", NONCE),
        ("m0.not_written", "not-implemented", NONCE),
        ("m0.passes_by_chance", "passed", NONCE),
    ]
    assert run("--while-fine", "passes", "passes").code == PASSED
    unknown = run("--while-fine", "passes", "nowhere")
    assert (unknown.code, len(unknown.records)) == (WRONG_USE, 1)


def test_the_second_of_several_sees_no_secret_either() -> None:
    result = run("--while-fine", "passes", "sees_no_secret")
    assert result.code == PASSED, result.text
