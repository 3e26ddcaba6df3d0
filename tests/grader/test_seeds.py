"""The table of what the four systems promise: complete, of tests that exist, and as docs/seeds.md shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import KIT_ROOT

from grader.kit import Kit
from grader.seeds import page
from grader.seeds.known import cpp_programs, unknown_tests
from grader.seeds.promises import Promise, program_test, read_promises

KIT = Kit(KIT_ROOT)
PROMISES = read_promises()

CASES_OF_A = ["A1 value", "A1 no value", "A1 error", "A2 several", "A2 drains", "A3 delay", "A3 order", "A4 echo"]
IDS = [*(f"A{n}" for n in range(1, 6)), *CASES_OF_A, "A5 end to end"]
IDS += [*(f"B{n}" for n in range(1, 10)), *(f"C{n}" for n in range(1, 5)), *(f"D{n}" for n in range(1, 11))]


def test_every_promise_has_a_line() -> None:
    assert sorted(one.id for one in PROMISES) == sorted(IDS)


def test_every_promise_is_shown_in_both_languages() -> None:
    assert [one.id for one in PROMISES if not one.c or not [*one.programs, *one.cpp]] == []


def test_what_shows_it_exists() -> None:
    assert unknown_tests(KIT, PROMISES) == {}


def test_every_cpp_program_shows_a_promise() -> None:
    shown = {program for one in PROMISES for program in one.programs}
    assert {path.stem for path in cpp_programs(KIT)} == shown


def test_the_page_is_up_to_date_and_all_of_it_passes() -> None:
    passed = {test: True for one in PROMISES for test in one.tests}
    assert page.path_of(KIT).read_text(encoding="utf-8") == page.render(PROMISES, passed)


def test_a_name_that_no_test_has_is_found() -> None:
    promise = Promise("B1", "x", c=["m2.gone", "m2.several_tasks"], programs=["gone"])
    assert unknown_tests(KIT, [promise]) == {"B1": ["m2.gone", "x3.program_gone"]}


def test_a_line_says_what_failed_or_did_not_run() -> None:
    promise = Promise("C2", "lines", c=["m2.a", "example.lifo"], programs=["lifo"], cpp=["x3.b"])
    passed = {"m2.a": True, "example.lifo": False, program_test("lifo"): True}
    line = (
        "| C2 | lines | `m2.a`, [lifo.c](examples/lifo.c) | "
        "[lifo.cpp](../milestones/x3-cpp20/programs/lifo.cpp), `x3.b` | failed: example.lifo, x3.b |"
    )
    assert line in page.render([promise], passed).splitlines()


def test_a_field_that_there_is_none_of_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "promises.toml"
    path.write_text('[[promise]]\nid = "A1"\nsays = "x"\nprogram = ["y"]\n', encoding="utf-8")
    with pytest.raises(TypeError, match="program"):
        read_promises(path)
