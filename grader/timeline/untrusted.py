"""Reads a recording that anybody's program has written: of any size, and whatever it says.

Of a long one the last lines are kept, with what the coroutines in them did last before. What is not in
the recorder's form is no recording at all, so that nothing later needs to doubt it.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, Iterable, List, Set

from grader.exit_codes import KitFailed
from grader.timeline.recording import Event, Recording, parse_recording

SIZE_LIMIT = 16 * 1024 * 1024  # bytes; the recorder ends before
LINES_KEPT = 4_000
_LINE_LIMIT = 1_024  # bytes; the recorder's are half as long
_OTHERS_KEPT = 40  # coroutines that are alive, and not in those lines
_LAST_STEPS = 4  # of a coroutine: it runs, is woken, waits, is woken again

_LARGEST = 2**63 - 1
_WITHOUT_ID = ("file", "step", "full")
_NUMBERS = {  # which fields after the two times are numbers
    "file": (0,), "create": (0, 1), "ready": (0, 1), "run": (0,), "wait": (0, 1, 2), "return": (0,),
    "throw": (0, 1, 2), "gone": (0,),
}  # fmt: skip


class BadRecording(Exception):
    """Why it is none."""


@dataclasses.dataclass(frozen=True)
class Kept:
    recording: Recording
    events: int  # all that there were
    coroutines: int


def read_untrusted(data: bytes) -> Kept:
    """BadRecording if the recorder cannot have written it. Its last line may be cut off."""
    text = data[:SIZE_LIMIT].split(b"\0", 1)[0].decode("utf-8", "replace")
    lines = text.split("\n")[:-1]
    if any(len(line) > _LINE_LIMIT for line in lines):
        raise BadRecording("a line is too long")
    before = _Before(lines[:-LINES_KEPT])
    last = lines[-LINES_KEPT:]
    recording = _parsed([*before.lines(_ids(last)), *last])
    _check(recording.events)
    created = sum(line.startswith("create\t") for line in lines)
    named = sum(line.startswith(("file\t", "full\t")) for line in lines)
    return Kept(recording, len(lines) - named, created)


class _Before:
    """What is known of each coroutine at the end of some lines."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._files: List[str] = []
        self._names: Dict[str, str] = {}  # by id, the latest last
        self._steps: Dict[str, List[str]] = {}  # by id
        for line in lines:
            self._take(line)

    def lines(self, wanted: Set[str]) -> List[str]:
        """For the wanted ids and a few more. Who has created and woken is left out."""
        others = [id for id in self._names if id not in wanted][-_OTHERS_KEPT:]
        ids = [id for id in self._names if id in wanted or id in others]
        created = [self._names[id] for id in ids]
        return [*self._files, *created, *(line for id in ids for line in self._steps[id])]

    def _take(self, line: str) -> None:
        kind, *rest = line.split("\t", 5)
        if kind == "file":
            self._files.append(line)
        elif kind in _WITHOUT_ID:
            return
        elif len(rest) < 3:
            raise BadRecording(f"not understood: {line!r}")
        elif kind == "gone":
            self._names.pop(rest[2], None)
            self._steps.pop(rest[2], None)
        elif kind == "create":
            self._names[rest[2]] = "\t".join(["create", rest[0], rest[1], rest[2], "0", rest[-1]])
            self._steps[rest[2]] = []
        else:
            self._step(kind, rest, line)

    def _step(self, kind: str, rest: List[str], line: str) -> None:
        steps = self._steps.get(rest[2])
        if steps is None:
            raise BadRecording(f"nobody was created as {rest[2]!r}")
        if kind == "run":
            steps.clear()
        del steps[_LAST_STEPS - 1 :]
        steps.append("\t".join(["ready", *rest[:3], "0"]) if kind == "ready" else line)


def _ids(lines: Iterable[str]) -> Set[str]:
    """Of the coroutines that act in these lines, or wake."""
    found: Set[str] = set()
    for line in lines:
        kind, *rest = line.split("\t", 5)
        if kind not in _WITHOUT_ID:
            found.update(rest[2 : 4 if kind in ("create", "ready") else 3])
    return found


def _parsed(lines: List[str]) -> Recording:
    try:
        return parse_recording("".join(f"{line}\n" for line in lines))
    except KitFailed as error:
        raise BadRecording(str(error)) from error


def _check(events: List[Event]) -> None:
    known = {0}
    for event in events:
        _check_numbers(event)
        if event.kind != "step":
            _check_ids(event, known)


def _check_numbers(event: Event) -> None:
    try:
        numbers = [int(event.fields[place]) for place in _NUMBERS.get(event.kind, ())]
    except ValueError as error:
        raise BadRecording(f"{event.kind}: {error}") from error
    if any(abs(number) > _LARGEST for number in (event.time, event.virtual or 0, *numbers)):
        raise BadRecording(f"{event.kind}: a number is too large")


def _check_ids(event: Event, known: Set[int]) -> None:
    if event.kind in ("create", "ready") and int(event.fields[1]) not in known:
        raise BadRecording(f"{event.kind}: by nobody")
    if event.kind == "create":
        known.add(event.id)
    if event.id == 0 or event.id not in known:
        raise BadRecording(f"{event.kind}: of nobody")
