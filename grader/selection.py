"""Which tests the arguments of `./lab test` mean: "m2", "m3.delay_order", "m5.e2e"."""

from __future__ import annotations

import difflib
from typing import List, Sequence

from grader.exit_codes import WrongUse
from grader.kit import END_TO_END_POINTS, MILESTONES, OPTIONAL
from grader.plan import PlannedTest

_SHOWN_NAMES = 12


def select_tests(tests: Sequence[PlannedTest], names: Sequence[str]) -> List[PlannedTest]:
    """In the order of the lab, each once; if nothing is named, all but those of optional labs."""
    for name in names:
        if not any(_means(name, test) for test in tests):
            raise WrongUse(_unknown(name, [test.id for test in tests]))
    if not names:
        optional = {lab.id for lab in OPTIONAL}
        return [test for test in tests if test.group not in optional]
    return [test for test in tests if any(_means(name, test) for name in names)]


def _means(name: str, test: PlannedTest) -> bool:
    return test.id == name or test.id.startswith(name + ".")


def _unknown(name: str, ids: List[str]) -> str:
    groups = [milestone.id for milestone in MILESTONES] + list(END_TO_END_POINTS)
    groups += [lab.id for lab in OPTIONAL if any(id.startswith(f"{lab.id}.") for id in ids)]
    milestone = name.split(".")[0]
    if "." in name and any(id.startswith(milestone + ".") for id in ids):
        known = [id for id in ids if id.startswith(milestone + ".")]
        text = f"no test {name}"
    else:
        known = groups
        text = f"no milestone {name}"
    close = difflib.get_close_matches(name, groups + ids, n=1)
    if close:
        text += f"; did you mean {close[0]}?"
    more = f" and {len(known) - _SHOWN_NAMES} more" if len(known) > _SHOWN_NAMES else ""
    return f"{text}\nKnown: {', '.join(known[:_SHOWN_NAMES])}{more}"
