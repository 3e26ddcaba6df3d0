"""The handouts name the milestone's cases, and the cases sections that are there."""

from __future__ import annotations

import re

import pytest
from conftest import KIT_ROOT

from grader.case_list import read_cases
from grader.handout_order import green_names
from grader.kit import Kit, Milestone

LABS = Kit(KIT_ROOT).labs
BY_ID = pytest.mark.parametrize("milestone", LABS, ids=lambda milestone: str(milestone.id))


def handout(milestone: Milestone) -> str:
    return (KIT_ROOT / "milestones" / milestone.folder / "README.md").read_text(encoding="utf-8")


@BY_ID
def test_every_section_is_a_heading(milestone: Milestone) -> None:
    headings = re.findall(r"^## (.+)$", handout(milestone), re.MULTILINE)
    for case in read_cases(KIT_ROOT / "tests" / milestone.folder / "cases.def"):
        assert case.section in headings, case.name


@BY_ID
def test_every_case_is_told_of(milestone: Milestone) -> None:
    named = set(re.findall(r"`(?:[mx]\d\.)?(\w+)`", handout(milestone)))
    cases = {case.name for case in read_cases(KIT_ROOT / "tests" / milestone.folder / "cases.def")}
    assert cases <= named, cases - named


@BY_ID
def test_every_command_names_a_case(milestone: Milestone) -> None:
    names = {case.name for case in read_cases(KIT_ROOT / "tests" / milestone.folder / "cases.def")}
    commands = re.findall(r"\./lab test (.+)$", handout(milestone), re.MULTILINE)
    assert commands
    used = set(re.findall(rf"\b{milestone.id}\.(?!e2e|own)(\w+)", " ".join(commands)))
    assert used <= names, used - names


@BY_ID
def test_every_case_turns_green_once(milestone: Milestone) -> None:
    text = handout(milestone)
    names = green_names(text)
    if milestone.id not in ("m4", "m5"):
        cases = [case.name for case in read_cases(KIT_ROOT / "tests" / milestone.folder / "cases.def")]
        assert sorted(names) == sorted(cases)
        assert f"`./lab test {milestone.id}` has {len(cases)} of {len(cases)}." in text
    else:
        assert names == []  # they say it in other words
