"""The timeline of a failed test, as a picture that a template draws: a lane for each coroutine, events from
left to right, each as wide as the next.

It is as wide as the page: what lies along it is in percent, what lies across it in pixels.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Dict, Iterator, List, Optional, Sequence

from grader.model import Status
from grader.reports.fitting import fitted
from grader.reports.timeline_words import file_of, state
from grader.timeline.excerpt import Excerpt, Happening, Stretch, Wake
from grader.timeline.words import counted, time_text

_LEFT, _RIGHT = 1.0, 98.5  # percent: where the first event begins, and where the last one ends
_TOP = 40  # pixels: above the lanes are the end, and the steps
_LANE = 56  # so high is each: a line of text,
_TRACK = 20  # from here on its bars, and another line
_BAR = 14
_THIN = {"ready": 5, "wait": 2, "failed": 2, "new": 1, "ended": 1}
_BOTTOM = 18  # below the lanes: times
_LETTER = 2.2  # percent: so wide is one on a phone

_ENDINGS: Dict[Status, str] = {
    Status.FAILED: "failed here", Status.CRASHED: "crashed here", Status.LEAKED: "the end",
    Status.TIMEOUT: "time was up here",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Bar:
    kind: str
    x: str
    y: int
    width: str
    height: int


@dataclasses.dataclass(frozen=True)
class Line:
    """From y1 to y2, with an arrow's head there if it is a wake."""

    kind: str
    x: str
    y1: int
    y2: int


@dataclasses.dataclass(frozen=True)
class Label:
    kind: str
    x: str
    y: int
    text: str
    more: str = ""


@dataclasses.dataclass(frozen=True)
class Picture:
    height: int
    bars: List[Bar]
    lines: List[Line]
    labels: List[Label]


def picture(excerpt: Excerpt, status: Status, steps: int) -> Picture:
    """Of at least one event. `steps`: how many of the test's are listed beside it; without a list none is
    drawn."""
    drawing = _Drawing(excerpt, steps)
    return Picture(
        height=drawing.bottom + _BOTTOM,
        bars=list(drawing.bars()),
        lines=[*drawing.steps(), *drawing.ticks(), *drawing.wakes(), drawing.end()],
        labels=[
            *drawing.heading(_ENDINGS.get(status, "the end")),
            *drawing.step_numbers(),
            *drawing.names(),
            *drawing.gaps(),
            *drawing.times(),
        ],
    )


