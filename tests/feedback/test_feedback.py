"""What a student is told of a failure of every kind: against golden/, and docs/feedback.md.

LAB_UPDATE_GOLDEN=1 writes these files; then look at what has changed.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from grader.feedback.check import check_form, compare_with_golden, compare_with_page
from grader.feedback.examples import Example, golden_file, read_examples, wrong_file
from grader.feedback.produce import Producer
from grader.kit import find_kit

KIT = find_kit()
EXAMPLES = read_examples(KIT)


class Texts:
    """Each is made once, when it is first asked for."""

    def __init__(self, producer: Producer) -> None:
        self._producer = producer
        self._texts: Dict[str, str] = {}

    def of(self, example: Example) -> str:
        if example.name not in self._texts:
            self._texts[example.name] = self._producer.text_of(example)
        return self._texts[example.name]


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Texts]:
    """The build is kept in the kit, if it may be written, so that the next run is quick."""
    writable = os.access(KIT.root, os.W_OK)
    folder = KIT.build_folder("feedback") if writable else tmp_path_factory.mktemp("feedback")
    producer = Producer(KIT, folder)
    producer.build_all(EXAMPLES)
    yield Texts(producer)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_text(example: Example, texts: Texts) -> None:
    text = texts.of(example)
    check_form(example, text)
    compare_with_golden(KIT, example, text)


CRASHES = [example for example in EXAMPLES if example.name.startswith(("crash_", "timeout_"))]


@pytest.mark.parametrize("example", CRASHES, ids=[example.name for example in CRASHES])
def test_places_in_the_students_file_are_right(example: Example, texts: Texts) -> None:
    """Every function that the text names is where it says."""
    lines = wrong_file(KIT, example).splitlines()
    named = re.findall(rf"in (\w+), {example.milestone.path}:(\d+)", texts.of(example))
    assert named or " in the test, " in texts.of(example)
    for function, number in named:
        assert _function_at(lines, int(number)) == function


def _function_at(lines: List[str], number: int) -> str:
    """The name in the last definition at or before a line."""
    for line in reversed(lines[:number]):
        found = re.match(r"^\w[^;=]*?(\w+)\(.*[^;]$", line)
        if found:
            return found.group(1)
    return ""


def test_docs_feedback_shows_them(texts: Texts) -> None:
    on_page = [example for example in EXAMPLES if example.on_page]
    assert len(on_page) >= 10
    compare_with_page(KIT, EXAMPLES, {example.name: texts.of(example) for example in on_page})


def test_every_golden_file_has_its_example() -> None:
    names = {path.name for path in golden_file(KIT, EXAMPLES[0]).parent.iterdir()}
    assert names == {golden_file(KIT, example).name for example in EXAMPLES}
