"""The plots, as SVG: bars for cases that have nothing to do with each other, curves for those that have.

Written by hand, and not by a library: matplotlib would bring NumPy and a hundred megabytes for two kinds
of picture, and its files change with its version. Scales are logarithmic: peers differ by powers of ten.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Dict, List, Sequence, Tuple
from xml.sax.saxutils import escape

from grader.bench.model import Case, Measured
from grader.bench.peers import OURS, PEERS, title_of
from grader.bench.table import number

_WIDTH, _LEFT, _RIGHT, _TOP = 720, 150, 90, 44
_BAR, _GAP, _CURVES = 16, 30, 320  # heights
_COLOURS = "#d1495b #30638e #edae49 #00798c #8d5a97 #6a994e #bc6c25 #5f6c7b #b56576 #3d405b #7f9172 #2a9d8f"
_STYLE = """
  text { font: 12px sans-serif; fill: #222; }
  .title { font-weight: bold; font-size: 14px; }
  .ours { font-weight: bold; }
  .axis { stroke: #999; stroke-width: 1; fill: none; }
  .grid { stroke: #999; stroke-opacity: 0.3; }
  @media (prefers-color-scheme: dark) { text { fill: #ddd; } svg { background: #1b1b1b; } }
"""


def write_plots(folder: Path, measured: Sequence[Measured]) -> List[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for one in measured:
        if one.who:
            path = folder / f"{one.bench.id}.svg"
            path.write_text(plot(one), encoding="utf-8")
            written.append(path)
    return written


def plot(measured: Measured) -> str:
    are_points = [case for case in measured.bench.cases if case.x is not None]
    return _curves(measured, are_points) if len(are_points) > 2 else _bars(measured)


class _Scale:
    """From a value to a place: the logarithm, over whole powers of ten."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        positive = [value for value in values if value > 0] or [1.0]
        self.low = math.floor(math.log10(min(positive)))
        self.high = max(math.ceil(math.log10(max(positive))), self.low + 1)
        self._begin, self._end = begin, end

    def __call__(self, value: float) -> float:
        power = math.log10(max(value, 10.0**self.low))
        share = (power - self.low) / (self.high - self.low)
        return self._begin + share * (self._end - self._begin)

    @property
    def powers(self) -> List[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


def _bars(measured: Measured) -> str:
    values = _all_values(measured, measured.bench.cases)
    scale = _Scale(values, _LEFT, _WIDTH - _RIGHT)
    parts: List[str] = []
    y = float(_TOP)
    for case in measured.bench.cases:
        parts.append(_text(_LEFT, y + 14, case.title))
        y += 20
        for who in measured.who:
            value = measured.median(case, who)
            if value is None:
                continue
            end = scale(value)
            parts.append(_text(_LEFT - 8, y + 12, title_of(who), _kind(who), "end"))
            parts.append(
                f'<rect x="{_LEFT}" y="{y:.1f}" width="{max(end - _LEFT, 1):.1f}" height="{_BAR - 4}"'
                f' fill="{_colours()[who]}"/>'
            )
            parts.append(_text(end + 5, y + 11, number(value), _kind(who)))
            y += _BAR
        y += _GAP / 2
    grid = [_line(scale(p), _TOP, scale(p), y, "grid") for p in scale.powers]
    labels = [_text(scale(p), y + 14, f"{p:g}", "", "middle") for p in scale.powers]
    return _svg(measured, y + _GAP, [*grid, *labels, *parts])


def _curves(measured: Measured, cases: Sequence[Case]) -> str:
    """One for each peer; and for each kind of case, the word before the comma, if there are several."""
    bottom = _TOP + _CURVES
    across = _Scale([case.x or 1 for case in cases], _LEFT, _WIDTH - _RIGHT - 60)
    upwards = _Scale(_all_values(measured, cases), bottom, _TOP + 10)
    parts = [_line(_LEFT, upwards(p), _WIDTH - _RIGHT - 60, upwards(p), "grid") for p in upwards.powers]
    parts += [_text(_LEFT - 8, upwards(p) + 4, f"{p:g}", "", "end") for p in upwards.powers]
    parts += [_text(across(p), bottom + 18, f"{p:,.0f}", "", "middle") for p in across.powers]
    ends: List[Tuple[float, str, str]] = []
    for who in measured.who:
        for kind, dash in zip(_kinds(cases), ("", "5 4")):
            points = _points(measured, [c for c in cases if _kind_of(c) == kind], who, across, upwards)
            if points:
                parts.append(_polyline(points, _colours()[who], dash, who == OURS))
                label = title_of(who) if not kind else f"{title_of(who)}, {kind}"
                ends.append((points[-1][1], label, who))
    parts += _labels(ends)
    return _svg(measured, bottom + _GAP, parts)


def _points(
    measured: Measured, cases: Sequence[Case], who: str, across: _Scale, upwards: _Scale
) -> List[Tuple[float, float]]:
    found = []
    for case in cases:
        value = measured.median(case, who)
        if value is not None:
            found.append((across(case.x or 1), upwards(value)))
    return found


def _labels(ends: Sequence[Tuple[float, str, str]]) -> List[str]:
    """At the ends of the curves, moved apart where they would overlap."""
    parts, lowest = [], 0.0
    for y, label, who in sorted(ends):
        lowest = max(y + 4, lowest + 13)
        text = _text(_WIDTH - _RIGHT - 54, lowest, label, _kind(who))
        parts.append(text.replace("<text ", f'<text style="fill:{_colours()[who]}" '))
    return parts


def _kinds(cases: Sequence[Case]) -> List[str]:
    return list(dict.fromkeys(map(_kind_of, cases)))


def _kind_of(case: Case) -> str:
    before, comma, _ = case.title.partition(", ")
    return before if comma else ""


def _all_values(measured: Measured, cases: Sequence[Case]) -> List[float]:
    medians = [measured.median(case, who) for case in cases for who in measured.who]
    return [value for value in medians if value is not None]


def _colours() -> Dict[str, str]:
    return dict(zip(PEERS, _COLOURS.split()))


def _kind(who: str) -> str:
    return "ours" if who == OURS else ""


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    attributes = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attributes}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _polyline(points: Sequence[Tuple[float, float]], colour: str, dash: str, bold: bool) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{text}" fill="none" stroke="{colour}"'
        f' stroke-width="{3.5 if bold else 1.8}"{dashes}/>'
    )


def _svg(measured: Measured, height: float, parts: Sequence[str]) -> str:
    bench = measured.bench
    title = _text(12, 22, f"{bench.title}: {bench.figure.title}", "title")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img"'
            f' aria-label="{escape(bench.title)}">',
            f"<style>{_STYLE}</style>",
            title,
            *parts,
            "</svg>\n",
        ]
    )