class _Drawing:
    def __init__(self, excerpt: Excerpt, listed: int) -> None:
        self._excerpt = excerpt
        self._events = excerpt.events
        self._listed = listed
        self._steps = [at for at, event in enumerate(self._events) if event.lane < 0 < listed]
        self._moves = list(_moves(self._events))
        self.bottom = _TOP + _LANE * len(excerpt.lanes)

    # ---- Places

    def _at(self, event: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * event / len(self._events)

    def _x(self, event: int) -> str:
        return _percent(self._at(event))

    @staticmethod
    def _track(lane: int) -> int:
        return _TOP + _LANE * lane + _TRACK

    # ---- Of the whole picture

    def heading(self, ending: str) -> Iterator[Label]:
        if self._excerpt.events_left_out > 0:
            before = counted(self._excerpt.events_left_out, "event")
            yield Label("before", _percent(0), 12, f"… after {before}")
        word = "the recording was full here" if self._excerpt.full else ending
        yield Label("end", _percent(_RIGHT), 12, word)

    def end(self) -> Line:
        return Line("end", _percent(_RIGHT), 17, self.bottom)

    def steps(self) -> Iterator[Line]:
        for at in self._steps:
            yield Line("step", self._x(at), 20, self.bottom)

    def step_numbers(self) -> Iterator[Label]:
        """As in the list of steps: the last one here is the last one there. Close ones share a label."""
        number = max(0, self._listed - len(self._steps))
        groups: Dict[int, List[int]] = {}
        at, free = 0, -1.0
        for step in self._steps:
            number += 1
            if self._at(step) >= free:
                at, free = step, self._at(step) + 4 * _LETTER
            groups.setdefault(at, []).append(number)
        texts = {at: "–".join(map(str, dict.fromkeys((n[0], n[-1])))) for at, n in groups.items()}
        yield from self._spaced("step", 31, texts)

    def ticks(self) -> Iterator[Line]:
        for at in self._moves:
            yield Line("tick", self._x(at), _TOP, self.bottom + 4)

    def times(self) -> Iterator[Label]:
        texts = {at: time_text(self._events[at].time or 0) for at in self._moves}
        yield from self._spaced("tick", self.bottom + 14, texts)

    def _spaced(self, kind: str, y: int, texts: Dict[int, str]) -> Iterator[Label]:
        """Those that do not run into the one before. They begin at their events; near the right edge,
        they end there."""
        free = 0.0
        for at, text in texts.items():
            width = _LETTER * (len(text) + 1)
            is_last = self._at(at) + width > 100
            if self._at(at) - (width if is_last else 0) >= free:
                yield Label(f"{kind} last" if is_last else kind, self._x(at), y, text)
                free = self._at(at) + (0 if is_last else width)

    # ---- Of each coroutine

    def names(self) -> Iterator[Label]:
        """With how each was left."""
        for number, lane in enumerate(self._excerpt.lanes):
            words = state(lane, self._excerpt)
            texts = [f"{lane.name}\n{words}", f"{lane.name}\n{words.rpartition(', ')[0] or words}"]
            kind = "name stuck" if any(map(self._is_stuck, lane.stretches)) else "name"
            for sizes, text in fitted(texts, 0.98, cut=True):
                name, _, more = text.partition("\n")
                yield Label(f"{kind} {sizes}", _percent(0), self._track(number) - 7, name, more)

    def bars(self) -> Iterator[Bar]:
        for number, lane in enumerate(self._excerpt.lanes):
            for one in lane.stretches:
                begin, end = self._at(one.first), self._at(one.last)
                height = _THIN.get(one.kind, _BAR)
                y = self._track(number) + _BAR - height
                kind = f"{one.kind} stuck" if self._is_stuck(one) else one.kind
                yield Bar(kind, _percent(begin), y, _percent(end - begin), height)

    def _is_stuck(self, one: Stretch) -> bool:
        """Who still waits or runs at the end is most often what it is about."""
        return one.kind in ("wait", "run") and one.last >= len(self._events)

    def gaps(self) -> Iterator[Label]:
        """What is waited for, or how it ended, and below that where."""
        for number, lane in enumerate(self._excerpt.lanes):
            y = self._track(number) + _BAR
            for one in lane.stretches:
                if one.kind in ("wait", "failed", "ended"):
                    what = re.sub(r"\.0+(?= )", "", one.text)  # 50.000000 ms
                    yield from self._in_gap(one, y - 4, what, what.partition("(")[0])
                    yield from self._in_gap(one, y + 10, file_of(one.place))

    def _in_gap(self, one: Stretch, y: int, *texts: str) -> Iterator[Label]:
        share = (self._at(one.last) - self._at(one.first)) / 100
        for sizes, text in fitted(texts, share):
            yield Label(f"gap {one.kind} {sizes}", self._x(one.first), y, text)

    def wakes(self) -> Iterator[Line]:
        for wake in self._excerpt.wakes:
            if wake.by != wake.to and (wake.by >= 0 or self._ends_wait(wake)):
                yield Line("wake", self._x(wake.at), *self._from_to(wake))

    def _from_to(self, wake: Wake) -> "tuple[int, int]":
        above, below = self._track(wake.to), self._track(wake.to) + _BAR
        if wake.by < 0:
            return above - 4, below - _THIN["ready"]
        if wake.by < wake.to:
            return self._track(wake.by) + _BAR, below - _THIN["ready"]
        return self._track(wake.by), below

    def _ends_wait(self, wake: Wake) -> bool:
        stretches = self._excerpt.lanes[wake.to].stretches
        return any(one.kind == "wait" and one.last == wake.at for one in stretches)


def _moves(events: Sequence[Happening]) -> Iterator[int]:
    """Where a virtual clock begins, and where it moves."""
    last: Optional[int] = None
    for at, event in enumerate(events):
        if event.time is not None and event.time != last:
            yield at
            last = event.time


def _percent(share: float) -> str:
    return f"{share:.2f}%"
