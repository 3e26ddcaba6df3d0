"""grader/reports/view.py and safe_text.py: what a reader may see, and what no reader should."""

from __future__ import annotations

from report_results import EVIL, assert_harmless, hostile, late, machine_failed, secretive, usual

from grader.model import Status, Visibility
from grader.reports.safe_text import LINE_LIMIT, TEXT_LIMIT, safe_line, safe_text
from grader.reports.view import instructor_view, student_view


def test_an_instructor_sees_all() -> None:
    view = instructor_view(secretive())
    assert view.result == secretive()
    assert not view.withheld and not view.no_grade


def test_a_student_sees_the_visible_part_and_its_sums() -> None:
    view = student_view(secretive())
    assert [test.id for test in view.result.tests] == ["m1.open", "m1.open_too"]
    assert [milestone.id for milestone in view.result.milestones] == ["m1"]
    assert view.result.max_score == 4
    assert view.result.score == 3 - 0.4  # the same share is taken off
    assert view.withheld


def test_after_the_due_date_more_is_visible() -> None:
    view = student_view(secretive(), due_passed=True)
    assert [test.id for test in view.result.tests] == [
        "m1.open",
        "m1.later",
        "m1.open_too",
        "m1.later_too",
    ]
    assert (view.result.score, view.result.max_score) == (4 - 0.6, 6)
    assert view.withheld


def test_where_all_is_visible_nothing_is_withheld() -> None:
    view = student_view(late())
    assert not view.withheld
    assert (view.result.score, view.result.max_score) == (late().score, late().max_score)
    assert view.result.late == late().late


def test_suspicions_are_for_the_instructor() -> None:
    assert [f.kind for f in student_view(usual()).result.integrity] == ["missing"]
    assert [f.kind for f in instructor_view(usual()).result.integrity] == ["missing", "forbidden"]
    assert "seed" not in student_view(usual()).result.environment


def test_a_kind_that_nobody_knows_is_a_suspicion() -> None:
    result = usual()
    result.integrity[0].kind = "new"
    assert student_view(result).result.integrity == []


def test_a_lost_verdict_is_no_grade() -> None:
    assert instructor_view(machine_failed()).no_grade == (
        "1 of 8 tests have no verdict: a keeper was lost"
    )
    assert "machine" in student_view(machine_failed()).no_grade
    assert "keeper" not in student_view(machine_failed()).no_grade


def test_a_lost_hidden_test_is_no_grade_either() -> None:
    result = secretive()
    result.milestones[1].tests[0].status = Status.ERROR
    assert student_view(result).no_grade
    assert all(test.status != Status.ERROR for test in student_view(result).result.tests)


def test_what_was_broken_off_is_no_grade() -> None:
    result = usual()
    result.environment["complete"] = False
    assert instructor_view(result).no_grade == "grading was broken off"
    result.environment["failure"] = "the disk is full"
    assert instructor_view(result).no_grade == "the disk is full"


def test_the_result_itself_stays_as_it_is() -> None:
    result = secretive()
    student_view(result)
    assert result == secretive()
    assert result.tests[0].visibility == Visibility.HIDDEN


def test_escape_sequences_go_and_other_control_characters_show() -> None:
    text = "\x1b[1;31mred\x1b[0m \x1b]0;title\x07end\x00\x07\x9b"
    assert safe_text(text) == "red end\\x00\\x07\\x9b"
    assert safe_text("a\r\nb\rc\td") == "a\nb\nc\td"


def test_nothing_turns_the_line_round() -> None:
    assert safe_text("a\u202eb\u2066c\u200f") == "a\\u202eb\\u2066c\\u200f"


def test_a_name_in_another_encoding_shows_its_bytes() -> None:
    name = b"J\xf6rg".decode("utf-8", "surrogateescape")
    assert safe_line(name) == "J\\xf6rg"
    assert safe_line("Jörg 長谷川") == "Jörg 長谷川"


def test_what_is_long_loses_its_middle() -> None:
    text = safe_text("a" * 1_000_000 + "end")
    assert text.startswith("aaa") and text.endswith("end")
    assert len(text) < TEXT_LIMIT + 100
    assert len(safe_line("b" * 10_000)) < LINE_LIMIT + 100
    assert safe_line("one\n  two\tthree ") == "one two three"


def test_all_text_of_a_view_is_harmless() -> None:
    result = instructor_view(hostile()).result
    texts = [result.submission, *result.environment, *map(str, result.environment.values())]
    for finding in result.integrity:
        texts += [finding.kind, finding.where, finding.detail]
    for test in result.tests:
        texts += [test.id, test.title, test.message, test.hint, *test.steps]
        texts += [event.what for event in (test.timeline.events if test.timeline else [])]
        for lane in test.timeline.lanes if test.timeline else []:
            texts += [lane.name, *(text for one in lane.stretches for text in (one.text, one.place))]
    assert result.late is not None
    for text in [*texts, result.late.detail]:
        assert_harmless(text)
    assert any("alert(1)" in text for text in texts)  # it is shown, after all
    assert EVIL not in texts
