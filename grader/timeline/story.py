"""What happened, coroutine by coroutine: who ran, waited for what, and was woken by whom."""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set, Tuple

from grader.timeline.recording import Event, Recording

OUTSIDE = -1  # the row of main(), the run loop, its timers and its sockets, which have none
_SOURCES = {  # who wakes from outside, by the type of the awaiter
    "sleep": "the timers",
    **dict.fromkeys("read write readable writable accept connect".split(), "the event loop"),
}


class Kind(enum.IntEnum):
    NEW = 0  # created, and nobody has made it ready
    READY = 1
    RUN = 2
    WAIT = 3
    ENDED = 4  # at its final suspend point, until it is destroyed
    FAILED = 5  # the same, with an error


@dataclasses.dataclass(frozen=True)
class Place:
    path: str
    line: int


@dataclasses.dataclass
class Span:
    """A stretch of a coroutine's life. Its bounds are numbers of events."""

    row: int
    kind: Kind
    first: int
    last: int
    text: str = ""  # what it waits for, or how it ended
    place: Optional[Place] = None  # where it will go on
    woken_by: str = ""  # who ended this wait


@dataclasses.dataclass
class Coroutine:
    id: int
    name: str
    created_by: int  # a row
    created: int  # an event
    gone: Optional[int] = None  # the event of its release; None: it was there to the end
    runs: int = 0


@dataclasses.dataclass(frozen=True)
class Wake:
    by: int  # a row
    to: int
    at: int


@dataclasses.dataclass
class Story:
    coroutines: List[Coroutine]  # one for each row
    spans: List[Span]  # by row, then by time
    wakes: List[Wake]
    steps: List[Tuple[int, str]]  # events at which a test said what it does next
    times: List[int]  # of the events; ns
    lines: List[Tuple[int, str]]  # for each event: its row, and what happened
    ready: List[int]  # after each event: the length of the ready queue,
    asleep: List[int]  # and the size of the timer heap
    virtual: bool  # the times are those of a virtual clock
    sources: Dict[str, Path]  # where the files are that places name
    full: bool  # there was more than could be recorded


def tell(recording: Recording, roots: Sequence[Path] = ()) -> Story:
    """Places are named from one of the `roots` on, or by the file's name alone."""
    teller = _Teller(recording, roots)
    for event in recording.events:
        teller.take(event)
    return teller.story()


def display_times(events: Sequence[Event]) -> Tuple[List[int], bool]:
    """Virtual time, if there is any: it goes on where a test starts its clock anew, and stands
    still while there is none."""
    if all(event.virtual is None for event in events):
        return [event.time for event in events], False
    times: List[int] = []
    last: Optional[int] = None
    shown = 0
    for event in events:
        if event.virtual is not None:
            if last is not None:
                shown += max(0, event.virtual - last)
            last = event.virtual
        times.append(shown)
    return times, True


def short_path(path: str, roots: Sequence[Path]) -> str:
    for root in roots:
        if path.startswith(f"{root}/"):
            return path[len(str(root)) + 1 :]
    return Path(path).name


