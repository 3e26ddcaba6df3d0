"""Code that two submissions share, as the class page takes it and shows it: side by side."""

from __future__ import annotations

import dataclasses
from typing import Iterable, List, Sequence, Tuple

from grader.reports.safe_text import safe_line, safe_text

_WIDTH = 400  # characters of a line


@dataclasses.dataclass(frozen=True)
class Passage:
    """The same code in two files: where it begins in each, and its lines."""

    first_line: int
    first: Sequence[str]
    second_line: int
    second: Sequence[str]


@dataclasses.dataclass(frozen=True)
class Shared:
    """More code in common than chance explains."""

    first: str  # name of a submission
    second: str
    file: str
    share: float  # 0 to 1
    passages: Sequence[Passage]


@dataclasses.dataclass(frozen=True)
class Side:
    caption: str
    lines: List[Tuple[str, str]]  # number, text


@dataclasses.dataclass(frozen=True)
class Pair:
    """What the page shows of a Shared."""

    heading: str
    file: str
    share: str
    passages: List[Tuple[Side, Side]]


def pairs(shared: Iterable[Shared]) -> List[Pair]:
    """Those that share most first."""
    ordered = sorted(shared, key=lambda pair: (-pair.share, pair.first, pair.second, pair.file))
    return [_pair(pair) for pair in ordered]


def _pair(shared: Shared) -> Pair:
    first, second = safe_line(shared.first), safe_line(shared.second)
    return Pair(
        heading=f"{first} and {second}",
        file=safe_line(shared.file),
        share=f"{100 * shared.share:.0f} %",
        passages=[
            (_side(first, p.first_line, p.first), _side(second, p.second_line, p.second))
            for p in shared.passages
        ],
    )


def _side(name: str, begin: int, lines: Sequence[str]) -> Side:
    end = begin + max(0, len(lines) - 1)
    width = len(str(end))
    numbered = [
        (f"{number:{width}}", safe_text(line.rstrip("\r\n"), _WIDTH))
        for number, line in enumerate(lines, begin)
    ]
    return Side(f"{name}, lines {begin} to {end}", numbered)
