"""Times and places in words."""

from __future__ import annotations

from grader.timeline.story import Story

_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))


def time_text(nanoseconds: int) -> str:
    for size, unit in _UNITS:
        if nanoseconds >= size:
            return f"{nanoseconds / size:.4g} {unit}"
    return f"{nanoseconds} ns" if nanoseconds else "0"


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def summary(story: Story) -> str:
    span = story.times[-1] - story.times[0] if story.times else 0
    clock = " of virtual time" if story.virtual else ""
    return (
        f"{counted(len(story.coroutines), 'coroutine')}, {counted(len(story.times), 'event')}, "
        f"{time_text(span)}{clock}"
    )
