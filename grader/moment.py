"""Reads a moment as people and systems write it: ISO 8601, with time zone."""

from __future__ import annotations

import datetime


def moment(text: str) -> datetime.datetime:
    """ValueError, with what is wrong, unless it is one."""
    example = "a time looks like 2027-01-15T23:59:00+01:00"
    try:
        read = datetime.datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError as error:
        raise ValueError(f"{text!r} is no time: {example}") from error
    if read.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone: {example}")
    return read
