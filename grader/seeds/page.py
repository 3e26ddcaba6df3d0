"""docs/seeds.md, as text."""

from __future__ import annotations

from pathlib import Path
from typing import List, Mapping, Sequence

from grader.kit import Kit
from grader.seeds.promises import Promise

_PROGRAMS = "../milestones/x3-cpp20/programs"
_EXAMPLE = "example."
_HEAD = """\
# The systems that the kit stands for

Four texts about C++20 coroutines describe what this kit teaches. Here is what each of them promises, in our words, and
where it is shown to hold: in C, on the runtime of the milestones and of the optional labs x1 and x2; and in C++20, on the
same runtime ([x3](../milestones/x3-cpp20/README.md)). Outputs are compared to the last byte. Of times, the lower bound is
strict, and the upper one generous.

This page is written by `python3 -m grader.seeds --update`, from `grader/seeds/promises.toml` and from what it has run.
`./lab selftest seeds` runs all of it again, and notices when the page is out of date.
"""
_GROUPS = {
    "A": "Task, scheduler, sleep, event loop, echo server",
    "B": "A scheduler with return values",
    "C": "The stack and the queue",
    "D": "Thread pool, timer, latch and mutex",
}


def path_of(kit: Kit) -> Path:
    return kit.root / "docs" / "seeds.md"


def render(promises: Sequence[Promise], passed: Mapping[str, bool]) -> str:
    """`passed`: by the names of the tests; who has no result has failed."""
    text = _HEAD
    for group, title in _GROUPS.items():
        text += f"\n## {group}. {title}\n\n"
        text += "| | it promises | in C | in C++20 | result |\n|---|---|---|---|---|\n"
        text += "".join(_row(one, passed) for one in promises if one.id.startswith(group))
    return text


def _row(promise: Promise, passed: Mapping[str, bool]) -> str:
    c = ", ".join(map(_c_test, promise.c))
    programs = [f"[{name}.cpp]({_PROGRAMS}/{name}.cpp)" for name in promise.programs]
    cpp = ", ".join([*programs, *(f"`{name}`" for name in promise.cpp)])
    return f"| {promise.id} | {promise.says} | {c} | {cpp} | {_result(promise.tests, passed)} |\n"


def _c_test(name: str) -> str:
    if name.startswith(_EXAMPLE):
        program = f"{name[len(_EXAMPLE):]}.c"
        return f"[{program}](examples/{program})"
    return f"`{name}`"


def _result(tests: List[str], passed: Mapping[str, bool]) -> str:
    failed = [name for name in tests if not passed.get(name)]
    return f"failed: {', '.join(failed)}" if failed else f"{len(tests)} passed"
