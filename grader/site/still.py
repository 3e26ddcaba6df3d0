"""A story as a picture that stands still: SVG for a page's text. Its colours are the page's, by classes.

A row for each coroutine. Along it go the events, each as wide as the next; or virtual time.
"""

from __future__ import annotations

import html
from typing import Callable, Iterator, List, Optional

from grader.timeline.story import OUTSIDE, Kind, Span, Story
from grader.timeline.words import time_text

EVENTS, TIME = "events", "time"

_WIDTH = 720
_LETTER = 8  # so wide is one, at most
_MANY = 12  # rows; of more each is thin, and those of one name have it once
_TOP, _BOTTOM = 8, 44
_NARROWEST = 3  # of a bar
_BARS = {Kind.RUN: 1.0, Kind.FAILED: 1.0, Kind.READY: 0.4, Kind.WAIT: 0.12}  # parts of a row's height
_LEGEND = ((Kind.RUN, "runs"), (Kind.READY, "ready"), (Kind.WAIT, "waits"))


def still_picture(story: Story, along: str, label: str) -> str:
    """`label`: what it shows, for who cannot see it."""
    drawing = _Drawing(story, along)
    begin = f'<svg class="timeline" role="img" aria-label="{html.escape(label)}"'
    begin += f' viewBox="0 0 {_WIDTH} {drawing.height}" xmlns="http://www.w3.org/2000/svg">'
    return "\n".join([begin, *drawing.elements(), "</svg>"])


class _Drawing:
    def __init__(self, story: Story, along: str) -> None:
        self._story = story
        rows = len(story.coroutines)
        self._row_height = 30 if rows <= _MANY else 10
        self._bar_height = 14 if rows <= _MANY else 7
        self._bottom = _TOP + rows * self._row_height
        self.height = self._bottom + _BOTTOM
        widest = max((len(coroutine.name) for coroutine in story.coroutines), default=0)
        self._left = widest * _LETTER + (16 if rows <= _MANY else 44)
        self._at: Callable[[int], float] = self._by_time if along == TIME else self._by_event
        self._along = along

    def elements(self) -> Iterator[str]:
        yield from self._names()
        if self._along == TIME:
            yield from self._times()
        for span in self._story.spans:
            yield from self._bar(span)
        if len(self._story.coroutines) <= _MANY:
            yield from self._wakes()
            for span in self._story.spans:
                yield from self._words(span)
        yield from self._legend()

    # ---- Places

    def _by_event(self, event: int) -> float:
        return self._place(event / max(1, len(self._story.times)))

    def _by_time(self, event: int) -> float:
        times = self._story.times
        whole = max(1, times[-1] - times[0])
        return self._place((times[min(event, len(times) - 1)] - times[0]) / whole)

    def _place(self, share: float) -> float:
        return self._left + (_WIDTH - self._left - 8) * share

    def _middle(self, row: int) -> float:
        return _TOP + (row + 0.6) * self._row_height

    # ---- What is drawn

    def _names(self) -> Iterator[str]:
        names = [coroutine.name for coroutine in self._story.coroutines]
        for row, name in enumerate(names):
            yield _line("life", self._left, self._middle(row), _WIDTH - 8, self._middle(row))
            if len(names) <= _MANY:
                yield _text("name", self._left - 8, self._middle(row) + 4, name, "end")
            elif row == 0 or names[row - 1] != name:
                count = _run_length(names, row)
                shown = name if count == 1 else f"{count} {name}s"
                middle = (self._middle(row) + self._middle(row + count - 1)) / 2
                yield _text("name", self._left - 8, middle + 4, shown, "end")

    def _times(self) -> Iterator[str]:
        for time in sorted(set(self._story.times)):
            x = self._at(self._story.times.index(time))
            yield _line("tick", x, _TOP, x, self._bottom)
            side = "end" if x > _WIDTH - 60 else "start" if x < self._left + 10 else "middle"
            yield _text("time", x, self._bottom + 14, time_text(time), side)

    def _bar(self, span: Span) -> Iterator[str]:
        if span.kind in _BARS:
            begin, end = self._at(span.first), self._at(span.last)
            height = self._bar_height * _BARS[span.kind]
            is_moment = span.kind in (Kind.RUN, Kind.FAILED)
            width = max(end - begin, _NARROWEST if is_moment else 0.0)
            if width > 0:
                yield _box(self._class(span), begin, self._middle(span.row) - height / 2, width, height)

    def _class(self, span: Span) -> str:
        """A wait that nobody has ended stands out."""
        name = span.kind.name.lower()
        return f"{name} for-ever" if span.kind == Kind.WAIT and not span.woken_by else name

    def _words(self, span: Span) -> Iterator[str]:
        if span.kind != Kind.WAIT:
            return
        text = f"{span.text}, for ever" if not span.woken_by else span.text
        begin, end = self._at(span.first), self._at(span.last)
        if (len(text) + 1) * _LETTER * 0.85 < end - begin:
            yield _text("wait", begin + 5, self._middle(span.row) - 5, text, "start")

    def _wakes(self) -> Iterator[str]:
        for wake in self._story.wakes:
            if wake.by not in (OUTSIDE, wake.to):
                x = self._at(wake.at)
                yield _line("wake", x, self._middle(wake.by), x, self._middle(wake.to))

    def _legend(self) -> Iterator[str]:
        x, y = float(self._left), self._bottom + 34
        for kind, word in _LEGEND:
            height = 14 * _BARS[kind]
            yield _box(kind.name.lower(), x, y - 4 - height / 2, 22, height)
            yield _text("legend", x + 28, y, word, "start")
            x += 40 + len(word) * _LETTER
        way = "time, from left to right" if self._along == TIME else "event by event, from left to right"
        yield _text("legend", _WIDTH - 8, y, way, "end")


def _run_length(names: List[str], begin: int) -> int:
    end: Optional[int] = next((n for n in range(begin, len(names)) if names[n] != names[begin]), None)
    return (len(names) if end is None else end) - begin


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _box(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _text(kind: str, x: float, y: float, text: str, anchor: str) -> str:
    place = f'class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place}>{html.escape(text)}</text>"
