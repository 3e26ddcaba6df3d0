"""grader/reports/student_page.py: all that helps is told, and nothing hostile acts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List

import pytest
from report_page import Page
from report_results import EVIL, assert_harmless, case, hostile, late, machine_failed, usual

from grader.model import MilestoneResult, Result, Status
from grader.reports import templates
from grader.reports.safe_text import safe_line
from grader.reports.student_page import student_page
from grader.reports.view import instructor_view, student_view


def test_a_students_page_tells_the_total_and_each_milestone() -> None:
    page = Page(student_page(student_view(usual())))
    assert page.text("title") == ["3.5 of 6.25 points – jo"]
    assert "3.5 of 6.25 points" in page.said
    assert "m1 Task 1.5 / 2.25 1 / 3 1 failed, 1 crashed" in page.said
    assert "Total 3.5 / 6.25 2 / 8" in page.said


def test_a_failure_is_told_with_all_that_helps() -> None:
    page = Page(student_page(student_view(usual())))
    for told in (
        "failed title of m1.fails 0 / 0.5 points m1.fails",
        "Steps, up to the one that went wrong spawn A and B run",
        "What happened the order of events expected: A B actual: B A",
        "Likely cause the queue gives the newest first",
        'Read milestones/m1-task/README.md, "Step 1: the ready queue"',
        "Run again ./lab test m1.fails",
    ):
        assert told in page.said
    assert "the order of events\nexpected: A B\nactual:   B A" in page.text("pre")


def test_each_status_is_a_word() -> None:
    page = Page(student_page(instructor_view(usual())))
    words = "failed|crashed|timed out|leaked memory|left early|to do|passed"
    assert set(re.findall(f"({words}) title of", page.said)) == set(words.split("|")) - {"passed"}
    assert "passed 1 test " in page.said
    lost = Page(student_page(student_view(machine_failed())))
    assert "no verdict title of m1.passes" in lost.said


def test_what_the_compiler_said_comes_once() -> None:
    message = "not built: task.c:1: error: x"
    tests = [case(f"m1.t{i}", Status.FAILED, 1.0, message) for i in range(3)]
    page = Page(student_page(student_view(Result("jo", [MilestoneResult("m1", "Task", tests)]))))
    assert page.said.count("task.c:1: error: x") == 1
    assert "not built the code could not be built" in page.said
    assert "What the compiler said task.c:1: error: x" in page.said
    assert "These 3 tests m1.t0 title of m1.t0 m1.t1" in page.said
    assert "Run again ./lab test m1 " in page.said


def test_lateness_and_files_are_told() -> None:
    page = Page(student_page(student_view(late())))
    assert "1 day late: 0.75 points are taken off (due yesterday)" in page.said
    assert "Late −0.75" in page.said and "Total 2.75 / 6.25" in page.said
    assert "missing m5/e.c graded as the stub" in page.said


def test_suspicions_are_on_the_instructors_page_only() -> None:
    assert "forbidden" not in student_page(student_view(usual()))
    assert "forbidden m3/t.c:7 fork" in Page(student_page(instructor_view(usual()))).said


def test_no_points_are_a_grade_if_the_machine_failed() -> None:
    page = Page(student_page(student_view(machine_failed())))
    assert "No grade. Grading did not come to its end" in page.said
    assert "Total no grade" in page.said and "of 6.25 points" not in page.said


def test_a_hostile_result_does_no_harm() -> None:
    for view in (student_view(hostile()), instructor_view(hostile())):
        page = Page(student_page(view))  # fails on any tag or attribute that is not ours
        assert_harmless(student_page(view))
        assert safe_line(EVIL) in page.said  # shown, and as it is


def colours(css: str) -> Dict[str, str]:
    return dict(re.findall(r"--([a-z]+): (#[0-9a-f]{3,6});", css))


def contrast(one: str, other: str) -> float:
    """As WCAG defines it."""

    def luminance(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * d for d in colour[1:])
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear: List[float] = [
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_text_stands_out_from_its_background(scheme: str) -> None:
    css = (Path(templates.__file__).parent / "page.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    named = colours(blocks[["light", "dark", "print"].index(scheme)])
    for text in ("ink", "soft", "link", "good", "bad", "warn", "todo"):
        for background in ("paper", "sheet", "code"):
            assert contrast(named[text], named[background]) >= 4.5, (text, background)
    assert contrast(named["bar"], named["paper"]) >= 2.5  # the numbers stand beside the bars
    for drawn in ("run", "ready", "wake"):
        assert contrast(named[drawn], named["sheet"]) >= 3, drawn
