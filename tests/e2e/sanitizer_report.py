"""What a sanitizer's report says, in a few lines for somebody who never saw one: the kind of fault,
and the places in the student's code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

CALLERS_TOLD = 5
LEAKS_TOLD = 4
REFERENCE = Path(__file__).parents[2] / "solutions"

_FIRST_LINE = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error: ")
_FRAME = re.compile(r"\s*#\d+ 0x[0-9a-f]+ in (\S+) (/\S+?/)(m\d-[\w-]+/(?!main\.c)[\w.]+:\d+)")
_LEAK = re.compile(r"irect leak of (\d+) byte\(s\) in (\d+) object")
_ADDRESSES = re.compile(r"( (on|at)( unknown)? address |: 0x| (at|on) 0x| in thread T| \(pid=).*")

_MEANINGS = {
    "heap-use-after-free": "memory was used after it had been freed",
    "double-free": "memory was freed a second time",
    "heap-buffer-overflow": "memory was used beyond the ends of its block",
    "stack-buffer-overflow": "a local array was used beyond its ends",
    "global-buffer-overflow": "a global or static array was used beyond its ends",
    "stack-use-after-return": "a local variable was used after its function had returned",
    "stack-use-after-scope": "a local variable was used after its block had ended",
    "stack-overflow": "the stack is full: a recursion that is too deep, or never ends",
    "attempting free on": "something was freed that is not the beginning of a block",
    "ABRT": "signal 6, the program gave up (abort)",
    "SEGV": "signal 11, a pointer was followed that leads nowhere",
}


class _Frame(NamedTuple):
    function: str
    place: str  # m5-echo-server/echo_server.c:88
    is_reference: bool

    def __str__(self) -> str:
        return f"in {self.function}, {self.place}"


def find_report(errors: str) -> str:
    """The part of the messages from the first report on; empty: there is none."""
    found = _FIRST_LINE.search(errors)
    return errors[errors.rfind("\n", 0, found.start()) + 1 :] if found is not None else ""


def last_words(errors: str) -> str:
    """The last line that the program itself wrote before the report."""
    found = _FIRST_LINE.search(errors)
    before = errors[: errors.rfind("\n", 0, found.start()) + 1] if found is not None else errors
    lines = [line for line in before.splitlines() if "DEADLYSIGNAL" not in line]
    return next((line for line in reversed(lines) if line.strip("= ")), "")


def is_of_leaks(report: str) -> bool:
    return "LeakSanitizer" in report.partition("\n")[0]


def short_report(report: str) -> list[str]:
    """What is wrong, and where; at most some ten lines."""
    if is_of_leaks(report):
        return list(_leaks(report))
    lines = [_kind(report), *_place("", report, True)]
    for heading, what in (("freed by thread", "freed"), ("allocated by thread", "allocated")):
        below = report.partition(heading)[2]
        lines += _place(f"it had been {what} ", below, False)
    return lines


def _kind(report: str) -> str:
    first = report.partition("\n")[0]
    undefined = first.partition("runtime error: ")[2]
    if undefined:
        return f"undefined behaviour: {undefined}"
    fault = _ADDRESSES.sub("", first.partition("Sanitizer: ")[2])
    meanings = [meaning for kind, meaning in _MEANINGS.items() if kind in fault]
    return ": ".join([fault, *meanings[:1]])


def _leaks(report: str) -> Iterator[str]:
    leaks = list(_LEAK.finditer(report))
    for leak in leaks[:LEAKS_TOLD]:
        blocks = "" if leak[2] == "1" else f" in {leak[2]} blocks"
        frames = _stack(report[leak.end() :])
        yield f"{leak[1]} bytes{blocks}, allocated {frames[0] if frames else 'outside of the lab'}"
    if len(leaks) > LEAKS_TOLD:
        yield f"and {len(leaks) - LEAKS_TOLD} more"


def _place(what: str, text: str, with_callers: bool) -> Iterator[str]:
    """Where the first stack in `text` leads into the lab."""
    frames = _stack(text)
    if not frames:
        return
    yield f"{what}{frames[0]}"
    callers = [f"{frame.function} ({frame.place})" for frame in frames[1 : CALLERS_TOLD + 1]]
    if with_callers and callers:
        yield f"called from {', '.join(callers)}"


def _stack(text: str) -> list[_Frame]:
    """The student's frames of the first stack, innermost first; if there are none, those of the
    lab's layers. Recursion from one line counts once."""
    frames: dict[str, _Frame] = {}
    has_begun = False
    for line in text.splitlines():
        is_frame = line.lstrip().startswith("#")
        if has_begun and not is_frame:
            break
        has_begun = is_frame
        frame = _parse(line)
        if frame is not None:
            frames.setdefault(frame.place, frame)
    own = [frame for frame in frames.values() if not frame.is_reference]
    return own or list(frames.values())


def _parse(line: str) -> Optional[_Frame]:
    found = _FRAME.match(line)
    if found is None:
        return None
    return _Frame(found[1], found[3], Path(found[2]) == REFERENCE)
