"""The kit's Python: types, and the tests of the grader."""

from __future__ import annotations

import re

from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

_TREES = (
    "grader tests/grader", "tests/e2e", "tests/echo_threads", "tests/support/selftest",
    "docs/concepts/code",
)  # fmt: skip


def check_types(workshop: Workshop, tester: Tester) -> None:
    """The Python code is fully typed."""
    # Two folders with a conftest.py do not go into one run.
    for trees in _TREES:
        with tester.check(f"mypy --strict {trees}"):
            cache = f"--cache-dir={workshop.folder / 'mypy-cache'}"
            command = ["mypy", "--config-file", "grader/mypy.ini", cache, *trees.split()]
            workshop.run(command, seconds=900)


def check_grader(workshop: Workshop, tester: Tester) -> None:
    """The grader's own tests."""
    with tester.check("pytest tests/grader"):
        ended = workshop.pytest("tests/grader", seconds=900, jobs=workshop.jobs)
        require(re.search(r"\b[1-9]\d* passed", ended.output) is not None, ended.output)
