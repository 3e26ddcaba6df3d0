"""grader/reports/markdown.py: a summary that means what it says."""

from __future__ import annotations

import html
import re
from typing import Set

import markdown_it
from report_results import assert_harmless, case, hostile, late, usual

from grader.model import MilestoneResult, Result, Status
from grader.reports.markdown import markdown
from grader.reports.view import student_view


def rendered(text: str) -> str:
    reader = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")
    return str(reader.render(text))


def test_the_summary_has_a_table_and_folded_failures() -> None:
    text = rendered(markdown(student_view(late())))
    assert text.startswith("<h2>2.75 of 6.25 points</h2>")
    row = re.search(r"<tr>\s*<td[^>]*>m1 Task</td>\s*<td[^>]*>1 of 3</td>", text)
    assert row and "<strong>2.75 / 6.25</strong>" in text and "−0.75" in text
    assert "<details><summary><b>failed</b> m1.fails: title of m1.fails</summary>" in text
    assert "  actual:   B A\n" in text and text.count("<details>") == text.count("</details>") == 6


def test_the_summary_leaves_nothing_to_markdown() -> None:
    result = usual()
    result.submission = "*a* [b](c) <i>d</i> | `e` ![f](g) http://h ~~i~~ # j &amp;"
    text = rendered(markdown(student_view(result)))
    assert f"<p>Submission: {html.escape(result.submission)}</p>" in text


def test_a_hostile_result_does_no_harm() -> None:
    text = markdown(student_view(hostile()))
    assert_harmless(text)
    tags: Set[str] = set(re.findall(r"<(/?\w+)", rendered(text)))
    allowed = "h2 h3 p table thead tbody tr th td strong details summary b pre ul li".split()
    assert {tag.lstrip("/") for tag in tags} <= set(allowed)


def test_a_summary_keeps_below_what_github_takes() -> None:
    tests = [case(f"m1.t{i}", Status.FAILED, 1.0, f"{i}\n" + "<&" * 9_000) for i in range(2_000)]
    for test in tests:
        test.steps = ["&" * 300] * 20
    text = markdown(student_view(Result("jo", [MilestoneResult("m1", "Task", tests)])))
    assert 400_000 < len(text.encode("utf-8")) < 1_000_000
    assert re.search(r"\d+ more tests did not pass: there is no room", text)
