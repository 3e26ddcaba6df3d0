"""A story as Chrome's trace-event JSON, which Perfetto and chrome://tracing open.

Times are microseconds. On virtual time many events happen at one moment: each is shown a nanosecond
after the one before, so that their order can be seen.
"""

from __future__ import annotations

from typing import Any, Dict, List

from grader.timeline.story import OUTSIDE, Kind, Span, Story

_PROCESS = 1
_OUTSIDE_THREAD = 0

Json = Dict[str, Any]


def chrome_trace(story: Story, title: str) -> Json:
    clock = "virtual" if story.virtual else "monotonic"
    events = [
        *_names(story, title),
        *_slices(story),
        *_arrows(story),
        *_steps(story),
        *_counters(story),
    ]
    about = {"title": title, "clock": clock}
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": about}


def _event(phase: str, name: str, thread: int, **more: Any) -> Json:
    return {"ph": phase, "name": name, "pid": _PROCESS, "tid": thread, **more}


def _at(story: Story, event: int) -> float:
    if not story.times:
        return 0.0
    time = story.times[min(event, len(story.times) - 1)]
    return (time + event if story.virtual else time) / 1000


def _thread(story: Story, row: int) -> int:
    return _OUTSIDE_THREAD if row == OUTSIDE else story.coroutines[row].id


def _names(story: Story, title: str) -> List[Json]:
    found = [_event("M", "process_name", _OUTSIDE_THREAD, args={"name": title})]
    found.append(_event("M", "thread_name", _OUTSIDE_THREAD, args={"name": "main, run loop"}))
    for row, coroutine in enumerate(story.coroutines):
        name = f"{coroutine.name} #{coroutine.id}"
        found.append(_event("M", "thread_name", coroutine.id, args={"name": name}))
        found.append(_event("M", "thread_sort_index", coroutine.id, args={"sort_index": row + 1}))
    return found


def _slices(story: Story) -> List[Json]:
    return [_slice(story, span) for span in story.spans]


def _slice(story: Story, span: Span) -> Json:
    name = {Kind.RUN: "runs", Kind.READY: "ready", Kind.NEW: "not begun"}.get(span.kind, span.text)
    args: Json = {"kind": span.kind.name.lower()}
    if span.text:
        args["what"] = span.text
    if span.place is not None:
        args["line"] = f"{span.place.path}:{span.place.line}"
    begin = _at(story, span.first)
    return _event(
        "X",
        name or "waits",
        _thread(story, span.row),
        cat=args["kind"],
        ts=begin,
        dur=round(_at(story, span.last) - begin, 3),
        args=args,
    )


def _arrows(story: Story) -> List[Json]:
    """From the slice of who woke to that of the woken: a flow's start and its end."""
    found = []
    for number, wake in enumerate(story.wakes):
        if wake.by not in (OUTSIDE, wake.to):
            common: Json = {"cat": "wake", "id": number, "ts": _at(story, wake.at)}
            found.append(_event("s", "wakes", _thread(story, wake.by), **common))
            found.append(_event("f", "wakes", _thread(story, wake.to), bp="e", **common))
    return found


def _steps(story: Story) -> List[Json]:
    return [_event("i", text, _OUTSIDE_THREAD, ts=_at(story, n), s="p") for n, text in story.steps]


def _counters(story: Story) -> List[Json]:
    found = []
    for name, counts in (("ready queue", story.ready), ("timer heap", story.asleep)):
        last = None
        for at, count in enumerate(counts):
            if count != last:
                args = {"length": count}
                found.append(_event("C", name, _OUTSIDE_THREAD, ts=_at(story, at), args=args))
            last = count
    return found
