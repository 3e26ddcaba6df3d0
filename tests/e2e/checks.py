"""The decorator that makes a test function a check worth points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import pytest


@dataclass(frozen=True)
class Check:
    """What the score sheet says about one test function."""

    title: str  # a sentence: what a right server does
    points: float
    rule: str  # of docs/protocol.md: "P3", or several: "P7, P8"
    hint: str  # the likely cause of a failure
    level_points: float  # of the same check with --level-triggered; 0: that is not tried
    own: bool  # also tried on the student's own whole stack, for 1 point
    needs_echo: bool  # pointless while the server does not echo to one client


@dataclass(frozen=True)
class PlannedCheck:
    """A check as it is tried in this run: its identifier, title and points."""

    id: str
    title: str
    max_points: float


def check(
    *,
    points: float,
    title: str,
    rule: str,
    hint: str,
    level_points: float = 0,
    own: bool = False,
    needs_echo: bool = True,
) -> pytest.MarkDecorator:
    """Marks a test function as a check."""
    for value in (points, level_points):
        if value * 4 != int(value * 4):
            raise ValueError(f"points are multiples of 0.25, not {value}")
    return pytest.mark.check(Check(title, points, rule, hint, level_points, own, needs_echo))


def check_of(item: pytest.Item) -> Optional[Check]:
    """The check that a test function was marked as, if any."""
    marker = item.get_closest_marker("check")
    if marker is None:
        return None
    (found,) = marker.args
    assert isinstance(found, Check)
    return found


def is_level_triggered(item: pytest.Item) -> bool:
    """True for the variant of a check that runs the server with --level-triggered."""
    callspec = getattr(item, "callspec", None)
    return callspec is not None and callspec.params.get("trigger") == "level"


def plan_check(item: pytest.Item, found: Check, own_stack: bool) -> PlannedCheck:
    """How the check of `item` appears on the score sheet."""
    name = getattr(item, "originalname", item.name).removeprefix("test_")
    if own_stack:
        return PlannedCheck(f"m5.own.{name}", f"{found.title} (own stack)", 1)
    if is_level_triggered(item):
        title = f"{found.title} (level-triggered)"
        return PlannedCheck(f"m5.e2e.{name}.level", title, found.level_points)
    return PlannedCheck(f"m5.e2e.{name}", found.title, found.points)
