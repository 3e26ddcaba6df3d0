"""The picture of a timeline that stands still, and what it is drawn from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List

import pytest
from conftest import KIT_ROOT

from grader.exit_codes import KitFailed
from grader.kit import Kit
from grader.site.timelines import recorded
from grader.timeline.recording import parse_recording
from grader.site.still import EVENTS, TIME, still_picture
from grader.timeline.story import Story, tell

KIT = Kit(KIT_ROOT)


def story(*lines: str) -> Story:
    """Kind, real time, virtual time, and so on, with blanks for tabs."""
    return tell(parse_recording("".join(line.replace(" ", "\t") + "\n" for line in lines)))


SLEEP = story(
    "create 0 0 1 0 a", "ready 1 0 1 0", "run 2 0 1", "wait 3 0 1 0 9 sleep nap",
    "create 4 0 2 0 b", "ready 5 0 2 0", "run 6 0 2", "wait 7 0 2 0 9 <gate> <gate>",
    "ready 8 300000000 1 0", "run 9 300000000 1", "return 9 300000000 1 0",
)  # fmt: skip


def boxes(svg: str, kind: str) -> List[List[float]]:
    """x and width."""
    found = re.findall(rf'<rect class="{kind}" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    return [[float(x), float(width)] for x, width in found]


def test_along_events_each_is_as_wide_as_the_next() -> None:
    svg = still_picture(SLEEP, EVENTS, "two")
    first, last, second, legend = boxes(svg, "run")
    assert first[1] == pytest.approx(last[1], abs=0.2) == pytest.approx(second[1], abs=0.2)
    assert first[0] < second[0] < last[0]
    assert legend[1] == 22


def test_along_time_a_sleep_is_as_long_as_it_takes() -> None:
    svg = still_picture(SLEEP, TIME, "two")
    [sleep, _] = boxes(svg, "wait")
    lives = re.findall(r'<line class="life" x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"', svg)
    assert sleep[1] == pytest.approx(float(lives[0][1]) - float(lives[0][0]), abs=0.2)
    assert all(width == 3 for _, width in boxes(svg, "run")[:-1]), "a moment can still be seen"
    assert re.findall(r'class="time"[^>]*>([^<]*)', svg) == ["0", "300 ms"]


def test_who_waits_for_ever_stands_out() -> None:
    svg = still_picture(SLEEP, EVENTS, "two")
    assert len(boxes(svg, "wait for-ever")) == 1
    assert "&lt;gate&gt;, for ever" in svg and "<gate>" not in svg


def test_many_share_a_name() -> None:
    lines = [f"create {n} - {n} 0 {'client' if n > 1 else 'server'}" for n in range(1, 22)]
    svg = still_picture(story(*lines), EVENTS, "many")
    assert re.findall(r'class="name"[^>]*>([^<]*)', svg) == ["server", "20 clients"]


def test_the_label_is_text() -> None:
    assert 'aria-label="&lt;b&gt;&quot;"' in still_picture(SLEEP, EVENTS, '<b>"')


# ---- From a recording


@pytest.mark.parametrize(
    "text, message",
    [
        ("along = 'events'", "program"),
        ("program = 'x.c'\nalong = 'sideways'", "along = events or time"),
        ("program = 'x.c'\nalong = 'events'\nspeed = 1", "and perhaps fault"),
        ("program = ", "Invalid"),
        ("program = 'docs/examples/gone.c'\nalong = 'events'", "cannot be built"),
        ("program = 'docs/examples/printers.c'\nalong = 'time'", "no virtual clock"),
        ("program = 'docs/examples/printers.c'\nalong = 'events'\nfault = 'gone'", "gone"),
    ],
)
def test_what_cannot_be_drawn(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "some.timeline"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KitFailed, match=rf"^some.timeline: (?s:.)*{message}"):
        recorded(KIT, path)


def ran(name: str) -> str:
    """Who ran, in their order."""
    found = recorded(KIT, KIT_ROOT / "docs/pictures" / name)
    return "".join(found.coroutines[row].name for row, what in found.lines if what == "runs")


def test_the_fault_is_in_the_picture() -> None:
    assert ran("printers.timeline") == "ABCABCABCABC"
    assert ran("yield-to-the-front.timeline") == "AAAABBBBCCCC"


def test_the_same_in_each_run() -> None:
    path = KIT_ROOT / "docs/pictures/echo-clients.timeline"
    first, second = (still_picture(recorded(KIT, path), EVENTS, "") for _ in range(2))
    assert first == second
    assert "20 clients" in first and "20 sessions" in first
