"""Labels of a picture that is as wide as the page. No label can find out how much room it has, so each is
made for several widths, and page.css shows the one that fits."""

from __future__ import annotations

import unicodedata
from typing import List, Sequence, Tuple

_WIDTHS = {"narrow": 290, "wide": 620, "widest": 860}  # pixels, at least; see page.css
_LETTER = 6.2  # of them takes a letter, on average
_FEWEST = 5  # letters; fewer tell nothing


def fitted(texts: Sequence[str], share: float, cut: bool = False) -> List[Tuple[str, str]]:
    """The classes of page.css at whose widths it is shown, and a text: the first of `texts` that has room
    in that `share` of the picture's width; failing that, none, or what there is room for of the last one."""
    rooms = {size: int(share * width / _LETTER) for size, width in _WIDTHS.items()}
    found = {size: _first(texts, room, cut) for size, room in rooms.items()}
    return [
        (" ".join(size for size in found if found[size] == text), text)
        for text in dict.fromkeys(found.values())
        if text
    ]


def _first(texts: Sequence[str], room: int, cut: bool) -> str:
    last_resort = _cut(texts[-1], room) if cut else ""
    return next((text for text in texts if _width(text) <= room), last_resort)


def _cut(text: str, room: int) -> str:
    kept = text
    while kept and _width(kept) > room - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…" if len(kept) >= _FEWEST else ""


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
