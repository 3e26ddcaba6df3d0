"""grader/rubric.py and grader/late.py: what an instructor may change, and what a mistake in it is told."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from grader.late import lateness
from grader.model import Visibility
from grader.rubric import Rubric, RubricError, check_tests, read_rubric


def rubric_of(folder: Path, text: str) -> Rubric:
    (folder / "rubric.toml").write_text(text, encoding="utf-8")
    return read_rubric(folder / "rubric.toml")


def test_the_kits_own_gives_a_hundred_points() -> None:
    rubric = read_rubric()
    assert sum(rubric.points.values()) == 100
    assert rubric.base == "reference"
    assert rubric.refuses_forbidden
    assert rubric.visibility("m1.get_again") == Visibility.VISIBLE
    assert rubric.late.percent == 0


def test_what_is_left_out_is_the_kits(tmp_path: Path) -> None:
    rubric = rubric_of(tmp_path, '[points]\nm3 = 40\n[limits]\nprocesses = 8\n')
    assert rubric.points == {"m1": 15, "m2": 20, "m3": 40, "m4": 20, "m5": 25}
    assert rubric.limits.processes == 8
    assert rubric.limits.file_mib == read_rubric().limits.file_mib


def test_the_last_pattern_that_fits_counts(tmp_path: Path) -> None:
    text = '[visibility]\n"m5.*" = "hidden"\n"m5.e2e.echo*" = "after_due_date"\n'
    rubric = rubric_of(tmp_path, text)
    assert rubric.visibility("m4.x") == Visibility.VISIBLE
    assert rubric.visibility("m5.x") == Visibility.HIDDEN
    assert rubric.visibility("m5.e2e.echo.one") == Visibility.AFTER_DUE_DATE


def test_seed_0_is_another_one_every_time(tmp_path: Path) -> None:
    seeds = {rubric_of(tmp_path, "seed = 0").seed for _ in range(8)}
    assert 0 not in seeds
    assert len(seeds) > 1


@pytest.mark.parametrize(
    "text, line, word",
    [
        ("base = 'mine'", 1, "base"),
        ("\n\npoints = 3", 3, "table"),
        ("[points]\nm1 = 15\nm6 = 3", 3, "m6"),
        ("[points]\nm1 = -1", 2, "m1"),
        ("[points]\nm1 = true", 2, "m1"),
        ("[points]\nm1 = nan", 2, "m1"),
        ('[visibility]\n\n"m1.*" = "secret"', 3, "secret"),
        ("[limits]\nmemory_mib = '1 GB'", 2, "memory_mib"),
        ("[late]\npolicy = 'percent-per-day'", 2, "due"),
        ("[late]\ndue = 2027-01-15", 2, "due"),
        ("[late]\ndue = 2027-01-15T10:00:00", 2, "zone"),
        ("seed = 1.5", 1, "seed"),
        ("[weights]\na = 1\nb = = 2", 3, ""),
        ("[rubric]", 1, "rubric"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, word: str) -> None:
    with pytest.raises(RubricError) as error:
        rubric_of(tmp_path, text)
    assert f"line {line}" in str(error.value)
    assert word in str(error.value)


def test_names_of_no_test_are_mistakes(tmp_path: Path) -> None:
    text = 'seed = 2\n[weights]\n"m1.a" = 2\n[visibility]\n"m9.*" = "hidden"\n'
    rubric = rubric_of(tmp_path, text)
    with pytest.raises(RubricError, match="line 5: no test is named like m9"):
        check_tests(tmp_path / "rubric.toml", rubric, ["m1.a"])
    with pytest.raises(RubricError, match="line 3: there is no test m1.a"):
        check_tests(tmp_path / "rubric.toml", rubric, ["m9.b"])


def test_unreadable_rubrics(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="No such file"):
        read_rubric(tmp_path / "none.toml")
    (tmp_path / "rubric.toml").write_bytes(b"seed = \xff")
    with pytest.raises(RubricError, match="UTF-8"):
        read_rubric(tmp_path / "rubric.toml")


LATE = """
[late]
policy = "percent-per-day"
percent = 10
due = 2027-01-15T23:59:00+01:00
grace_minutes = 15
"""


@pytest.mark.parametrize(
    "minutes_late, points", [(-1, 0), (15, 0), (16, 10), (1440, 10), (1441, 20), (100_000, 100)]
)
def test_each_day_begun_costs(tmp_path: Path, minutes_late: int, points: float) -> None:
    policy = rubric_of(tmp_path, LATE).late
    assert policy.due is not None
    late = lateness(policy, policy.due + datetime.timedelta(minutes=minutes_late), 100)
    assert (late.points if late else 0) == points


def test_an_unknown_time_costs_nothing(tmp_path: Path) -> None:
    assert lateness(rubric_of(tmp_path, LATE).late, None, 100) is None


@pytest.mark.parametrize("hours, over", [(1, False), (0, False), (-1, True)])
def test_after_the_due_date_and_the_grace_it_is_over(
    tmp_path: Path, hours: int, over: bool
) -> None:
    due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    text = f"[late]\ndue = {due.isoformat()}\ngrace_minutes = 15\n"
    assert rubric_of(tmp_path, text).late.is_over() == over


def test_without_a_due_date_it_is_never_over() -> None:
    assert not read_rubric().late.is_over()
