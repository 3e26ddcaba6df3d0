"""Which tests ended alike: one stub, one error of the compiler or one loop without end fails many."""

from __future__ import annotations

import collections
import re
from typing import Dict, Iterable, List, Sequence, Tuple

from grader.model import Status, TestResult

FEW = 3  # tests that loop in one function may do so for reasons of their own; more of them hardly do
_NAMED = 4

# In the message of a test that was busy without end. Where one slept says little: all wake-ups that are lost
# sleep in the same epoll_wait.
_PLACE = re.compile(r".*\n(it was in (?!the test)\w+, .+?):\d+")


def alike(tests: Iterable[TestResult]) -> List[List[TestResult]]:
    """Groups of tests that ended in the same way, in the order of their first ones."""
    tests = list(tests)
    places = collections.Counter(looped_in(test) for test in tests)
    groups: Dict[Tuple[Status, str], List[TestResult]] = {}
    for test in tests:
        place = looped_in(test)
        how = place if place and places[place] > FEW else test.message.strip()
        groups.setdefault((test.status, how), []).append(test)
    return list(groups.values())


def names(tests: Sequence[TestResult]) -> str:
    """Of the first ones."""
    dots = ", ..." if len(tests) > _NAMED else ""
    return ", ".join(test.id for test in tests[:_NAMED]) + dots


def looped_in(test: TestResult) -> str:
    """As "it was in FUNCTION, FILE": without the line, for in a loop it may be any. Empty if the test did not loop
    without end, or if that is not known."""
    found = _PLACE.match(test.message) if test.status == Status.TIMEOUT else None
    return found[1] if found else ""
