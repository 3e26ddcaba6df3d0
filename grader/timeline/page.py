"""A story as one page of HTML that needs nothing else: a picture, tables, and the sources."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Dict, List

import jinja2

from grader.timeline.story import Kind, Story
from grader.timeline.words import summary

_HERE = Path(__file__).parent
_SCRIPTS = ("story", "view", "drawing", "words", "acting", "tables")
_STEPWISE = 400  # a trace of real time with fewer events is first shown event by event
_SOURCE_SIZE = 400_000  # bytes; larger files are not shown

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_HERE),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclasses.dataclass(frozen=True)
class Source:
    path: str
    lines: List[str]


def html_page(story: Story, title: str, note: str = "") -> str:
    """`note`: a sentence on how the run ended."""
    return _ENVIRONMENT.get_template("timeline.html.j2").render(
        title=title,
        summary=summary(story),
        note=note,
        full=story.full,
        empty=not story.coroutines,
        data=_script_json(page_data(story, title)),
        sources=_sources(story),
        style=(_HERE / "timeline.css").read_text(encoding="utf-8"),
        scripts=[(_HERE / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS],
    )


def page_data(story: Story, title: str) -> Dict[str, Any]:
    """In columns, for they are many; texts by number."""
    texts = _Texts()
    spans = story.spans
    return {
        "title": title,
        "virtual": story.virtual,
        "stepwise": _first_shown_stepwise(story),
        "names": [f"{coroutine.name} #{coroutine.id}" for coroutine in story.coroutines],
        "created": [c.created for c in story.coroutines],
        "gone": [-1 if c.gone is None else c.gone for c in story.coroutines],
        "runs": [c.runs for c in story.coroutines],
        "times": _differences(story.times),
        "span": {
            "row": [span.row for span in spans],
            "kind": [int(span.kind) for span in spans],
            "first": [span.first for span in spans],
            "last": [span.last for span in spans],
            "text": [texts.number(span.text) for span in spans],
            "place": [texts.number(_place(span.place)) for span in spans],
            "by": [texts.number(span.woken_by) for span in spans],
        },
        "wake": {
            "by": [wake.by for wake in story.wakes],
            "to": [wake.to for wake in story.wakes],
            "at": [wake.at for wake in story.wakes],
        },
        "steps": [[at, text] for at, text in story.steps],
        "lines": {
            "row": [row for row, _ in story.lines],
            "text": [texts.number(text) for _, text in story.lines],
        },
        "ready": story.ready,
        "asleep": story.asleep,
        "kinds": [kind.name.lower() for kind in Kind],
        "texts": texts.all,
    }


def _first_shown_stepwise(story: Story) -> bool:
    stands_still = not story.times or story.times[0] == story.times[-1]
    return stands_still or (not story.virtual and len(story.times) < _STEPWISE)


def _place(place: Any) -> str:
    return "" if place is None or not place.path else f"{place.path}:{place.line}"


def _differences(times: List[int]) -> List[int]:
    return [time - before for before, time in zip([0, *times], times)]


class _Texts:
    def __init__(self) -> None:
        self.all: List[str] = []
        self._numbers: Dict[str, int] = {}

    def number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.all)
            self.all.append(text)
        return self._numbers[text]


def _script_json(data: Dict[str, Any]) -> str:
    """Nothing in it ends the script element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _sources(story: Story) -> List[Source]:
    """The files to whose lines the page leads."""
    found = []
    for name, path in sorted(story.sources.items()):
        if path.is_file() and path.stat().st_size <= _SOURCE_SIZE:
            text = path.read_text(encoding="utf-8", errors="replace")
            found.append(Source(name, text.splitlines()))
    return found
