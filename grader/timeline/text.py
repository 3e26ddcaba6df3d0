"""A story for the terminal: a lane for each coroutine, then what happened, event by event."""

from __future__ import annotations

from typing import Iterator, List

from grader.timeline.story import OUTSIDE, Kind, Story
from grader.timeline.words import counted, summary, time_text

_LANES = 40
_MARKS = {
    Kind.NEW: " ", Kind.READY: "-", Kind.RUN: "#", Kind.WAIT: ".",
    Kind.ENDED: " ", Kind.FAILED: "!",
}  # fmt: skip
_STRENGTH = (Kind.RUN, Kind.FAILED, Kind.READY, Kind.WAIT, Kind.NEW, Kind.ENDED)


def text_form(story: Story, title: str, width: int = 100) -> str:
    return "\n".join([f"{title}: {summary(story)}", *_lanes(story, width), *_events(story)]) + "\n"


def _lanes(story: Story, width: int) -> Iterator[str]:
    if not story.coroutines:
        return
    shown = story.coroutines[:_LANES]
    labels = [f"{coroutine.name} #{coroutine.id}" for coroutine in shown]
    margin = max(len(label) for label in labels)
    room = max(20, width - margin - 4)
    columns = min(room, len(story.times))
    lanes = [[Kind.ENDED] * columns for _ in shown]
    for span in story.spans:
        if span.row < len(lanes):
            _mark(lanes[span.row], span.kind, *_columns(story, span.first, span.last, columns))
    yield ""
    yield f"{'':{margin}}  # runs  - ready  . waits  ! failed; from left to right, event by event"
    for label, lane in zip(labels, lanes):
        yield f"{label:{margin}} |{''.join(_MARKS[kind] for kind in lane)}|"
    if len(story.coroutines) > len(shown):
        yield f"... and {counted(len(story.coroutines) - len(shown), 'coroutine')} more"
    yield ""


def _columns(story: Story, first: int, last: int, columns: int) -> "tuple[int, int]":
    count = len(story.times)
    begin = first * columns // count
    return begin, max(begin + 1, last * columns // count)


def _mark(lane: List[Kind], kind: Kind, begin: int, end: int) -> None:
    """Where several fall into one column, what matters most is shown."""
    for column in range(begin, min(end, len(lane))):
        if _STRENGTH.index(kind) < _STRENGTH.index(lane[column]):
            lane[column] = kind


def _events(story: Story) -> Iterator[str]:
    names = [f"{c.name} #{c.id}" for c in story.coroutines]
    margin = max((len(name) for name in names), default=0)
    steps = {at for at, _ in story.steps}
    for at, (row, what) in enumerate(story.lines):
        time = time_text(story.times[at])
        if at in steps:
            yield f"{time:>12}  == {what}"
        else:
            yield f"{time:>12}  {'outside' if row == OUTSIDE else names[row]:{margin}}  {what}"
    if story.full:
        yield "The recording is full: there was more."
