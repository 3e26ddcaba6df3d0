"""Finds lines of the reference solution in text, however they are indented, quoted or commented.

One line of LINE_SIZE characters tells on its own; shorter ones, which any program may have, tell
when RUN of them follow each other. What students may see all the same is in shared_lines.txt.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Set, Tuple

LINE_SIZE = 24  # characters without white space
RUN = 3
RUN_SIZE = 40  # of a run's lines together

_COMMENT_IN_LINE = re.compile(r"/\*.*?\*/|//.*|/\*.*")
_DECORATION = re.compile(r"^[\s/*#>|+;%-]+|[\s*/\\|-]+$")  # of comments, quotations, patches, lists
_PRINTABLE = re.compile(rb"[\x20-\x7e]{6,}")


@dataclasses.dataclass(frozen=True)
class Secrets:
    lines: Dict[str, str]  # a line without white space: where it is from
    runs: Dict[Tuple[str, ...], str]

    def in_text(self, text: str) -> List[str]:
        """What is found, a sentence for each place."""
        whole = _squeezed(text)
        found = [line for line in self.lines if line in whole]
        places = {line: _line_number(text, line) for line in found}
        leaks = [(places[line], f"has {self.lines[line]}: {line}") for line in found]
        for number, run in _runs(_numbered(text)):
            if run in self.runs:
                leaks.append((number, f"has {RUN} lines from {self.runs[run]}: {' '.join(run)}"))
        return [f"line {number} {leak}" for number, leak in sorted(leaks)]

    def in_binary(self, content: bytes) -> List[str]:
        whole = _squeezed("\n".join(s.decode("ascii") for s in _PRINTABLE.findall(content)))
        return [f"has {where}: {line}" for line, where in self.lines.items() if line in whole]


def read_secrets(solutions: Path, headers: Path, shared: Set[str]) -> Secrets:
    """`shared`: from read_shared. Outside of function bodies, what the headers say is known."""
    known = "\n".join(_squeezed(path.read_text(encoding="utf-8")) for path in headers.rglob("*.h"))
    lines: Dict[str, str] = {}
    runs: Dict[Tuple[str, ...], str] = {}
    for path in sorted(solutions.rglob("*.[ch]")):
        name = path.relative_to(solutions.parent)
        text = path.read_text(encoding="utf-8")
        for number, line, in_body in _with_place(text):
            for part in _parts(line):
                if len(part) >= LINE_SIZE and part not in shared and (in_body or part not in known):
                    lines.setdefault(part, f"{name}:{number}")
        for number, run in _runs(_numbered(text)):
            if sum(map(len, run)) >= RUN_SIZE and not shared.intersection(run):
                runs.setdefault(run, f"{name}:{number}")
    return Secrets(lines, runs)


def read_shared(path: Path) -> Set[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {_squeezed(line) for line in lines if line.strip() and not line.startswith("# ")}


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _with_place(text: str) -> Iterator[Tuple[int, str, bool]]:
    """Each line, and whether it is in the body of a function: between braces that begin a line."""
    in_body = False
    for number, line in enumerate(text.splitlines(), 1):
        if line == "{":
            in_body = True
        elif line.startswith("}"):
            in_body = False
        yield number, line, in_body


def _parts(line: str) -> Iterator[str]:
    """The line as it is, its code alone, and its comment alone; but not what it includes."""
    if line.lstrip().startswith("#include"):
        return
    code = _COMMENT_IN_LINE.sub("", line)
    comments = _COMMENT_IN_LINE.findall(line) or ([line] if line.lstrip().startswith("*") else [])
    for part in dict.fromkeys([_undecorated(line), code, *map(_undecorated, comments)]):
        yield _squeezed(part)


def _undecorated(line: str) -> str:
    return _DECORATION.sub("", line)


def _numbered(text: str) -> List[Tuple[int, str]]:
    """The lines that say something, without white space, comments after code, and quotation marks."""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        short = _squeezed(_undecorated(_COMMENT_IN_LINE.sub("", line) if _has_code(line) else line))
        if re.search(r"\w", short) and not short.startswith("include"):
            lines.append((number, short))
    return lines


def _has_code(line: str) -> bool:
    return re.search(r"\w", _COMMENT_IN_LINE.sub("", line)) is not None


def _runs(lines: Sequence[Tuple[int, str]]) -> Iterator[Tuple[int, Tuple[str, ...]]]:
    for first in range(len(lines) - RUN + 1):
        yield lines[first][0], tuple(line for _, line in lines[first : first + RUN])


def _line_number(text: str, squeezed: str) -> int:
    """Where it begins: the line until which the text, squeezed, is as long."""
    position = _squeezed(text).index(squeezed)
    length = 0
    for number, line in enumerate(text.splitlines(), 1):
        length += len(_squeezed(line))
        if length > position:
            return number
    return 0
