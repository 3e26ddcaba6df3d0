"""The page of a timeline: self-contained, safe, and usable with keyboard and tables alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from chromium_page import CHROMIUM, act
from grader.timeline.page import html_page
from grader.timeline.recording import parse_recording
from grader.timeline.story import Story, tell

browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")

KEY = """
const press = async (...keys) => {
  const chart = document.getElementById("chart");
  for (const key of keys) chart.dispatchEvent(new KeyboardEvent("keydown", { key }));
  await pause();
};
const shown = () => ["from", "to"].map(end => +document.getElementById("chart").dataset[end]);
const said = () => document.getElementById("chosen").textContent;
"""


def story(path: Path, turns: int = 3) -> Story:
    """Two coroutines that take turns; the source is a file that exists."""
    path.write_text("".join(f"line {n} <b>\n" for n in range(1, 40)), encoding="utf-8")
    lines = [f"file\t0\t-\t0\t{path}"]
    at = 0
    for id, name in ((1, "a</script><b>"), (2, "b")):
        lines += [f"create\t{at}\t-\t{id}\t0\t{name}", f"ready\t{at + 10}\t-\t{id}\t0"]
        at += 1000
    for turn in range(turns):
        for id in (1, 2):
            lines += [f"run\t{at}\t-\t{id}", f"ready\t{at + 300}\t-\t{id}\t{id}"]
            lines += [f"wait\t{at + 600}\t-\t{id}\t0\t{30 + id}\tyield\tyield"]
            at += 1000
    return tell(parse_recording("\n".join(lines) + "\n"))


@pytest.fixture
def page(tmp_path: Path) -> str:
    return html_page(story(tmp_path / "turns.c"), "m2.<turns>", "The test failed.")


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    assert re.findall(r"""(?:src|href)\s*=\s*["'][^#]|url\(|@import|https?:""", page) == []
    assert "default-src 'none'" in page


def test_names_cannot_become_part_of_the_page(page: str) -> None:
    assert "a</script>" not in page
    assert "m2.&lt;turns&gt;" in page
    assert page.count("<script") == 2
    assert "line 3 &lt;b&gt;" in page


@browser
def test_keys_zoom_and_choose(page: str, tmp_path: Path) -> None:
    found: Any = act(tmp_path, page, KEY + """
      const whole = shown();
      await press("+");
      const half = shown();
      await press("0", "ArrowRight", "ArrowRight", "ArrowRight");
      const first = said();
      await press("ArrowRight");
      const then = said();
      await press("ArrowDown");
      return { whole, half, first, then, below: said() };
    """)
    assert found["whole"] == [0, 22]
    assert found["half"] == [5.5, 16.5]
    assert found["first"].startswith("a</script><b> #1 runs. ")
    ready = "ready again after yield, made ready by itself."
    assert found["then"].startswith(f"a</script><b> #1 {ready}")
    assert found["then"].endswith("Suspended at turns.c:31")
    assert found["below"].startswith("b #2 ")


@browser
def test_a_link_leads_to_the_line(page: str, tmp_path: Path) -> None:
    found: Any = act(tmp_path, page, KEY + """
      await press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
      document.querySelector("#chosen a").click();
      const line = document.querySelector(".here");
      return [line.closest("details").open, line.textContent];
    """)
    assert found == [True, "31line 31 <b>\n"]


@browser
def test_tables_say_the_same(page: str, tmp_path: Path) -> None:
    found: Any = act(tmp_path, page, """
      const rows = [];
      for (const id of ["coroutines", "events"]) {
        document.getElementById(id + "-view").open = true;
        await pause();
        const found = [...document.querySelectorAll(`#${id} tbody tr`)];
        rows.push(found.map(row => [...row.children].map(cell => cell.textContent)));
      }
      return rows;
    """)
    coroutines, events = found
    assert coroutines[1] == ["b #2", "1 µs", "3", "ready again after yield, made ready by itself"]
    assert len(events) == 22
    assert events[6] == ["2.6 µs", "a</script><b> #1", "waits for yield at turns.c:31", "2", "0"]


@browser
def test_the_other_axis_shows_the_same_part(page: str, tmp_path: Path) -> None:
    found: Any = act(tmp_path, page, KEY + """
      await press("m");
      const whole = shown();
      await press("m");
      return [whole, shown()];
    """)
    assert found[0] == pytest.approx([0, 7600 * 1.01])
    assert found[1] == [0, 22]


@browser
def test_what_is_drawn_has_the_colours_of_bars(page: str, tmp_path: Path) -> None:
    """In the row of the first coroutine: it is ready, and it runs."""
    found: Any = act(tmp_path, page, KEY + """
      await pause();
      const chart = document.getElementById("chart"), pen = chart.getContext("2d");
      const width = chart.width, seen = [];
      for (let x = Math.round(width * 0.1); x < width; x++) {
        const [r, g, b] = pen.getImageData(x, 24 + 10, 1, 1).data;
        const name = `${r},${g},${b}`;
        if (seen[seen.length - 1] !== name) seen.push(name);
      }
      return [seen.includes("31,111,174"), seen.includes("224,177,76")];
    """)
    assert found == [True, True]


@browser
def test_an_empty_recording_says_so(tmp_path: Path) -> None:
    page = html_page(tell(parse_recording("")), "nothing")
    found: Any = act(tmp_path, page, "return document.querySelector('.notice').textContent")
    assert found == "No coroutine was created."


@browser
def test_those_of_one_name_share_a_row_unless_they_overlap(tmp_path: Path) -> None:
    lines = []
    for number in range(3):  # two at a time, three times
        first, second, at = 2 * number + 1, 2 * number + 2, 100 * number
        for id in (first, second):
            lines += [f"create\t{at}\t-\t{id}\t0\tguest", f"run\t{at + 10}\t-\t{id}"]
            lines += [f"return\t{at + 20}\t-\t{id}\t0"]
        lines += [f"gone\t{at + 30}\t-\t{id}" for id in (first, second)]
    page = html_page(tell(parse_recording("\n".join(lines) + "\n")), "guests")
    found: Any = act(tmp_path, page, KEY + """
      const height = () => document.getElementById("spacer").offsetHeight;
      const each = height();
      await press("s", "ArrowRight", "ArrowRight", "ArrowRight");
      const row = [said()];
      for (let i = 0; i < 2; i++) { await press("ArrowRight"); row.push(said()); }
      await press("ArrowDown");
      return [each - height(), row.map(text => text.slice(0, 8)), said().slice(0, 8)];
    """)
    assert found == [4 * 26, ["guest #1", "guest #3", "guest #3"], "guest #4"]
