"""A reader of HTML pages that fails on whatever could act, load something, or is not closed."""

from __future__ import annotations

import html.parser
import re
from typing import Dict, List, Optional, Tuple

_VOID = {"meta", "br", "line", "rect", "path"}
_HARMLESS_TAGS = set(
    "html head meta title style body header main footer section figure figcaption div p h1 h2 h3"
    " span strong a table caption thead tbody tfoot tr th td details summary ol ul li pre code dl"
    " dt dd br svg text tspan line rect path i b".split()
)
_HARMLESS_ATTRIBUTES = set(
    "lang charset name content http-equiv class id role aria-labelledby aria-label aria-hidden"
    " tabindex scope rowspan href open style viewbox x y x1 x2 y1 y2 dx rx d width height".split()
)


class Page(html.parser.HTMLParser):
    """Reads a page, and fails on whatever could act, load something, or is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: List[Tuple[str, Dict[str, Optional[str]]]] = []
        self.texts: List[Tuple[str, str]] = []  # innermost tag, text
        self._open: List[str] = []
        assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
        self.feed(text)
        self.close()
        assert self._open == []
        self._check()

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        assert tag in _HARMLESS_TAGS, tag
        assert {name for name, _ in attrs} <= _HARMLESS_ATTRIBUTES, attrs
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def all(self, wanted: str) -> List[Dict[str, Optional[str]]]:
        return [attributes for tag, attributes in self.tags if tag == wanted]

    def text(self, *tags: str) -> List[str]:
        return [text for tag, text in self.texts if not tags or tag in tags]

    @property
    def said(self) -> str:
        """What is read, without the style sheet."""
        return " ".join(" ".join(text for tag, text in self.texts if tag != "style").split())

    def _check(self) -> None:
        ids = [attributes["id"] for _, attributes in self.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        for _, attributes in self.tags:
            assert attributes.get("aria-labelledby", "") in ["", *ids]
            assert re.fullmatch(r"width:[\d.]+%|", attributes.get("style") or "")
            if "href" in attributes:
                assert re.fullmatch(r"#[\w-]+|[\w./%~-]+", attributes["href"] or "")
        for tag in ("title", "h1", "main", "header", "footer"):
            assert len(self.all(tag)) == 1, tag
        assert all("scope" in attributes for attributes in self.all("th"))
        policies = [a["content"] for a in self.all("meta") if "http-equiv" in a]
        assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
        assert any(a.get("name") == "viewport" for a in self.all("meta"))
