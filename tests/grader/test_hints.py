"""./lab hint: three hints for every test, and which of them is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List

import click
import pytest
from click.testing import CliRunner
from conftest import KIT_ROOT

from grader import cli_student
from grader.check_list import read_checks
from grader.exit_codes import KitFailed, WrongUse
from grader.handout.check import SHARED_LINES
from grader.handout.leaks import read_secrets, read_shared
from grader.hints import hints_file, hints_for, read_hints
from grader.kept_progress import KeptProgress
from grader.kit import Kit
from grader.plan import PlannedTest, c_tests

THE_KIT = Kit(KIT_ROOT)
GROUPS = [lab.id for lab in THE_KIT.labs] + ["m5.e2e"]


def planned_for(group: str) -> List[PlannedTest]:
    if group == "m5.e2e":
        return read_checks(THE_KIT)
    [lab] = [lab for lab in THE_KIT.labs if lab.id == group]
    return c_tests(THE_KIT, lab)


# ---- The hints of the kit


@pytest.mark.parametrize("group", GROUPS)
def test_every_test_has_three_that_differ(group: str) -> None:
    tests = planned_for(group)
    assert len(tests) > 20
    for test in tests:
        hints = hints_for(THE_KIT, test)
        assert len(hints) == len(set(hints)) == 3, test.id
        assert min(len(hint) for hint in hints) >= 25, test.id


@pytest.mark.parametrize("group", GROUPS)
def test_no_hint_for_what_is_no_test(group: str) -> None:
    names = {test.name.partition(".")[0] for test in planned_for(group)}
    assert set(read_hints(hints_file(THE_KIT, group))) == names


def test_entries_differ() -> None:
    """Tests with the same cause share an entry; nothing is copied from one to another."""
    for group in GROUPS:
        entries = set(read_hints(hints_file(THE_KIT, group)).values())
        texts = [text for entry in entries for text in entry]
        assert len(texts) == len(set(texts)), group


@pytest.mark.skipif(not THE_KIT.solutions.is_dir(), reason="a handout has no solutions to compare")
@pytest.mark.parametrize("group", GROUPS)
def test_none_has_a_line_of_the_solution(group: str) -> None:
    secrets = read_secrets(THE_KIT.solutions, THE_KIT.milestones, read_shared(SHARED_LINES))
    assert secrets.in_text(hints_file(THE_KIT, group).read_text(encoding="utf-8")) == []
    told = " ".join(next(iter(secrets.lines)).split())
    assert secrets.in_text(f'first = "{told}"') != []  # else the line above says nothing


@pytest.mark.parametrize("group", GROUPS)
def test_none_is_code(group: str) -> None:
    looks_like_code = re.compile(r"->|==|!=|&&|\|\||[{}]|\w\(\w*\);|^\s*#|\breturn \w+;")
    for name, hints in read_hints(hints_file(THE_KIT, group)).items():
        for hint in hints:
            assert not looks_like_code.search(hint), (name, hint)


# ---- The file


ENTRY = '[[hint]]\ntests = ["a", "b"]\nfirst = "one"\nsecond = "two"\nthird = "three"\n'


def test_an_entry_serves_several(tmp_path: Path) -> None:
    (tmp_path / "hints.toml").write_text(ENTRY, encoding="utf-8")
    expected = ("one", "two", "three")
    assert read_hints(tmp_path / "hints.toml") == {"a": expected, "b": expected}


@pytest.mark.parametrize(
    "text, message",
    [
        (ENTRY.replace('third = "three"\n', ""), "number 1: it needs tests, first, second, third"),
        (ENTRY + 'fourth = "four"\n', "number 1: it needs tests, first, second, third"),
        (ENTRY.replace('"two"', '" "'), "number 1: a hint is empty"),
        (ENTRY.replace('["a", "b"]', '"a"'), "number 1: tests is a list"),
        (ENTRY + ENTRY, "number 2: a has hints already"),
        ("[[hint]\n", "hints.toml: Expected"),
    ],
)
def test_what_a_teacher_may_get_wrong(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "hints.toml").write_text(text, encoding="utf-8")
    with pytest.raises(KitFailed) as raised:
        read_hints(tmp_path / "hints.toml")
    assert message in str(raised.value)


def test_a_test_without_hints_is_the_kits_fault(kit: Kit) -> None:
    with pytest.raises(KitFailed, match="cannot read .*hints.toml"):
        hints_for(kit, PlannedTest("m1.only", "", 1))
    hints_file(kit, "m1").write_text(ENTRY, encoding="utf-8")
    with pytest.raises(KitFailed, match="has no hints for only"):
        hints_for(kit, PlannedTest("m1.only", "", 1))


# ---- The command


@pytest.fixture
def student(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Kit:
    monkeypatch.setattr(cli_student, "find_kit", lambda: kit)
    for group in ("m1", "m2"):
        hints_file(kit, group).write_text(ENTRY.replace('"a", "b"', '"only"'), encoding="utf-8")
    return kit


def hint(*arguments: str) -> str:
    ended = CliRunner().invoke(cli_student.hint_command, arguments, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return str(ended.output)


def shown(*arguments: str) -> List[str]:
    return re.findall(r"hint (\d of 3: \w+)", hint(*arguments))


def test_one_after_the_other(student: Kit) -> None:
    said = [shown("m1.only") for _ in range(4)]
    assert said == [["1 of 3: one"], ["2 of 3: two"], ["3 of 3: three"], ["3 of 3: three"]]
    assert "That was the last one" in hint("m1.only")
    assert shown("m2.only") == ["1 of 3: one"]  # each test has its own


def test_again_and_all(student: Kit) -> None:
    assert shown("--again", "m1.only") == ["1 of 3: one"]  # none was shown: the first
    assert shown("--again", "m1.only") == ["1 of 3: one"]
    assert shown("m1.only") == ["2 of 3: two"]
    assert shown("--again", "m1.only") == ["2 of 3: two"]
    assert shown("--all", "m1.only") == ["1 of 3: one", "2 of 3: two", "3 of 3: three"]
    assert shown("--again", "m1.only") == ["3 of 3: three"]


def test_it_says_what_the_test_is_and_what_is_next(student: Kit) -> None:
    said = hint("m1.only")
    assert said.startswith("m1.only: the only case\n") and "./lab hint m1.only" in said


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["m1"], "hints are for one test, and m1 is a group of them"),
        (["m1.onyl"], "no test m1.onyl; did you mean m1.only?"),
        (["m9"], "no milestone m9"),
        (["--again", "--all", "m1.only"], "--again or --all"),
    ],
)
def test_wrong_use(student: Kit, arguments: List[str], message: str) -> None:
    with pytest.raises(WrongUse) as raised:
        hint(*arguments)
    assert message in str(raised.value)
    assert not KeptProgress(student).path.exists()


def test_a_check_has_the_same_hints_in_all_its_forms() -> None:
    ids = ("m5.e2e.crowd", "m5.e2e.crowd.level", "m5.own.crowd")
    by_id = {test.id: test for test in read_checks(THE_KIT)}
    assert len({hints_for(THE_KIT, by_id[id]) for id in ids}) == 1


def test_what_cannot_be_kept_is_told_and_shown(student: Kit) -> None:
    (student.root / ".lab").write_text("no folder", encoding="utf-8")
    assert "cannot be kept" in hint("m1.only")
    assert shown("m1.only") == ["1 of 3: one"]


def test_the_command_is_one_of_the_students() -> None:
    names = [command.name for command in cli_student.COMMANDS]
    assert names == ["completion", "hint", "status"]
    assert all(isinstance(command, click.Command) for command in cli_student.COMMANDS)
