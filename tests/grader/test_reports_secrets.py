"""What students must not see, in every report that is theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, List

import pytest
from report_results import secretive, usual

from grader.exit_codes import WrongUse
from grader.model import Status
from grader.reports.junit import junit
from grader.reports.markdown import markdown
from grader.reports.student_page import student_page
from grader.reports.view import View, instructor_view, student_view
from grader.reports.write import ReportFiles, write_reports

STUDENTS_REPORTS: List[Callable[[View], str]] = [student_page, markdown, junit]


@pytest.mark.parametrize("report", STUDENTS_REPORTS)
def test_no_report_tells_of_hidden_tests(report: Callable[[View], str]) -> None:
    text = report(student_view(secretive()))
    for secret in ("secret", "m9", "Surprise", "later", "tenth of the maximum, 1 point"):
        assert secret not in text
    assert "later words" in report(student_view(secretive(), due_passed=True))
    assert "secret words" in report(instructor_view(secretive()))


@pytest.mark.parametrize("report", STUDENTS_REPORTS)
def test_a_report_is_the_same_however_hidden_tests_end(report: Callable[[View], str]) -> None:
    other = secretive()
    for test in other.tests:
        if test.id in ("m1.secret", "m9.secret", "m1.later_too"):
            test.status, test.points, test.seconds = Status.PASSED, test.max_points, 99.0
    other.environment["seconds"] = 111.5  # as long as a test that hangs
    assert report(student_view(other)) == report(student_view(secretive()))
    assert report(instructor_view(other)) != report(instructor_view(secretive()))


@pytest.mark.parametrize("report", [student_page, markdown])
def test_it_is_said_that_something_is_left_out(report: Callable[[View], str]) -> None:
    said = "Without tests that only the instructor sees"
    assert said in report(student_view(secretive()))
    assert said not in report(instructor_view(secretive()))
    assert said not in report(student_view(usual()))


def test_reports_are_written_where_they_are_wanted(tmp_path: Path, monkeypatch: Any) -> None:
    files = ReportFiles(
        html=tmp_path / "a.html", junit=tmp_path / "a.xml", markdown=tmp_path / "a.md"
    )
    files.check()
    write_reports(files, secretive())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.md", "a.xml"]
    assert (tmp_path / "a.html").read_text("utf-8") == student_page(student_view(secretive()))
    assert "later words" not in (tmp_path / "a.html").read_text("utf-8")
    write_reports(files, secretive(), due_passed=True)
    assert "later words" in (tmp_path / "a.html").read_text("utf-8")
    monkeypatch.delenv("CLASSROOM", raising=False)
    with pytest.raises(WrongUse):
        ReportFiles(classroom50=tmp_path / "result.json").check()
    with pytest.raises(WrongUse):
        ReportFiles(gradescope=tmp_path / "nowhere" / "results.json").check()
