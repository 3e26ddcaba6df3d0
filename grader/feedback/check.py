"""The part `feedback` of `./lab selftest`: the texts of failures are as they were when somebody last
looked at them, and docs/feedback.md shows them."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import List, Mapping, Sequence

from grader.feedback.examples import Example, golden_file
from grader.feedback.normal import normal
from grader.feedback.page import path_of, render
from grader.kit import Kit
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

MOST_LINES = 40
LABELS = ("likely cause:", "read:", "run again:", "debug:")


UPDATE = "LAB_UPDATE_GOLDEN"  # set to 1: the files are written, not compared
TESTS = "tests/feedback"


def check_feedback(workshop: Workshop, tester: Tester) -> None:
    """What a student is told of each kind of failure; docs/feedback.md is up to date."""
    with tester.check(f"mypy --strict {TESTS}"):
        cache = f"--cache-dir={workshop.folder / 'mypy-cache'}"
        command = ["mypy", "--config-file", "grader/mypy.ini", cache, TESTS]
        workshop.run(command, seconds=900)
    with tester.check(f"pytest {TESTS}"):
        ended = workshop.pytest(TESTS, seconds=600)
        require(re.search(r"\b[1-9]\d* passed", ended.output) is not None, ended.output)


def is_update() -> bool:
    return os.environ.get(UPDATE, "") not in ("", "0")


def check_form(example: Example, text: str) -> None:
    """What every text must have, however the golden files change."""
    lines = text.splitlines()
    require(len(lines) <= MOST_LINES, f"{len(lines)} lines:\n{text}")
    require(f" {example.test}: " in lines[0], f"no title:\n{text}")
    labels = LABELS if not lines[0].startswith("not-implemented") else ("read:", "run again:")
    if lines[0].startswith("crashed"):  # a sanitizer has said it, and where
        labels = tuple(label for label in labels if label != "likely cause:")
    if ".e2e." in example.test:
        labels = tuple(label for label in labels if label != "debug:")
    missing = [label for label in labels if f"\n  {label}" not in text]
    require(not missing, f"it does not say {missing}:\n{text}")
    again = [line.split()[-1] for line in lines if line.startswith("  run again:")]
    require(again == [example.test], f"it says how to run again: {again}")


def compare_with_golden(kit: Kit, example: Example, text: str) -> None:
    _compare(kit, golden_file(kit, example), normal(text), normal(text))


def compare_with_page(kit: Kit, examples: Sequence[Example], texts: Mapping[str, str]) -> None:
    """Line numbers may be those of the day when it was written."""
    page = render(kit, examples, texts)
    _compare(kit, path_of(kit), page, normal(page))


def _compare(kit: Kit, path: Path, text: str, now: str) -> None:
    if is_update():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    written = path.read_text(encoding="utf-8") if path.exists() else ""
    _require_same(normal(written), now, str(path.relative_to(kit.root)))


def _require_same(written: str, now: str, name: str) -> None:
    difference: List[str] = list(
        difflib.unified_diff(written.splitlines(), now.splitlines(), name, "now", lineterm="")
    )
    hint = f"If the new text is better: python3 -m grader.feedback --update, or {UPDATE}=1"
    require(not difference, "\n".join([*difference, hint]))
