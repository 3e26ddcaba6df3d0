"""How many programs a container may run at a time: it can be given less than its machine has."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from grader.keepers import available_cores

CONTROL_GROUP = Path("/sys/fs/cgroup")


def available_processors(control_group: Path = CONTROL_GROUP) -> int:
    """At least 1, though half a processor is what Gradescope gives by default."""
    share = _share(control_group)
    return max(1, available_cores() if share is None else min(available_cores(), int(share)))


def _share(control_group: Path) -> Optional[float]:
    """None: no limit, or none that can be read."""
    try:
        quota, period = _quota_and_period(control_group)
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError, ZeroDivisionError):  # ValueError: "max"
        return None


def _quota_and_period(control_group: Path) -> "tuple[str, str]":
    """In microseconds, as version 2 of control groups tells them, or version 1."""
    together = control_group / "cpu.max"
    if together.exists():
        quota, period = together.read_text(encoding="ascii").split()
        return quota, period
    folder = control_group / "cpu"
    return (folder / "cpu.cfs_quota_us").read_text(), (folder / "cpu.cfs_period_us").read_text()
