"""Finds and rewrites the links of a Markdown page."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Callable, List, Tuple

Link = Tuple[str, str]  # text, target

_FENCE = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1 *$\n?", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LINK = re.compile(r"(?<![!\\])\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])+)\]\((?P<target>[^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def with_links(text: str, change: Callable[[Link], str]) -> str:
    """Each link, outside of code, becomes what `change` makes of it."""
    parts: List[str] = []
    end = 0
    for fence in _FENCE.finditer(text):
        parts += [_changed(text[end : fence.start()], change), fence[0]]
        end = fence.end()
    return "".join([*parts, _changed(text[end:], change)])


def _changed(text: str, change: Callable[[Link], str]) -> str:
    code = [match.span() for match in _CODE.finditer(text)]

    def made(match: "re.Match[str]") -> str:
        if any(begin < match.start() < end for begin, end in code):
            return match[0]
        return change((match["text"], match["target"]))

    return _LINK.sub(made, text)


def is_outside(target: str) -> bool:
    return re.match(r"[a-z]+:", target) is not None


def resolved(page: str, target: str) -> str:
    """The file that a relative link means, from the kit's folder on."""
    parts: List[str] = []
    for part in (PurePosixPath(page).parent / target).parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def headings(text: str) -> List[str]:
    """Without those in code, and without marks."""
    return [re.sub(r"[`*]", "", heading) for heading in _HEADING.findall(_FENCE.sub("", text))]


def anchor_on_github(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def anchor_here(heading: str) -> str:
    """As docutils makes it."""
    words = re.sub(r"[^a-z0-9]+", "-", heading.lower())
    return re.sub(r"^[-0-9]+|-+$", "", words)
