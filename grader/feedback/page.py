"""docs/feedback.md: what a student sees, for a fault of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping, Sequence

from grader.feedback.examples import STUB, Example, sentence_of
from grader.kit import Kit

_HEAD = """\
# What a student is told

Each of these texts is what `./lab test` prints of one test, when the reference has one fault: a mutant of
`tests/mutants/`, or a patch of `tests/feedback/extra/`. What the fault is stands below the text, for
those who read this page; a student sees the text, and his own file.

Every text has: the title; the steps up to the one that went wrong; expected and actual, with the first
difference marked, or where it crashed, hung, leaked or left; the likely cause, unless a sanitizer names a
line of the student's; the section to read; the place in the test; the command that runs this test again,
and the one that opens it in gdb. It has 40 lines at most; what is long is cut in its middle. (Here a test
has 3 s; a student's has 10.)

This page is written by `python3 -m grader.feedback --update`, and `./lab selftest feedback` notices when
it is out of date. The texts of these and other faults are pinned in `tests/feedback/golden/`.
"""

_TITLES = {
    "wrong_order": "A wrong order",
    "wrong_value": "A wrong value, and who still waits",
    "wrong_bytes": "Wrong bytes",
    "wrong_time": "A wrong time",
    "blocks_for_ever": "On virtual time: the loop would wait for ever",
    "crash_use_after_free": "A crash: memory that was freed",
    "crash_recursion": "A crash: the stack is full",
    "crash_signal": "A crash: a signal",
    "timeout_dead_lock": "A time-out: all wait",
    "timeout_loop": "A time-out: a loop without end",
    "leak_coroutine": "A leak: a coroutine that nobody destroyed",
    "early_exit": "An early exit",
    "end_to_end": "A real client",
}


def path_of(kit: Kit) -> Path:
    return kit.root / "docs" / "feedback.md"


def render(kit: Kit, examples: Sequence[Example], texts: Mapping[str, str]) -> str:
    return _HEAD + "".join(_section(kit, e, texts[e.name]) for e in examples if e.on_page)


def _section(kit: Kit, example: Example, text: str) -> str:
    title = _TITLES.get(example.name, example.name.replace("_", " "))
    fault = "the stub" if example.fault == STUB else f"`{example.fault}`"
    return (
        f"\n## {title}\n\n```text\n{text.rstrip()}\n```\n\n"
        f"{example.milestone.id}, {fault}: {sentence_of(kit, example)}\n"
    )
