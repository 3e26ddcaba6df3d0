"""grader/timeline: what a recording tells, as spans, as text, and as Chrome's trace events."""

from __future__ import annotations

import json
from typing import Any, Dict, List

import pytest

from grader.exit_codes import KitFailed
from grader.timeline.chrome import chrome_trace
from grader.timeline.recording import parse_recording
from grader.timeline.story import Kind, Story, tell
from grader.timeline.text import text_form


def recorded(*lines: str) -> Story:
    """Lines without times: each event comes a microsecond after the one before."""
    text = ""
    for number, line in enumerate(lines):
        kind, *fields = line.split(" ", 5)
        text += "\t".join([kind, str(number * 1000), "-", *fields]) + "\n"
    return tell(parse_recording(text))


def spans(story: Story, row: int) -> List[str]:
    found = [span for span in story.spans if span.row == row]
    return [f"{span.kind.name} {span.first}-{span.last} {span.text}".rstrip() for span in found]


PING_PONG = (
    "file 0 /kit/a.c",
    "create 1 0 ping",  # event 0
    "ready 1 0",
    "run 1",
    "create 2 1 pong",
    "ready 2 1",
    "wait 1 0 7 task pong",
    "run 2",  # 6
    "ready 1 2",
    "return 2 5",
    "run 1",
    "gone 2",  # 10
    "throw 1 0 9 -5 lost",
)


def test_the_life_of_a_coroutine() -> None:
    story = recorded(*PING_PONG)
    assert spans(story, 0) == [
        "NEW 0-1", "READY 1-2", "RUN 2-5", "WAIT 5-7 pong", "READY 7-9 pong", "RUN 9-11",
        'FAILED 11-12 threw -5, "lost"',
    ]  # fmt: skip
    assert spans(story, 1) == ["NEW 3-4", "READY 4-6", "RUN 6-8", "ENDED 8-10 returned 5"]


def test_who_woke_whom() -> None:
    story = recorded(*PING_PONG)
    assert [(w.by, w.to, w.at) for w in story.wakes] == [(-1, 0, 1), (0, 1, 4), (1, 0, 7)]
    [wait] = [span for span in story.spans if span.kind == Kind.WAIT]
    assert wait.woken_by == "pong #2"
    assert wait.place is not None and (wait.place.path, wait.place.line) == ("a.c", 7)


def test_length_of_the_ready_queue() -> None:
    assert recorded(*PING_PONG).ready == [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0]


def test_who_yields_is_ready_and_does_not_wait() -> None:
    turn = ("run 1", "ready 1 1", "wait 1 0 3 yield yield", "run 1")
    story = recorded("create 1 0 a", "ready 1 0", *turn)
    assert spans(story, 0) == ["NEW 0-1", "READY 1-2", "RUN 2-4", "READY 4-5 yield", "RUN 5-6"]


def test_sleepers_are_counted_until_they_are_woken_or_destroyed() -> None:
    story = recorded(
        "create 1 0 a", "create 2 0 b", "run 1", "wait 1 0 3 sleep sleep",
        "run 2", "wait 2 0 3 sleep sleep", "ready 1 0", "gone 2",
    )  # fmt: skip
    assert story.asleep == [0, 0, 0, 1, 1, 2, 1, 0]
    assert story.lines[6] == (0, "made ready by the timers")


def test_virtual_time_goes_on_when_a_clock_is_set_back() -> None:
    lines = [("create\t0\t-\t1\t0\ta"), ("run\t5\t10\t1"), ("wait\t6\t30\t1\t0\t2\tsleep\tsleep")]
    lines += ["run\t7\t5\t1", "return\t8\t6\t1\t0"]
    story = tell(parse_recording("\n".join(lines) + "\n"))
    assert story.virtual
    assert story.times == [0, 0, 20, 20, 21]


