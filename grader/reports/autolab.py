"""The last line of an autograder's output, as Autolab reads it: one problem for each milestone.

A deduction for lateness is in the scoreboard's total alone: Autolab has a late policy of its own,
which it applies to the problems. Optional labs are left out: Autolab has no problem for them. If the machine failed, the line is no JSON: then Autolab has
no score to record.
"""

from __future__ import annotations

import json

from grader.model import number
from grader.reports.view import View


def autolab(view: View) -> str:
    if view.no_grade:
        return f"No score: {view.no_grade}\n"
    scores = {milestone.id: number(milestone.score) for milestone in view.result.milestones}
    return json.dumps({"scores": scores, "scoreboard": [number(view.result.score)]}) + "\n"
