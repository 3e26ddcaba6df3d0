"""grader/timeline/excerpt.py: what of a story goes into the score file."""

from __future__ import annotations

import dataclasses
import json
from typing import List

from recordings import STUCK, crowd, excerpt_of, written
from report_results import case

from grader.model import MilestoneResult, Result, Status, from_json, to_json
from grader.timeline.excerpt import COROUTINES, EVENTS, Excerpt, Lane


def stretches(lane: Lane) -> List[str]:
    return [f"{s.kind} {s.first}-{s.last} {s.text} {s.place}".rstrip() for s in lane.stretches]


def test_a_short_story_is_kept_whole() -> None:
    shown = excerpt_of(STUCK)
    assert [lane.name for lane in shown.lanes] == ["reader #1", "writer #2"]
    assert stretches(shown.lanes[0]) == [
        "new 1-2", "ready 2-5", "run 5-6", "wait 6-8 read(fd_6) io.c:53", "ready 8-11 read(fd_6) io.c:53",
        "run 11-12", "wait 12-13 read(fd_6) io.c:57",
    ]  # fmt: skip
    assert [(wake.by, wake.to, wake.at) for wake in shown.wakes] == [(-1, 0, 2), (-1, 1, 4), (1, 0, 8)]
    assert (shown.events[0].lane, shown.events[0].what) == (-1, "the_test_begins")
    assert (shown.events_left_out, shown.coroutines_left_out, shown.full) == (0, 0, False)


def test_of_a_long_one_the_end_is_kept_in_its_bounds() -> None:
    shown = excerpt_of(crowd(30))
    assert (len(shown.lanes), len(shown.events)) == (COROUTINES, EVENTS)
    for lane in shown.lanes:
        assert all(0 <= s.first < s.last <= len(shown.events) for s in lane.stretches)
        bounds = [(s.first, s.last) for s in lane.stretches]
        assert all(before[1] <= after[0] for before, after in zip(bounds, bounds[1:]))
    assert shown.coroutines_left_out == 30 - COROUTINES
    assert shown.events_left_out == 30 * 5 - len(shown.events)


def test_who_waits_since_long_is_shown_beside_who_acts() -> None:
    turns = ["run 2", "ready 2 2", "wait 2 0 7 yield yield"] * 40
    shown = excerpt_of(written("create 1 0 a", "create 2 0 b", "run 1", "wait 1 0 3 gate gate", *turns))
    assert stretches(shown.lanes[0]) == [f"wait 0-{EVENTS} gate"]


def test_of_those_before_who_is_left_is_shown_rather_than_who_has_gone() -> None:
    gone = [line for id in range(3, 40) for line in (f"create {id} 0 c", f"run {id}", f"gone {id}")]
    shown = excerpt_of(written("create 1 0 a", "create 2 0 b", "wait 1 0 3 gate gate", *gone))
    names = ["a #1", "b #2", *(f"c #{id}" for id in range(30, 40))]
    assert [lane.name for lane in shown.lanes] == names


def test_times_are_those_of_the_virtual_clock_or_none() -> None:
    lines = ("create 1 0 a", "run 1")
    assert [event.time for event in excerpt_of(written(*lines)).events] == [None, None]
    assert [event.time for event in excerpt_of(written(*lines, virtual="7")).events] == [7, 7]


def test_two_runs_that_did_the_same_have_the_same_excerpt() -> None:
    later = STUCK.replace(b"000\t", b"123\t")
    assert later != STUCK
    assert excerpt_of(later) == excerpt_of(STUCK)


def test_texts_are_bounded() -> None:
    long = "x" * 900
    shown = excerpt_of(written(f"file 0 /{long}", f"create 1 0 {long}", f"wait 1 0 5 t {long}", f"step {long}"))
    assert len(json.dumps(dataclasses.asdict(shown))) < 4_000


def test_a_full_recording_says_so() -> None:
    assert excerpt_of(written("create 1 0 a") + b"full\t1\t-\t\n").full


def test_the_score_file_has_it_or_nothing() -> None:
    with_one, without = case("m1.a", Status.FAILED), case("m1.b", Status.FAILED)
    with_one.timeline = excerpt_of(STUCK)
    written_down = json.loads(json.dumps(to_json(Result("jo", [MilestoneResult("m1", "", [with_one, without])]))))
    first, second = written_down["milestones"][0]["tests"]
    assert "timeline" not in second
    assert isinstance(from_json(written_down).tests[0].timeline, Excerpt)
    assert from_json(written_down).tests[0].timeline == with_one.timeline
    assert to_json(from_json(written_down)) == written_down
    assert first["timeline"]["lanes"][0]["name"] == "reader #1"
