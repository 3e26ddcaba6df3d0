"""What lateness costs: a share of the maximum for each day begun after the due date."""

from __future__ import annotations

import datetime
import math
from typing import Optional

from grader.model import Late
from grader.rubric import LatePolicy


def lateness(
    policy: LatePolicy, submitted: Optional[datetime.datetime], max_score: float
) -> Optional[Late]:
    """None: in time, or nothing is taken off. `submitted`, with time zone; None: not known, and so
    held to be in time."""
    if policy.due is None or submitted is None or submitted <= policy.due + policy.grace:
        return None
    days = math.ceil((submitted - policy.due) / datetime.timedelta(days=1))
    points = min(max_score, max_score * policy.percent * days / 100)
    if points == 0:
        return None
    detail = (
        f"handed in {submitted.isoformat(' ', 'minutes')}, due {policy.due.isoformat(' ', 'minutes')}: "
        f"{policy.percent:g} percent of the maximum for each day begun"
    )
    return Late(days, round(points, 4), detail)
