"""What pages show as code: it is found, tried, and found wrong where it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import List

import pytest
from conftest import KIT_ROOT

from grader.kit import Kit
from grader.selftest.code_blocks import complaint
from grader.selftest.command_list import NOT_RUN
from grader.selftest.commands import Shown, shown_commands, unknown
from grader.selftest.page_code import Block, blocks, commands, debugging
from grader.selftest.workshop import Workshop

KIT = Kit(KIT_ROOT)

PAGE = """\
# A page

Type `./lab status`, or `gdb -p 7`; `gdb` is a program, and `build/latest` a folder.

    ./lab test m1          all tests of m1
    ./lab hint \\
        m1.value           goes on

```sh
# a comment
cd x && ./y    # and one behind

nc 127.0.0.1 7000
```

- a list

```text
$ ./lab doctor
./lab test m1.CASE     what it does
output: ./lab test m1
```

```c count.c
int x; /* `./lab in code` */
```

    gdb -ex run --args program case

```text gdb after: break main; run
 print x        what x is
 break y        then `continue`
```
"""


def test_commands_are_found() -> None:
    assert [(one.line, one.text) for one in commands(PAGE)] == [
        (3, "./lab status"),
        (3, "gdb -p 7"),
        (5, "./lab test m1"),
        (6, "./lab hint m1.value"),
        (11, "cd x && ./y"),
        (13, "nc 127.0.0.1 7000"),
        (19, "./lab doctor"),
        (20, "./lab test m1.CASE"),
        (28, "gdb -ex run --args program case"),
    ]


def test_blocks_have_a_language_and_a_note() -> None:
    found = [(block.line, block.language, block.note) for block in blocks(PAGE)]
    assert found == [
        (9, "sh", ""),
        (18, "text", ""),
        (24, "c", "count.c"),
        (30, "text", "gdb after: break main; run"),
    ]


def test_what_is_typed_in_gdb() -> None:
    [session] = debugging(PAGE)
    assert session.program == "program case"
    assert session.lines == ["break main", "run", "print x", "break y", "continue"]


# ---- Each is run, or listed


def test_what_is_special_is_of_commands_that_are_shown() -> None:
    assert unknown(shown_commands(KIT)) == []


def test_what_no_page_shows_any_more_is_found() -> None:
    shown = [one for one in shown_commands(KIT) if one.text != "./lab selftest"]
    nonsense = Shown("README.md", 1, "./lab selftest nonsense")
    assert unknown([*shown, nonsense]) == ["./lab selftest", "./lab selftest nonsense"]


def test_few_are_not_run_and_each_has_a_reason() -> None:
    listed = [command for commands_ in NOT_RUN.values() for command in commands_]
    assert all(len(reason) > 20 for reason in NOT_RUN)
    assert len(listed) == len(set(listed)) < len(shown_commands(KIT)) / 4


# ---- Blocks


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(KIT, tmp_path_factory.mktemp("workshop"))


@pytest.mark.parametrize(
    "language, note, text, message",
    [
        ("c", "", "static int f(void) { return 1; }\n", ""),
        ("c", "", "task *t = NULL;\n(void)task_resume(t);\n", ""),
        ("c", "", "task *t = NULL;\n(void)task_resumes(t);\n", "task_resumes"),
        ("c", "fragment: the reader completes it", "task_resumes(...);\n", ""),
        ("c", "fragment:", "task_resumes(...);\n", "as a file"),
        ("cpp", "", "std::coroutine_handle<> h;\n", ""),
        ("cpp", "", "std::coroutine_handel<> h;\n", "coroutine_handel"),
        ("cpp", "", "corolab::Task<> f(corolab::latch &l)\n{\n    co_await l.wait();\n}\n", ""),
        ("cpp", "", "corolab::Task<> f()\n{\n    co_await 1;\n}\n", "await_transform"),
        ("text", "", "A --> B;\n", ""),
        ("text", "", "int f(void)\n{\n    return 1;\n}\n", "looks like C"),
        ("toml", "", "[points]\nm1 = 1\n", ""),
        ("toml", "", "[points]\nm1 = \n", "Invalid"),
        ("toml", "", "[pointz]\nm1 = 1\n", "pointz"),
        ("json", "", "{", "Expecting"),
        ("python", "", "pass\n", "is none of"),
    ],
)
def test_complaints(workshop: Workshop, language: str, note: str, text: str, message: str) -> None:
    found = complaint(workshop, Block(1, language, note, text))
    assert message in found and bool(message) == bool(found)
