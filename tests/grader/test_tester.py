"""What the kit's own tests say at the end."""

from __future__ import annotations

import io

from rich.console import Console

from grader.selftest import tester as testers


def test_failures_are_told_again_at_the_end() -> None:
    said = io.StringIO()
    tester = testers.Tester(Console(file=said, width=200))
    tester.part("cooking", "Water is hot.")
    with tester.check("it boils"):
        raise testers.CheckFailed("\n".join(f"line {number}" for number in range(100)))
    with tester.check("it does not burn"):
        pass
    said.truncate(0)
    said.seek(0)
    tester.close()
    lines = [line.strip() for line in said.getvalue().splitlines() if line]
    assert lines[:2] == ["Failed:", "cooking: it boils"]
    assert lines[-2:] == ["line 99", "1 passed, 1 failed"]
    assert len(lines) < 15  # the end of what it said is enough


def test_without_a_failure_only_the_count_is_told() -> None:
    said = io.StringIO()
    tester = testers.Tester(Console(file=said, width=200))
    tester.close()
    assert said.getvalue() == "\n0 passed, 0 failed\n"
