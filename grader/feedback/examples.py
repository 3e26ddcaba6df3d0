"""tests/feedback/examples.txt: the failures whose texts are pinned."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import List

from grader.exit_codes import KitFailed
from grader.kit import MILESTONES, Kit, Milestone
from grader.mutants.patching import DoesNotApply, apply_patch

STUB = "stub"


@dataclasses.dataclass(frozen=True)
class Example:
    name: str  # of its golden file
    milestone: Milestone
    fault: str
    test: str  # "m2.yield_alone"
    on_page: bool  # of docs/feedback.md


def folder_of(kit: Kit) -> Path:
    return kit.root / "tests" / "feedback"


def golden_file(kit: Kit, example: Example) -> Path:
    return folder_of(kit) / "golden" / f"{example.name}.txt"


def read_examples(kit: Kit) -> List[Example]:
    path = folder_of(kit) / "examples.txt"
    by_id = {milestone.id: milestone for milestone in MILESTONES}
    examples: List[Example] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.lstrip("+").split()
        if not words or line.startswith("#"):
            continue
        if len(words) != 4 or words[1] not in by_id:
            raise KitFailed(f"{path}:{number}: not name, milestone, fault and test")
        name, id, fault, test = words
        examples.append(Example(name, by_id[id], fault, test, line.startswith("+")))
    return examples


def patch_of(kit: Kit, example: Example) -> Path:
    own = folder_of(kit) / "extra" / f"{example.fault}.patch"
    return own if own.is_file() else (
        kit.root / "tests" / "mutants" / example.milestone.id / f"{example.fault}.patch"
    )


def sentence_of(kit: Kit, example: Example) -> str:
    """What is wrong."""
    if example.fault == STUB:
        return "Nothing is written yet."
    return patch_of(kit, example).read_text(encoding="utf-8").splitlines()[0]


def wrong_file(kit: Kit, example: Example) -> str:
    """The layer with the fault in it."""
    if example.fault == STUB:
        return (kit.milestones / example.milestone.path).read_text(encoding="utf-8")
    reference = (kit.solutions / example.milestone.path).read_text(encoding="utf-8")
    try:
        return apply_patch(patch_of(kit, example).read_text(encoding="utf-8"), reference)
    except (OSError, DoesNotApply) as why:
        raise KitFailed(f"{example.name}: {example.fault}: {why}") from why
