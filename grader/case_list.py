"""Reads a cases.def: the list of a milestone's C cases that C, CMake and the grader share.

    CASE(name, points, "title", "section", "cause")

in C's syntax: strings next to each other are one, comments are skipped.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Iterator, List, Set, Tuple

from grader.exit_codes import KitFailed


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    points: float
    title: str
    section: str  # of the milestone's handout
    cause: str  # of a failure, probably


Token = Tuple[str, str, int]  # kind, text, line

_TOKEN = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<number>\d+(?:\.\d+)?)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<mark>[(),])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}


def read_cases(path: Path) -> List[Case]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise KitFailed(f"cannot read {path}: {error.strerror}") from error
    try:
        return _Parser(list(_tokens(text))).cases()
    except _SyntaxError as error:
        raise KitFailed(f"{path}:{error.line}: {error.message}") from error


class _SyntaxError(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def _tokens(text: str) -> Iterator[Token]:
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            rest = text[position : position + 20].split("\n")[0]
            raise _SyntaxError(line, f"not understood here: {rest}")
        kind = str(match.lastgroup)
        if kind != "space":
            yield kind, match.group(), line
        line += match.group().count("\n")
        position = match.end()
    yield "end", "the end of the file", line


class _Parser:
    def __init__(self, tokens: List[Token]) -> None:
        self._tokens = tokens
        self._next = 0

    def cases(self) -> List[Case]:
        cases: List[Case] = []
        names: Set[str] = set()
        while self._tokens[self._next][0] != "end":
            line = self._tokens[self._next][2]
            case = self._case()
            if case.name in names:
                raise _SyntaxError(line, f"case {case.name} is listed twice")
            names.add(case.name)
            cases.append(case)
        return cases

    def _case(self) -> Case:
        self._take("word", "CASE", "CASE(")
        self._take("mark", "(", "( after CASE")
        name = self._take("word", None, "the name of the case")
        self._comma()
        points = self._points(name)
        self._comma()
        title = self._string("title")
        self._comma()
        section = self._string("section")
        self._comma()
        cause = self._string("cause")
        self._take("mark", ")", f") at the end of case {name}")
        return Case(name, points, title, section, cause)

    def _points(self, name: str) -> float:
        line = self._tokens[self._next][2]
        points = float(self._take("number", None, "the points"))
        if points <= 0 or not (points * 4).is_integer():
            raise _SyntaxError(line, f"the points of {name} are {points:g}, no multiple of 0.25")
        return points

    def _comma(self) -> None:
        self._take("mark", ",", "a comma")

    def _string(self, what: str) -> str:
        line = self._tokens[self._next][2]
        text = _unescape(self._take("string", None, f'the {what}, in "..."'))
        while self._tokens[self._next][0] == "string":
            text += _unescape(self._take("string", None, "a string"))
        if not text.strip():
            raise _SyntaxError(line, f"the {what} is empty")
        return text

    def _take(self, kind: str, text: "str | None", wanted: str) -> str:
        found_kind, found, line = self._tokens[self._next]
        if found_kind != kind or (text is not None and found != text):
            raise _SyntaxError(line, f"expected {wanted}, found {found}")
        self._next += 1
        return found


def _unescape(literal: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), literal[1:-1])
