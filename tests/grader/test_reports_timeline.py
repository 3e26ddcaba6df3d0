"""The timeline on a student's page: grader/reports/timeline_*.py and fitting.py."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest
from chromium_page import CHROMIUM, look
from recordings import STUCK, crowd, excerpt_of, written
from report_page import Page
from report_results import EVIL, assert_harmless, case, hostile_timeline

from grader.model import MilestoneResult, Result, Status, Visibility
from grader.reports.fitting import fitted
from grader.reports.student_page import student_page
from grader.reports.timeline_picture import Picture, picture
from grader.reports.view import student_view
from grader.timeline.excerpt import Excerpt, Happening, Lane, Stretch, Wake

browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


def text_of(*timelines: Optional[Excerpt], status: Status = Status.FAILED, same: bool = False) -> str:
    tests = [case(f"m1.t{n}", status, message="" if same else str(n)) for n in range(len(timelines))]
    for test, timeline in zip(tests, timelines):
        test.timeline, test.steps = timeline, ["the test begins"]
    return student_page(student_view(Result("jo", [MilestoneResult("m1", "Task", tests)])))


def drawn(excerpt: Excerpt, status: Status = Status.FAILED, steps: int = 1) -> Picture:
    return picture(excerpt, status, steps)


def share(percent: str) -> float:
    return float(percent.rstrip("%"))


# ---- The picture


def test_each_stretch_has_its_place_between_the_first_event_and_the_end() -> None:
    made = drawn(excerpt_of(STUCK))
    [end] = [line for line in made.lines if line.kind == "end"]
    runs = [bar for bar in made.bars if bar.kind == "run"]
    assert len({bar.y for bar in runs}) == 2  # lanes
    assert [round(share(bar.width), 1) for bar in runs] == [7.5, 7.5, 15.0]  # of 13 events
    assert all(share(bar.x) + share(bar.width) <= share(end.x) + 0.02 for bar in made.bars)


def test_a_gap_says_what_is_waited_for_and_where() -> None:
    labels = [(label.kind, label.text) for label in drawn(excerpt_of(STUCK)).labels]
    assert ("gap wait wide widest", "read(fd_6)") in labels
    assert ("gap wait narrow wide widest", "io.c:53") in labels


def test_an_arrow_leads_from_who_wakes_to_the_woken() -> None:
    made = drawn(excerpt_of(STUCK))
    tracks = sorted({bar.y + bar.height for bar in made.bars})
    [wake] = [line for line in made.lines if line.kind == "wake"]
    assert wake.y1 > tracks[0] and wake.y2 == tracks[0]  # from the writer, below, to the reader
    [ready] = [bar for bar in made.bars if bar.kind == "ready" and bar.x == wake.x]
    assert ready.y + ready.height == tracks[0]


def test_who_still_waits_at_the_end_stands_out() -> None:
    made = drawn(excerpt_of(STUCK))
    assert [bar.kind for bar in made.bars if "stuck" in bar.kind] == ["wait stuck"]
    [name] = [label for label in made.labels if label.kind.startswith("name stuck")]
    assert (name.text, name.more) == ("reader #1", "waits for read(fd_6), io.c:57")


@pytest.mark.parametrize(
    "status, words",
    [
        (Status.FAILED, "failed here"), (Status.CRASHED, "crashed here"),
        (Status.TIMEOUT, "time was up here"), (Status.LEAKED, "the end"),
    ],
)  # fmt: skip
def test_the_end_is_marked(status: Status, words: str) -> None:
    assert words in Page(text_of(excerpt_of(STUCK), status=status)).said


def test_steps_have_the_numbers_that_they_have_in_the_list() -> None:
    excerpt = excerpt_of(written("create 1 0 a", *["run 1"] * 9, "step x", *["run 1"] * 9, "step y", "run 1"))
    assert [label.text for label in drawn(excerpt, steps=7).labels if label.kind == "step"] == ["6", "7"]
    assert not any(label.kind == "step" for label in drawn(excerpt, steps=0).labels)


def test_steps_that_are_close_share_a_label() -> None:
    excerpt = excerpt_of(written("step x", "step y", "step z", "create 1 0 a", *["run 1"] * 50))
    assert [label.text for label in drawn(excerpt, steps=3).labels if label.kind == "step"] == ["1–3"]


def test_times_are_told_where_the_virtual_clock_moves() -> None:
    lines = b"".join(
        written("create 1 0 a" if n == 0 else "run 1", virtual=str(time * 10**6))
        for n, time in enumerate([0] * 9 + [50] * 9)
    )
    times = [label for label in drawn(excerpt_of(lines)).labels if label.kind == "tick"]
    assert [(label.text, label.x) for label in times] == [("0", "1.00%"), ("50 ms", "49.75%")]


def test_a_label_is_as_long_as_there_is_room() -> None:
    texts = ["sleep(until 50 ms)", "sleep"]
    assert fitted(texts, 1.0) == [("narrow wide widest", "sleep(until 50 ms)")]
    assert fitted(texts, 0.15) == [("narrow wide", "sleep"), ("widest", "sleep(until 50 ms)")]
    assert fitted(texts, 0.01) == []
    assert fitted(["x" * 100], 1.0, cut=True)[0] == ("narrow", "x" * 45 + "…")
    assert fitted(["宽" * 40], 1.0)[0] == ("wide widest", "宽" * 40)  # twice as wide as a Latin letter


# ---- The page


def test_the_page_tells_the_same_in_words() -> None:
    page = Page(text_of(excerpt_of(STUCK)))
    for words in (
        "What the coroutines did",
        "How each was left reader #1 waits for read(fd_6), io.c:57 writer #2 returned 7",
        "What happened until then the_test_begins reader #1 created by outside",
        "reader #1 made ready by writer #2 writer #2 returned 7 writer #2 destroyed",
    ):
        assert words in page.said
    [svg] = [svg for svg in page.all("svg") if "role" in svg]
    assert (svg["role"], svg["aria-label"]) == ("img", "Timeline of m1.t0; the same in words follows")


def test_what_is_left_out_is_told() -> None:
    page = Page(text_of(excerpt_of(crowd(30))))
    assert "Not shown: 90 events and 18 coroutines before these." in page.said
    assert "… after 90 events" in page.said
    full = dataclasses.replace(excerpt_of(STUCK), full=True)
    assert "The recording was full before the test was over." in Page(text_of(full)).said


def test_without_a_timeline_there_is_none() -> None:
    empty = Excerpt([], [], [], 0, 0, False)
    assert Page(text_of(None, empty)).all("svg") == []


def test_of_tests_that_ended_alike_one_timeline_is_shown() -> None:
    page = Page(text_of(None, excerpt_of(STUCK), excerpt_of(STUCK), same=True))
    assert "What the coroutines did in m1.t1" in page.said
    assert len([svg for svg in page.all("svg") if "role" in svg]) == 1
    assert not any(text["class"] == "step" for text in page.all("text"))  # nor is there a list of them


def test_the_timeline_of_a_hidden_test_is_hidden() -> None:
    test = case("m1.secret", Status.FAILED, visibility=Visibility.HIDDEN)
    test.timeline = excerpt_of(STUCK)
    result = Result("jo", [MilestoneResult("m1", "Task", [test, case("m1.open")])])
    assert "reader" not in student_page(student_view(result))


IMPOSSIBLE = Excerpt(  # what no recording leads to
    lanes=[
        Lane("", []),
        Lane("a", [Stretch(kind, n - 3, 10**18 * (n - 2)) for n, kind in enumerate(("run", "wait", "else"))]),
    ],
    wakes=[Wake(-1, 0, -5), Wake(0, 1, 10**18)],
    events=[Happening(99, EVIL, -(10**18)), Happening(-7, "", 10**18)],
    coroutines_left_out=-1,
    events_left_out=10**18,
    full=True,
)


@pytest.mark.parametrize("timeline", [hostile_timeline(), IMPOSSIBLE])
def test_a_hostile_timeline_does_no_harm(timeline: Excerpt) -> None:
    text = text_of(*[timeline] * 12)
    Page(text)  # fails on any tag or attribute that is not ours
    assert_harmless(text)


# ---- In a browser

MEASURE = """
  for (const one of page.querySelectorAll("details")) one.open = true;
  await pause();
  const seen = [...page.querySelectorAll(".timeline text")].filter(t => t.getBoundingClientRect().width);
  const overlaps = [];
  for (const [n, a] of seen.entries()) for (const b of seen.slice(n + 1)) {
    const p = a.getBoundingClientRect(), q = b.getBoundingClientRect();
    if (p.left < q.right && q.left < p.right && p.top + 2 < q.bottom && q.top + 2 < p.bottom)
      overlaps.push([a.textContent, b.textContent]);
  }
  return {
    width: page.defaultView.innerWidth, overlaps,
    overflow: page.documentElement.scrollWidth - page.defaultView.innerWidth,
    texts: seen.map(text => text.textContent),
    beyond: seen.filter(t => t.getBoundingClientRect().right > t.closest(".timeline").getBoundingClientRect().right)
      .map(t => t.textContent),
  };
"""


def measured(folder: Path, text: str, width: int) -> Dict[str, Any]:
    found: Dict[str, Any] = look(folder, text, MEASURE, width)
    assert found["width"] == width
    return found


def busy() -> bytes:
    """The virtual clock moves with each event, and every other one is a step."""
    lines = ["create 1 0 a", *["step x", "run 1"] * 25]
    return b"".join(written(line, virtual=str(n * 123 * 10**6)) for n, line in enumerate(lines))


@browser
@pytest.mark.parametrize("width", [360, 760, 1280])
def test_every_label_has_its_place_at_every_width(tmp_path: Path, width: int) -> None:
    timelines: List[Excerpt] = [excerpt_of(data) for data in (STUCK, crowd(30), busy())]
    found = measured(tmp_path, text_of(*timelines), width)
    assert found["overflow"] <= 0
    assert found["overlaps"] == []
    assert found["beyond"] == []
    assert sum("waits for read(fd_6)" in text for text in found["texts"]) == 1


@browser
def test_hostile_labels_stay_within_a_phone(tmp_path: Path) -> None:
    found = measured(tmp_path, text_of(hostile_timeline()), 360)
    assert found["overflow"] <= 0
