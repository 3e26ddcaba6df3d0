"""When a submission was handed in, and when it was due: Gradescope's submission_metadata.json."""

from __future__ import annotations

import dataclasses
import datetime
import json
from pathlib import Path
from typing import Any, List, Optional

from grader.moment import moment
from grader.rubric import LatePolicy


@dataclasses.dataclass(frozen=True)
class Metadata:
    submitted: Optional[datetime.datetime] = None
    due: Optional[datetime.datetime] = None  # with the extension of any of its students
    problem: str = ""  # why something is not known

    def policy(self, policy: LatePolicy) -> LatePolicy:
        """With the later of both due dates: an extension counts, and nobody is late before the date
        that Gradescope shows him."""
        dates = [date for date in (policy.due, self.due) if date is not None]
        return dataclasses.replace(policy, due=max(dates, default=None))


def read_metadata(path: Path) -> Metadata:
    """Never fails: what cannot be read is not known, and costs nobody a point."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        submitted = moment(str(data["created_at"]))
        due = max((moment(date) for date in _due_dates(data)), default=None)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        return Metadata(problem=f"{path.name}: {type(error).__name__}: {error}")
    return Metadata(submitted, due)


def _due_dates(data: Any) -> List[str]:
    """Of the assignment, and of each student, which differs for those who have an extension."""
    places = [data, *(data.get("users") or [])]
    assignments = [place.get("assignment") or {} for place in places]
    return [str(one["due_date"]) for one in assignments if one.get("due_date")]
