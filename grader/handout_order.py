"""The order in which a student makes the tests pass: that of the handout's lists `Green:`. It is not that of
cases.def, which goes by subject: some tests of an early step need a later one."""

from __future__ import annotations

import re
from typing import List, Sequence

from grader.kit import Kit, Milestone
from grader.plan import PlannedTest

_LIST = re.compile(r"^Green:\s+(`\w+`(?:,\s+`\w+`)*)", re.MULTILINE)


def in_handout_order(
    kit: Kit, milestone: Milestone, tests: Sequence[PlannedTest]
) -> List[PlannedTest]:
    """What no list names comes last; all as it was, if there are no lists."""
    handout = kit.milestones / milestone.folder / "README.md"
    text = handout.read_text(encoding="utf-8") if handout.is_file() else ""
    places = {name: place for place, name in enumerate(green_names(text))}
    return sorted(tests, key=lambda test: places.get(test.name, len(places)))


def green_names(handout: str) -> List[str]:
    """The tests that its lists name, from the first step to the last."""
    return [name for names in _LIST.findall(handout) for name in re.findall(r"\w+", names)]