@pytest.mark.parametrize("line", ["run\t1\t-", "dance\t1\t-\t2", "run\tsoon\t-\t2"])
def test_what_is_no_recording_is_refused(line: str) -> None:
    with pytest.raises(KitFailed, match="line 1 of the recording"):
        parse_recording(line + "\n")


def test_a_line_that_was_cut_off_is_left_out() -> None:
    assert len(parse_recording("run\t1\t-\t2\nrun\t2\t-").events) == 1


def test_a_full_recording_says_so() -> None:
    story = tell(parse_recording("create\t0\t-\t1\t0\ta\nfull\t1\t-\t\n"))
    assert story.full
    assert text_form(story, "t").endswith("The recording is full: there was more.\n")


def test_text() -> None:
    lines = text_form(recorded(*PING_PONG), "pingpong").splitlines()
    assert lines[0] == "pingpong: 2 coroutines, 12 events, 11 µs"
    assert lines[3] == "ping #1 | -###..--##!|"
    assert lines[4] == "pong #2 |    --##    |"
    assert lines[-1] == '       12 µs  ping #1  threw -5, "lost" at a.c:9'
    assert len(lines) == 6 + 12


def test_text_of_nothing() -> None:
    assert text_form(recorded(), "empty") == "empty: 0 coroutines, 0 events, 0\n"


# ---- Chrome's trace events -----------------------------------------------------------------------


def chrome(story: Story) -> Dict[str, List[Dict[str, Any]]]:
    """By phase, from JSON; each has what its phase needs."""
    needed = {"X": "ts dur", "C": "ts args", "M": "args", "i": "ts s"}
    needed.update({"s": "ts id cat", "f": "ts id cat bp"})
    found: Dict[str, List[Dict[str, Any]]] = {phase: [] for phase in needed}
    for event in json.loads(json.dumps(chrome_trace(story, "t")))["traceEvents"]:
        assert {"ph", "name", "pid", "tid", *needed[event["ph"]].split()} <= event.keys()
        found[event["ph"]].append(event)
    return found


def test_chrome_slices_are_within_their_rows_and_do_not_overlap() -> None:
    slices = chrome(recorded(*PING_PONG))["X"]
    assert len(slices) == 11
    for thread in (1, 2):
        own = sorted((s["ts"], s["ts"] + s["dur"]) for s in slices if s["tid"] == thread)
        assert all(before[1] <= after[0] for before, after in zip(own, own[1:]))
    wait = next(s for s in slices if s["cat"] == "wait")
    assert (wait["name"], wait["ts"], wait["dur"]) == ("pong", 6.0, 2.0)
    assert wait["args"]["line"] == "a.c:7"


def test_chrome_arrows_lead_from_the_waker_to_the_woken() -> None:
    found = chrome(recorded(*PING_PONG))
    ends = {end["id"]: end["tid"] for end in found["f"]}
    arrows = [(start["tid"], ends[start["id"]], start["ts"]) for start in found["s"]]
    assert arrows == [(1, 2, 5.0), (2, 1, 8.0)]


def test_chrome_counts_and_names() -> None:
    found = chrome(recorded(*PING_PONG))
    counts = [(c["ts"], c["args"]["length"]) for c in found["C"] if c["name"] == "ready queue"]
    assert counts[:3] == [(1.0, 0), (2.0, 1), (3.0, 0)]
    names = {m["tid"]: m["args"]["name"] for m in found["M"] if m["name"] == "thread_name"}
    assert names == {0: "main, run loop", 1: "ping #1", 2: "pong #2"}


def test_chrome_shows_the_order_of_what_happens_at_one_virtual_moment() -> None:
    text = "create\t0\t7\t1\t0\ta\nready\t1\t7\t1\t0\nrun\t2\t7\t1\nreturn\t3\t7\t1\t0\n"
    slices = chrome(tell(parse_recording(text)))["X"]
    assert [s["ts"] for s in slices[:3]] == sorted({s["ts"] for s in slices[:3]})
