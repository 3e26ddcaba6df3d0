"""Turns the text of a header's comment into reStructuredText."""

from __future__ import annotations

import re
from typing import List, Mapping

Names = Mapping[str, str]  # of the headers: a name, and Sphinx' role that links to it

_INLINE = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|(?<!\w)\*(?P<stressed>\w(?:[\w ]*\w)?)\*(?!\w)"
    r"|(?P<word>[A-Za-z_]\w*)(?P<call>\(\))?"
    r"|(?P<special>[\\*_`|<>\[\]])"
)
_TERM = re.compile(r"  (\S.*?)  +(\S.*)$|  (-E[A-Z]+) (\S.*)$|  (\S.*)$")
_NUMBERED = re.compile(r"  (\d+\. )(.*)$")


def comment_to_rst(text: str, names: Names) -> str:
    blocks: List[str] = []
    lines = text.strip("\n").splitlines()
    while lines:
        if not lines[0].strip():
            lines.pop(0)
        elif lines[0].startswith("    "):
            blocks.append(_code(lines))
        elif _NUMBERED.match(lines[0]):
            blocks.append(_numbered(lines, names))
        elif lines[0].startswith("  "):
            blocks.append(_terms(lines, names))
        else:
            blocks.append(_paragraph(lines, names))
    return "\n\n".join(blocks)


def inline(text: str, names: Names) -> str:
    return _INLINE.sub(lambda match: _marked(match, names), text)


def _marked(match: "re.Match[str]", names: Names) -> str:
    code, stressed, word = match["code"], match["stressed"], match["word"]
    if code:
        return f"\\ ``{code}``\\ "
    if stressed:
        return f"\\ *{stressed}*\\ "
    if word and word in names and ("_" in word or match["call"]):
        return f"\\ :{names[word]}:`{word}`\\ "
    return match[0].replace("_", "\\_") if word else f"\\{match[0]}"


def _code(lines: List[str]) -> str:
    taken: List[str] = []
    while lines and (lines[0].startswith("    ") or (not lines[0] and _goes_on(lines))):
        taken.append(lines.pop(0))
    margin = min(len(line) - len(line.lstrip()) for line in taken if line)
    return ".. code-block:: c\n\n" + "\n".join(f"   {line[margin:]}".rstrip() for line in taken)


def _goes_on(lines: List[str]) -> bool:
    return any(line.startswith("    ") for line in lines[1:2])


def _numbered(lines: List[str], names: Names) -> str:
    points: List[str] = []
    while lines and lines[0].startswith("  "):
        line = lines.pop(0)
        if match := _NUMBERED.match(line):
            points.append(f"{match[1]}{inline(match[2], names)}")
        else:
            points.append(f"   {inline(line.strip(), names)}")
    return "\n".join(points)


def _terms(lines: List[str], names: Names) -> str:
    """A list of errors or other results, each with what it means."""
    points: List[str] = []
    while lines and lines[0].startswith("  "):
        line = lines.pop(0)
        match = None if line.startswith("    ") else _TERM.match(line)
        if match:
            term = match[1] or match[3] or match[5]
            points.append(f"``{term}``\n   {inline(match[2] or match[4] or 'and others', names)}")
        else:
            points.append(f"   {inline(line.strip(), names)}")
    return "\n".join(points)


def _paragraph(lines: List[str], names: Names) -> str:
    taken: List[str] = []
    while lines and lines[0].strip() and not lines[0].startswith("  "):
        taken.append(inline(lines.pop(0), names))
    return "\n".join(taken)