class _Teller:
    def __init__(self, recording: Recording, roots: Sequence[Path]) -> None:
        self._recording = recording
        self._paths = {n: short_path(path, roots) for n, path in recording.files.items()}
        self._coroutines: List[Coroutine] = []
        self._rows: Dict[int, int] = {0: OUTSIDE}  # by id
        self._open: Dict[int, Span] = {}  # by row
        self._woken: Dict[int, str] = {}  # rows that were made ready before they stopped: by whom
        self._waits: Dict[int, str] = {}  # by row: the type of what it waits for
        self._done: List[Span] = []
        self._wakes: List[Wake] = []
        self._steps: List[Tuple[int, str]] = []
        self._lines: List[Tuple[int, str]] = []
        self._ready: Set[int] = set()
        self._asleep: Set[int] = set()
        self._ready_counts: List[int] = []
        self._asleep_counts: List[int] = []

    def take(self, event: Event) -> None:
        at = len(self._lines)
        if event.kind == "step":
            self._steps.append((at, event.fields[0]))
            self._lines.append((OUTSIDE, event.fields[0]))
        elif event.kind == "create":
            self._create(at, event)
        else:
            row = self._rows[event.id]
            self._lines.append((row, getattr(self, f"_{event.kind}_")(at, row, event)))
        self._ready_counts.append(len(self._ready))
        self._asleep_counts.append(len(self._asleep))

    def story(self) -> Story:
        end = len(self._lines)
        for span in self._open.values():
            span.last = end
            self._done.append(span)
        times, virtual = display_times(self._recording.events)
        return Story(
            coroutines=self._coroutines,
            spans=sorted(self._done, key=lambda span: (span.row, span.first)),
            wakes=self._wakes,
            steps=self._steps,
            times=times,
            lines=self._lines,
            ready=self._ready_counts,
            asleep=self._asleep_counts,
            virtual=virtual,
            sources={self._paths[n]: Path(path) for n, path in self._recording.files.items()},
            full=self._recording.full,
        )

    def name(self, row: int) -> str:
        if row == OUTSIDE:
            return "outside"
        return f"{self._coroutines[row].name} #{self._coroutines[row].id}"

    # ---- One method for each kind of event; it says what happened

    def _create(self, at: int, event: Event) -> None:
        row = len(self._coroutines)
        by = self._rows[int(event.fields[1])]
        self._rows[event.id] = row
        self._coroutines.append(Coroutine(event.id, event.fields[2], by, at))
        self._begin(row, Kind.NEW, at)
        self._lines.append((row, f"created by {self.name(by)}"))

    def _ready_(self, at: int, row: int, event: Event) -> str:
        by = self._rows[int(event.fields[1])]
        waker = self._waker(by, row)
        self._wakes.append(Wake(by, row, at))
        self._ready.add(row)
        self._asleep.discard(row)
        span = self._open.get(row)
        if span is None or span.kind == Kind.RUN:
            self._woken[row] = waker
        elif span.kind != Kind.READY:
            span.woken_by = waker
            self._begin(row, Kind.READY, at, span.text, span.place).woken_by = waker
        return f"made ready by {waker}"

    def _waker(self, by: int, row: int) -> str:
        if by == row:
            return "itself"
        type = self._waits.get(row, "")
        return _SOURCES.get(type, self.name(by)) if by == OUTSIDE else self.name(by)

    def _run_(self, at: int, row: int, event: Event) -> str:
        self._ready.discard(row)
        self._asleep.discard(row)
        self._woken.pop(row, None)
        self._waits.pop(row, None)
        before = self._open.get(row)
        self._coroutines[row].runs += 1
        self._begin(row, Kind.RUN, at, "", before.place if before is not None else None)
        return "runs"

    def _wait_(self, at: int, row: int, event: Event) -> str:
        _, file, line, type, what = event.fields
        place = self._place(file, line)
        waker = self._woken.pop(row, None)
        kind = Kind.WAIT if waker is None else Kind.READY
        self._begin(row, kind, at, what, place).woken_by = waker or ""
        if waker is None:
            self._waits[row] = type
            if type == "sleep":
                self._asleep.add(row)
        return f"waits for {what or 'nothing'} at {place.path}:{place.line}"

    def _return_(self, at: int, row: int, event: Event) -> str:
        text = f"returned {event.fields[1]}"
        self._begin(row, Kind.ENDED, at, text)
        return text

    def _throw_(self, at: int, row: int, event: Event) -> str:
        _, file, line, code, what = event.fields
        text = f'threw {code}, "{what}"'
        place = self._place(file, line)
        self._begin(row, Kind.FAILED, at, text, place)
        return f"{text} at {place.path}:{place.line}"

    def _gone_(self, at: int, row: int, event: Event) -> str:
        self._close(row, at)
        self._coroutines[row].gone = at
        for rows in (self._ready, self._asleep):
            rows.discard(row)
        return "destroyed"

    # ---- Spans

    def _begin(
        self, row: int, kind: Kind, at: int, text: str = "", place: Optional[Place] = None
    ) -> Span:
        self._close(row, at)
        self._open[row] = Span(row, kind, at, at, text, place)
        return self._open[row]

    def _close(self, row: int, at: int) -> None:
        span = self._open.pop(row, None)
        if span is not None:
            span.last = at
            self._done.append(span)

    def _place(self, file: str, line: str) -> Place:
        return Place(self._paths.get(file, ""), int(line))
