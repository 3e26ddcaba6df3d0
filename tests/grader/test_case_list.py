"""cases.def: what is read, and what each mistake in it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.case_list import Case, read_cases
from grader.exit_codes import KitFailed


def read(folder: Path, text: str) -> "list[Case]":
    path = folder / "cases.def"
    path.write_text(text, encoding="utf-8")
    return read_cases(path)


def complaint(folder: Path, text: str) -> str:
    with pytest.raises(KitFailed) as raised:
        read(folder, text)
    return str(raised.value).replace(f"{folder}/", "")


def test_reads_c_syntax(tmp_path: Path) -> None:
    text = """/* two
       lines */
    CASE(value, 1.25, "a title, with (marks) and \\"quotes\\"",   // a comment
         "Step 1: " "begin", "the " /* here too */ "cause")
    """
    expected = Case("value", 1.25, 'a title, with (marks) and "quotes"', "Step 1: begin", "the cause")
    assert read(tmp_path, text) == [expected]


@pytest.mark.parametrize(
    "text, message",
    [
        ('CASE(a, 1, "t", "s", "c")\n\nCASE(b, 1, "t" "s", "c")', "3: expected a comma, found )"),
        ('CASE(a, one, "t", "s", "c")', "1: expected the points, found one"),
        ('CASE(a, 1.1, "t", "s", "c")', "1: the points of a are 1.1, no multiple of 0.25"),
        ('CASE(a, 0, "t", "s", "c")', "1: the points of a are 0, no multiple of 0.25"),
        ('CASE(a, 1, "t", "s", c)', '1: expected the cause, in "...", found c'),
        ('CASE(a, 1, "", "s", "c")', "1: the title is empty"),
        ('CASE(a, 1, "t", "s", "c")\nCASE(a, 1, "t", "s", "c")', "2: case a is listed twice"),
        ('CASE(a, 1, "t", "s", "c"', "1: expected ) at the end of case a, found the end of the file"),
        ('KASE(a, 1, "t", "s", "c")', "1: expected CASE(, found KASE"),
        ('\nCASE(a, -1, "t", "s", "c")', '2: not understood here: -1, "t", "s", "c")'),
        ('CASE(a, 1, "t\n", "s", "c")', '1: not understood here: "t'),
    ],
)
def test_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    assert complaint(tmp_path, text) == f"cases.def:{message}"


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(KitFailed, match="cannot read .*cases.def: No such file"):
        read_cases(tmp_path / "cases.def")
