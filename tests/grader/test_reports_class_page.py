"""grader/reports/class_page.py: the figures are right, and nothing hostile acts."""

from __future__ import annotations

import re
from typing import List

from report_page import Page
from report_results import EVIL, assert_harmless, hostile, late, machine_failed, usual

from grader.model import Finding, Status
from grader.reports.class_entry import Entry
from grader.reports.class_page import class_page
from grader.reports.safe_text import safe_line
from grader.reports.shared_code import Passage, Shared


def a_class() -> List[Entry]:
    full = usual()
    for test in full.tests:
        test.status, test.points = Status.PASSED, test.max_points
    return [
        Entry("zoe", usual(), page="pages/zoe.html"),
        Entry("amir", full, page="pages/a b:c.html"),
        Entry("late", late()),
        Entry("lost", machine_failed(), page="lost.html"),
        Entry("bomb", None, "the archive is a bomb"),
    ]


def test_the_class_page_tells_the_figures() -> None:
    page = Page(class_page(a_class(), title="OS"))
    assert page.text("h1") == ["OS"]
    assert "submissions 5 graded 3 mean 4.17 median 3.5 lowest 2.75 highest 6.25" in page.said
    assert "m1 Task 1.75 1.5 2.25 1 0" in page.said  # mean, median, maximum, with all, with none


def test_the_histogram_counts_each_graded_submission_once() -> None:
    page = Page(class_page(a_class()))
    told = page.all("svg")[0]["aria-label"] or ""
    counts = {label: int(count) for label, count in re.findall(r"([\d–]+): (\d+)", told)}
    assert len(counts) == 10 and sum(counts.values()) == 3
    assert counts["40–49"] == counts["50–59"] == counts["90–100"] == 1
    assert sorted(text for text in page.text("text") if text == "1") == ["1", "1", "1"]


def test_who_is_not_graded_stands_first_with_the_reason() -> None:
    page = Page(class_page(a_class()))
    headings = [text for text in page.text("h2") if text.strip()]
    assert headings[0] == "Not graded"
    assert "bomb not graded the archive is a bomb" in page.said
    assert "lost machine failure 1 of 8 tests have no verdict: a keeper was lost" in page.said


def test_submissions_are_sorted_by_name_and_by_score() -> None:
    page = Page(class_page(a_class()))
    names = [text for text in page.text("a", "th") if text in ("amir", "late", "zoe")]
    assert names[:6] == ["amir", "late", "zoe"] + ["amir", "zoe", "late"]
    assert {"pages/zoe.html", "pages/a%20b%3Ac.html"} <= {a["href"] for a in page.all("a")}


def test_the_tests_that_fail_most_are_told_with_how() -> None:
    entries = [Entry(str(i), usual()) for i in range(3)]
    assert entries[0].result is not None
    hangs, crashes = entries[0].result.tests[1], entries[0].result.tests[2]
    hangs.status, crashes.status, crashes.points = Status.TIMEOUT, Status.PASSED, 0.25
    page = Page(class_page(entries))
    first = page.said.index("title of m1.fails m1.fails 3 of 3 2 failed, 1 timed out")
    assert first < page.said.index("title of m1.crashes m1.crashes 2 of 3 2 crashed")
    assert "title of m1.passes" not in page.said


def test_suspicions_stand_before_what_became_of_files() -> None:
    entries = a_class()[:1]
    page = Page(class_page(entries))
    assert page.said.index("zoe forbidden m3/t.c:7 fork") < page.said.index("zoe missing m5/e.c")
    assert entries[0].result is not None
    entries[0].result.integrity = [Finding("ignored", "a.txt", "not one of the files")]
    assert "Nothing that looks like an attempt" in Page(class_page(entries)).said


def test_shared_code_stands_side_by_side_with_line_numbers() -> None:
    passage = Passage(9, ["int a;", "int <b>;"], 101, ["int c;", "int d;\n"])
    less = Shared("amir", "zoe", "m1/t.c", 0.25, [])
    more = Shared("b", "c", "m2/s.c", 0.834, [passage])
    said = Page(class_page(a_class(), [less, more])).said
    assert said.index("b and c: m2/s.c 83 % shared") < said.index("amir and zoe: m1/t.c 25 %")
    assert "b, lines 9 to 10 9 int a; 10 int <b>; " in said
    assert "c, lines 101 to 102 101 int c; 102 int d;" in said


def test_an_empty_class_is_a_page_too() -> None:
    assert "submissions 0 graded 0" in Page(class_page([])).said


def test_a_hostile_class_does_no_harm() -> None:
    file_name = EVIL.replace("\ud800", "\udcff")  # as a name on disk can be
    entries = [Entry(EVIL, hostile(), page=file_name), Entry("x", None, EVIL)]
    shared = [Shared(EVIL, EVIL, EVIL, 0.5, [Passage(1, [EVIL], 1, [EVIL])])]
    for text in (class_page(entries, [], EVIL), class_page([], shared)):
        page = Page(text)  # fails on any tag or attribute that is not ours
        assert_harmless(text)
        assert safe_line(EVIL) in page.said  # shown, and as it is


def test_a_page_cannot_be_made_to_run_anything() -> None:
    entries = [Entry("a", usual(), page="javascript:alert(1)")]
    assert 'href="javascript%3Aalert%281%29"' in class_page(entries)
