"""A failed test as text, in the form that the C tests use themselves: what was done, what came of it,
the likely cause, what to read, how to run it again. At most 40 lines: what is long is cut in its middle.
"""

from __future__ import annotations

import re
from typing import List, Sequence, Tuple

from grader.kit import LABS
from grader.model import Status, TestResult

STEPS_SHOWN = 10
MESSAGE_SHOWN = 14
LINE_WIDTH = 240

# How a hint names what to read: the C tests' record, the plan's own words, the end-to-end checks.
_HINTS = (
    re.compile(r'(?:(?P<cause>.*); )?handout, "(?P<section>[^"]*)"', re.DOTALL),
    re.compile(r"(?P<cause>.*) \(see (?P<page>\S+/README\.md), (?P<section>.*)\)", re.DOTALL),
    re.compile(r"(?P<cause>.*) \((?P<page>docs/\S+), (?P<section>.*)\)", re.DOTALL),
)
_FRAME = re.compile(r"\s*#\d+ 0x[0-9a-f]+ in (\S+) (\S+)")
_OWN_FILE = re.compile(r".*/([mx]\d-[\w-]+/[\w.]+:\d+)")


def failure_lines(test: TestResult, place: str = "", debug: Sequence[str] = ()) -> List[str]:
    """Below the line with status, id and title. `place`: where the test is; `debug`: the command for a
    debugger, and notes on it. Both are left out where they are not known."""
    cause, page = cause_and_page(test)
    lines = _steps(test.steps)
    lines += [f"  {line}" for line in _cut(plain(test.message.splitlines()), MESSAGE_SHOWN)]
    if test.status == Status.ERROR:
        return lines + [f"  run again:    ./lab test {test.id}"]
    labelled = [
        ("likely cause:", cause),
        ("read:", page),
        ("the test:", place),
        ("run again:", f"./lab test {test.id}"),
    ]
    labels = ["debug:"] + [""] * len(debug)
    labelled += list(zip(labels, debug))
    return lines + [f"  {label:13} {text}" for label, text in labelled if text]


def _steps(steps: Sequence[str]) -> List[str]:
    last = len(steps)
    numbered = [
        f"  {'->' if number == last else '  '} {number:2}. {step}"
        for number, step in enumerate(steps, 1)
    ]
    return (["  steps:"] if steps else []) + _cut(numbered, STEPS_SHOWN)


def _cut(lines: Sequence[str], room: int) -> List[str]:
    """The first ones and the last ones."""
    shown = [_cut_line(line) for line in lines]
    if len(shown) <= room:
        return shown
    first = room // 3
    last = room - first - 1
    return [*shown[:first], f"     ... ({len(shown) - first - last} lines)", *shown[-last:]]


def _cut_line(line: str) -> str:
    half = LINE_WIDTH // 2
    return line if len(line) <= LINE_WIDTH else f"{line[:half]} ... {line[-half:]}"


def plain(message: Sequence[str]) -> List[str]:
    """A sanitizer's report without addresses, and of its stacks what is in the lab."""
    lines: List[str] = []
    for line in message:
        frame = _FRAME.match(line)
        own = _OWN_FILE.fullmatch(frame.group(2)) if frame else None
        if frame is None:
            line = re.sub(r"^==\d+==\s*", "", line)
            line = re.sub(r" (on|at) (unknown )?address 0x.*", "", line)
            lines.append(re.sub(r" at 0x[0-9a-f]+ thread T\d+", "", line))
        elif own is not None:
            lines.append(f"  in {frame.group(1)}, {own.group(1)}")
    return lines


def cause_and_page(test: TestResult) -> Tuple[str, str]:
    """The two parts of a hint."""
    for pattern in _HINTS:
        found = pattern.fullmatch(test.hint)
        if found is None:
            continue
        page = found.groupdict().get("page") or _handout(test)
        if page.endswith("/README.md") and not page.startswith("milestones/"):
            page = f"milestones/{page}"
        section = found.group("section")
        return found.group("cause") or "", f'{page}, "{section}"' if "docs/" not in page else f"{page}, {section}"
    return test.hint, _handout(test)


def _handout(test: TestResult) -> str:
    folders = [lab.folder for lab in LABS if test.id.startswith(f"{lab.id}.")]
    return f"milestones/{folders[0]}/README.md" if folders else ""
