"""grader/timeline/untrusted.py: nothing that is in a file makes trouble, and of a long one the end is kept."""

from __future__ import annotations

import random
import time

import pytest
from recordings import BAD, MARKUP, STUCK, crowd, excerpt_of, written

from grader.timeline.excerpt import COROUTINES, EVENTS
from grader.timeline.untrusted import LINES_KEPT, SIZE_LIMIT, BadRecording, read_untrusted


@pytest.mark.parametrize("name", BAD)
def test_what_the_recorder_never_writes_is_refused(name: str) -> None:
    with pytest.raises(BadRecording):
        read_untrusted(BAD[name])


@pytest.mark.parametrize("data", [b"", b"\0" * 1000, b"create\t0\t-\t1"])
def test_nothing_is_an_empty_recording(data: bytes) -> None:
    assert read_untrusted(data).recording.events == []


def test_a_line_that_was_cut_off_is_left_out() -> None:
    whole = len(read_untrusted(STUCK).recording.events)
    assert len(read_untrusted(STUCK[:-3]).recording.events) == whole - 1


def test_wherever_it_is_cut_off_it_is_read() -> None:
    for size in range(len(STUCK)):
        excerpt_of(STUCK[:size])


def test_times_may_be_anything_between() -> None:
    data = f"create\t-5\t{-(2**62)}\t1\t0\ta\nrun\t{-(2**63) + 1}\t7\t1\n".encode()
    assert [event.time for event in excerpt_of(data).events] == [-(2**62), 7]


def test_any_damage_is_refused_or_read() -> None:
    chance = random.Random(1)
    outcomes = set()
    for _ in range(2_000):
        data = bytearray(STUCK)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.choice(b"\t\n 019-\0ax\xff")
        try:
            excerpt_of(bytes(data))
            outcomes.add("read")
        except BadRecording:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_markup_is_text_like_any_other() -> None:
    [lane] = excerpt_of(written(f"create 1 0 {MARKUP.replace(' ', '_')}")).lanes
    assert lane.name == f"{MARKUP.replace(' ', '_')} #1"


def test_of_a_million_events_the_last_are_kept_with_what_was_before() -> None:
    """The sleeper has waited since the beginning, and its name and place are still known."""
    begin = written(
        "file 0 /kit/a.c", "create 1 0 sleeper", "run 1", "wait 1 0 5 sleep sleep(1)",
        "create 2 0 spinner", "ready 2 1",
    )  # fmt: skip
    turn = b"run\t9\t-\t2\nready\t9\t-\t2\t2\nwait\t9\t-\t2\t0\t7\tyield\tyield\n"
    data = begin + turn * 333_333
    began = time.process_time()
    kept = read_untrusted(data)
    assert time.process_time() - began < 30  # seconds; it is about one, the limit is for slow machines
    assert len(data) > SIZE_LIMIT
    assert len(kept.recording.events) < LINES_KEPT + 50
    shown = excerpt_of(data)
    assert [lane.name for lane in shown.lanes] == ["sleeper #1", "spinner #2"]
    [wait] = shown.lanes[0].stretches
    assert (wait.kind, wait.first, wait.last) == ("wait", 0, EVENTS)
    assert (wait.text, wait.place) == ("sleep(1)", "a.c:5")
    assert shown.events_left_out == kept.events - EVENTS > 400_000


def test_of_a_crowd_the_last_to_act_are_shown() -> None:
    shown = excerpt_of(crowd(100_000))
    names = [f"c #{id}" for id in range(100_001 - COROUTINES, 100_001)]
    assert [lane.name for lane in shown.lanes] == names
    assert shown.coroutines_left_out == 100_000 - COROUTINES
    assert len(shown.events) <= EVENTS


def test_who_was_destroyed_long_ago_is_forgotten() -> None:
    dead = [line for id in range(2, 3_000) for line in (f"create {id} 1 x", f"gone {id}")]
    shown = excerpt_of(written("create 1 0 a", *dead, "run 1"))
    assert "a #1" in [lane.name for lane in shown.lanes]
    assert shown.events[-1].what == "runs"


def test_it_is_known_what_each_waited_for_last() -> None:
    waits = [line for n in range(5) for line in ("run 1", f"wait 1 0 {n} gate gate_{n}", "ready 1 0")]
    shown = excerpt_of(written("create 1 0 a", *waits, *["step x"] * 5_000))
    [ready] = shown.lanes[0].stretches
    assert (ready.kind, ready.text) == ("ready", "gate_4")


def test_who_is_woken_again_and_again_takes_no_more_room() -> None:
    kept = read_untrusted(written("create 1 0 a", "run 1", *["ready 1 1"] * 20_000))
    assert len(kept.recording.events) < LINES_KEPT + 10
