"""grader/integrity: nobody who solves the milestones is accused of anything."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Dict, Iterator, List

import pytest

from conftest import KIT_ROOT
from grader.integrity.inspect import Use, inspect_objects
from grader.kit import MILESTONES
from integrity_lab import IntegrityLab, integrity_lab

VARIANTS = sorted(path.parent.name for path in KIT_ROOT.glob("tests/variants/*/*.c"))


@pytest.fixture(scope="module", params=["gcc", "clang"])
def lab(request: pytest.FixtureRequest) -> Iterator[IntegrityLab]:
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} here")
    with integrity_lab(request.param) as made:
        yield made


def uses_of(lab: IntegrityLab, sources: Dict[str, Path]) -> List[Use]:
    """Each alone in a folder, as a submission is compiled: beside the headers, not among them."""
    objects = {}
    for path, source in sources.items():
        shutil.copy(source, lab.folder / source.name)
        objects[path] = lab.compiled(lab.folder / source.name)
    return inspect_objects(lab.stage, lab.sandbox, objects)


@pytest.mark.parametrize("tree", ["solutions", "milestones"])
def test_reference_and_stubs_use_nothing_odd(lab: IntegrityLab, tree: str) -> None:
    """Besides two bytes that happen to stand inside a longer instruction, which is the compiler's doing."""
    found = uses_of(lab, {path: KIT_ROOT / tree / path for m in MILESTONES for path in m.paths})
    assert [use for use in found if use.forbidden or "by chance" not in use.reason] == []


@pytest.mark.parametrize("name", VARIANTS)
def test_other_right_designs_are_not_refused(lab: IntegrityLab, name: str) -> None:
    [milestone] = [m for m in MILESTONES if name.startswith(f"{m.id}-")]
    source = KIT_ROOT / "tests" / "variants" / name / milestone.source
    assert [use for use in uses_of(lab, {milestone.path: source}) if use.forbidden] == []
