"""Three hints for each test, each more telling. They are data beside the tests (hints.toml), for
teachers to edit: an entry serves all the tests that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Tuple

import tomli

from grader.exit_codes import KitFailed
from grader.kit import END_TO_END_POINTS, LABS, Kit
from grader.plan import PlannedTest

FILE_NAME = "hints.toml"
_KEYS = ("first", "second", "third")

Hints = Tuple[str, ...]


def hints_for(kit: Kit, test: PlannedTest) -> Hints:
    """KitFailed if there are none. All forms of a check have the same (.level, m5.own)."""
    path = hints_file(kit, test.group)
    name = test.name.partition(".")[0]
    try:
        return read_hints(path)[name]
    except KeyError:
        raise KitFailed(f"{path} has no hints for {name}") from None


def hints_file(kit: Kit, group: str) -> Path:
    if group in END_TO_END_POINTS:
        return kit.end_to_end / FILE_NAME
    [lab] = [lab for lab in LABS if lab.id == group]
    return kit.cases_file(lab).with_name(FILE_NAME)


def read_hints(path: Path) -> Dict[str, Hints]:
    """By the tests' names. KitFailed, with what is wrong, if a teacher's edit went wrong."""
    try:
        entries = tomli.loads(path.read_text(encoding="utf-8")).get("hint", [])
    except OSError as error:
        raise KitFailed(f"cannot read {path}: {error.strerror}") from error
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise KitFailed(f"{path}: {error}") from error
    hints: Dict[str, Hints] = {}
    for number, entry in enumerate(entries, 1):
        try:
            tests, texts = _entry(entry)
        except ValueError as problem:
            raise KitFailed(f"{path}: [[hint]] number {number}: {problem}") from problem
        for name in tests:
            if name in hints:
                raise KitFailed(f"{path}: [[hint]] number {number}: {name} has hints already")
            hints[name] = texts
    return hints


def _entry(entry: Any) -> Tuple[List[str], Hints]:
    """Its tests and their hints; ValueError unless all is there."""
    if not isinstance(entry, dict) or set(entry) != {"tests", *_KEYS}:
        raise ValueError(f"it needs tests, {', '.join(_KEYS)}, and nothing else")
    if not isinstance(entry["tests"], list) or not entry["tests"]:
        raise ValueError("tests is a list of names")
    texts = tuple(" ".join(str(entry[key]).split()) for key in _KEYS)
    if not all(texts):
        raise ValueError("a hint is empty")
    return [str(name) for name in entry["tests"]], texts
