"""What ninja and the compiler print, taken apart."""

from __future__ import annotations

import pytest

from grader.compiler_output import FailedStep, Warning_, failed_steps, warnings

OUTPUT = (
    "\x1e[1/9] Building C object a.o\n"
    "m1-task/task.c:20:12: warning: 'x' defined but not used [-Wunused-variable]\n"
    "   20 | static int x;\n"
    "\x1e[2/9] Building C object b.o\n"
    "FAILED: dir/submission-m2.dir/b.o \n"
    "/usr/bin/cc -c b.c -o b.o\n"
    "b.c: In function 'f':\n"
    "b.c:7:5: warning: a warning first\n"
    "b.c:9:1: error: expected ';' before 'int'\n"
    "b.c:10:1: error: another\n"
    "\x1e[3/9] Linking C executable test-m3\n"
    "FAILED: [code=1] tests/test-m3 \n"
    ": && /usr/bin/cc -o test-m3\n"
    "/usr/bin/ld: x.o: in function `g':\n"
    "tests/x.c:4: undefined reference to `timers_count'\n"
    "collect2: error: ld returned 1 exit status\n"
    "ninja: build stopped: cannot make progress due to previous errors.\n"
)


def test_failed_steps_and_their_first_errors() -> None:
    first, second = failed_steps(OUTPUT)
    assert first.output == "dir/submission-m2.dir/b.o"
    assert first.message == "b.c:9:1: error: expected ';' before 'int'"
    assert first.text.startswith("b.c: In function") and first.text.endswith("another")
    assert second.output == "tests/test-m3"
    assert second.message == "tests/x.c:4: undefined reference to `timers_count'"
    assert "ninja" not in second.text


def test_warnings_have_a_place() -> None:
    assert warnings(OUTPUT) == [
        Warning_("m1-task/task.c:20", "'x' defined but not used [-Wunused-variable]"),
        Warning_("b.c:7", "a warning first"),
    ]


def test_a_step_without_words_has_a_message() -> None:
    [step] = failed_steps("\x1e[1/1] Making x\nFAILED: x \nfalse\n")
    assert step.message == "x could not be made"


def test_the_assemblers_words_are_the_same_every_time() -> None:
    text = "/tmp/ccjmJHv4.s: Assembler messages:\n/tmp/ccjmJHv4.s:12: Error: no such instruction: `foo'"
    assert FailedStep("", text).message == "(assembler code):12: Error: no such instruction: `foo'"


@pytest.mark.parametrize(
    "text, message",
    [
        ("\nas: out of memory allocating 3 bytes\n", "as: out of memory allocating 3 bytes"),
        ("\n \n", "this file could not be made"),
        ("", "this file could not be made"),
    ],
)
def test_a_failed_step_always_says_something(text: str, message: str) -> None:
    assert FailedStep("this file", text).message == message
