"""The timeline of a failed test in words: for who cannot see the picture, and for all that it leaves out."""

from __future__ import annotations

import dataclasses
from typing import Dict, List

from grader.timeline.excerpt import Excerpt, Lane
from grader.timeline.words import counted, time_text

_DOING: Dict[str, str] = {
    "new": "has not begun", "ready": "is ready", "run": "is running", "wait": "waits for nothing",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Told:
    """What happened, or how a coroutine was left."""

    who: str  # "": the test
    what: str
    when: str = ""


def left(excerpt: Excerpt) -> List[Told]:
    return [Told(lane.name, state(lane, excerpt)) for lane in excerpt.lanes]


def told(excerpt: Excerpt) -> List[Told]:
    names = {number: lane.name for number, lane in enumerate(excerpt.lanes)}
    return [
        Told(
            names.get(event.lane, ""),
            event.what,
            "" if event.time is None else time_text(event.time),
        )
        for event in excerpt.events
    ]


def state(lane: Lane, excerpt: Excerpt) -> str:
    """At the end."""
    if not lane.stretches:
        return ""
    last = lane.stretches[-1]
    if last.kind in ("ended", "failed"):
        return last.text
    if last.last < len(excerpt.events):
        return "was destroyed"
    if last.kind == "wait" and last.text:
        return f"waits for {last.text}{last.place and f', {file_of(last.place)}'}"
    return _DOING.get(last.kind, "")


def file_of(place: str) -> str:
    """Without its folders."""
    return place.rpartition("/")[2]


def left_out(excerpt: Excerpt) -> str:
    """A sentence; "": nothing is."""
    numbers = {"event": excerpt.events_left_out, "coroutine": excerpt.coroutines_left_out}
    said = [counted(number, what) for what, number in numbers.items() if number > 0]
    sentences = [f"Not shown: {' and '.join(said)} before these."] if said else []
    if excerpt.full:
        sentences.append("The recording was full before the test was over.")
    return " ".join(sentences)
