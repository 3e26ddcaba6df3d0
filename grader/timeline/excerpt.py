"""What of a story a report shows: its last events, and the coroutines in them. Part of the score file.

It has no times but those of a virtual clock, so that two runs that did the same have the same excerpt.
"""

from __future__ import annotations

import bisect
import dataclasses
from typing import Any, Dict, List, Optional

from grader.timeline.story import OUTSIDE, Kind, Span, Story
from grader.timeline.untrusted import Kept

EVENTS = 60
COROUTINES = 12
_LEFT = 4  # of them may be there for no better reason than that they have not been destroyed
_TEXT_LIMIT = 160  # characters


@dataclasses.dataclass
class Stretch:
    """Of a coroutine's life. Its bounds are numbers of events."""

    kind: str  # one of story.Kind, in lower case
    first: int
    last: int
    text: str = ""  # what it waits for, or how it ended
    place: str = ""  # the file and line where it waits, or has failed


@dataclasses.dataclass
class Lane:
    """A coroutine."""

    name: str
    stretches: List[Stretch]


@dataclasses.dataclass
class Wake:
    by: int  # a lane; -1: outside of them
    to: int
    at: int  # an event


@dataclasses.dataclass
class Happening:
    """An event, in words."""

    lane: int  # -1: a step of the test
    what: str
    time: Optional[int] = None  # of the virtual clock, in ns


@dataclasses.dataclass
class Excerpt:
    lanes: List[Lane]
    wakes: List[Wake]
    events: List[Happening]
    coroutines_left_out: int
    events_left_out: int
    full: bool  # the recording ended before the test did

    @staticmethod
    def from_json(data: Dict[str, Any]) -> "Excerpt":
        """The inverse of dataclasses.asdict."""
        known: Dict[str, Any] = {
            **data,
            "lanes": [
                Lane(lane["name"], [Stretch(**one) for one in lane["stretches"]])
                for lane in data["lanes"]
            ],
            "wakes": [Wake(**wake) for wake in data["wakes"]],
            "events": [Happening(**event) for event in data["events"]],
        }
        return Excerpt(**known)


def excerpt(story: Story, kept: Kept) -> Excerpt:
    """`story`: that of what was kept."""
    rows = _rows(story)
    events = _last_events(story, rows)
    return Excerpt(
        lanes=[_lane(story, row, events) for row in rows],
        wakes=_wakes(story, rows, events),
        events=[_happening(story, kept, rows, at) for at in events],
        coroutines_left_out=kept.coroutines - len(rows),
        events_left_out=kept.events - len(events),
        full=story.full,
    )


def _rows(story: Story) -> List[int]:
    """Those that were the last to do something, and a few that are left from before."""
    acting = list(dict.fromkeys(row for row, _ in reversed(story.lines) if row != OUTSIDE))
    last, before = acting[: COROUTINES - _LEFT], acting[COROUTINES - _LEFT :]
    left_first = sorted(before, key=lambda row: story.coroutines[row].gone is not None)
    return sorted((last + left_first)[:COROUTINES])


def _last_events(story: Story, rows: List[int]) -> List[int]:
    steps = {at for at, _ in story.steps}
    own = [at for at, (row, _) in enumerate(story.lines) if row in rows or at in steps]
    return own[-EVENTS:]


def _wakes(story: Story, rows: List[int], events: List[int]) -> List[Wake]:
    shown = set(events)
    return [
        Wake(_lane_of(wake.by, rows), rows.index(wake.to), _bound(wake.at, events))
        for wake in story.wakes
        if wake.to in rows and wake.at in shown
    ]


def _happening(story: Story, kept: Kept, rows: List[int], at: int) -> Happening:
    row, what = story.lines[at]
    return Happening(_lane_of(row, rows), _cut(what), kept.recording.events[at].virtual)


def _lane_of(row: int, rows: List[int]) -> int:
    return rows.index(row) if row in rows else OUTSIDE


def _lane(story: Story, row: int, events: List[int]) -> Lane:
    coroutine = story.coroutines[row]
    return Lane(
        f"{_cut(coroutine.name)} #{coroutine.id}",
        [
            _stretch(span, events)
            for span in story.spans
            if span.row == row and _bound(span.first, events) < _bound(span.last, events)
        ],
    )


def _stretch(span: Span, events: List[int]) -> Stretch:
    shows_text = span.kind in (Kind.READY, Kind.WAIT, Kind.ENDED, Kind.FAILED)
    place = span.place if span.kind in (Kind.READY, Kind.WAIT, Kind.FAILED) else None
    return Stretch(
        span.kind.name.lower(),
        _bound(span.first, events),
        _bound(span.last, events),
        _cut(span.text) if shows_text else "",
        f"{_cut(place.path)}:{place.line}" if place is not None and place.path else "",
    )


def _bound(at: int, events: List[int]) -> int:
    """Where an event of the story is among those that are shown."""
    return bisect.bisect_left(events, at)


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_LIMIT else text[: _TEXT_LIMIT - 1] + "…"
