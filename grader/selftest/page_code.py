"""What a page shows as code: its fenced blocks, and the commands that a reader is to type.

A line is such a command in a ```sh block, in an indented block, behind `$ `, and wherever code begins
with the name of a program that readers are to run. Two blanks end a command, and its explanation follows.
Output, pictures and tables are ```text.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Dict, Iterator, List

from grader.kit import Kit

_FENCE = re.compile(
    r"^(?P<margin> *)(?P<ticks>`{3,})(?P<info>[^\n]*)\n(?P<text>.*?)^ *(?P=ticks) *$\n?",
    re.MULTILINE | re.DOTALL,
)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4,}\S[^\n]*\n)+")
_IN_SENTENCE = re.compile(r"(?<!`)`(?!`)([^`]+)`(?!`)")
_EXPLANATION = re.compile(r"(?<=\S) {2,}\S.*")
_GDB = re.compile(r"gdb .*--args (.*)")
_GDB_AFTER = "gdb after: "
_PROGRAMS = (
    "ctest|cmake|ninja|gdb|strace|valgrind|perf|nc|socat|ss|curl|python3|pytest|git|docker|cc|gcc|g\\+\\+|clang|make|"
    "sudo|apt-get|apt|pip|npm|cp|mv|rm|mkdir|cd|echo|export|kill|tar|unzip|time"
)
_TYPED = re.compile(rf"(?:[A-Z_]+=\S+ )*(?:\./lab\b|(?:build/\S+|{_PROGRAMS}) +\S)")


@dataclasses.dataclass(frozen=True)
class Block:
    """Between fences. The first word behind the opening one is its language, the others are a note."""

    line: int  # of the opening fence
    language: str
    note: str
    text: str


@dataclasses.dataclass(frozen=True)
class Command:
    line: int
    text: str  # in one line, without its explanation


def pages(kit: Kit) -> Dict[str, Path]:
    """All that somebody is to read, by their names from the kit's folder on."""
    names = ["README.md", "grader/handout/student_readme.md"]
    for pattern in ("milestones/*/README.md", "docs/**/*.md"):
        names += sorted(path.relative_to(kit.root).as_posix() for path in kit.root.glob(pattern))
    return {name: kit.root / name for name in names}


def blocks(markdown: str) -> List[Block]:
    return [_block(markdown, match) for match in _FENCE.finditer(markdown)]


def commands(markdown: str) -> List[Command]:
    """In their order, each as often as it is shown."""
    found = [command for block in blocks(markdown) for command in _in_block(block)]
    prose = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), markdown)
    for match in _INDENTED.finditer(prose):
        found += _lines(match[0], _line_of(prose, match.start()))
    prose = _INDENTED.sub(lambda match: "\n" * match[0].count("\n"), prose)
    for match in _IN_SENTENCE.finditer(prose):
        text = " ".join(match[1].split())
        if _TYPED.match(text):
            found.append(Command(_line_of(prose, match.start()), text))
    return sorted(found, key=lambda command: command.line)


@dataclasses.dataclass(frozen=True)
class Debugging:
    """Lines to type in gdb, ```text gdb after: COMMAND; COMMAND, below the command that starts it."""

    line: int
    program: str  # with its arguments
    lines: List[str]


def debugging(markdown: str) -> List[Debugging]:
    programs = [(c.line, found[1]) for c in commands(markdown) if (found := _GDB.fullmatch(c.text))]
    return [
        Debugging(block.line, [one for at, one in programs if at < block.line][-1], _gdb_lines(block))
        for block in blocks(markdown)
        if block.note.startswith(_GDB_AFTER)
    ]


def _gdb_lines(block: Block) -> List[str]:
    lines = [line.strip() for line in block.note[len(_GDB_AFTER) :].split(";")]
    for line in block.text.splitlines():
        lines.append(_EXPLANATION.sub("", line).strip())
        if line.endswith("then `continue`"):
            lines.append("continue")
    return lines


def _block(markdown: str, match: "re.Match[str]") -> Block:
    language, _, note = match["info"].strip().partition(" ")
    margin = len(match["margin"])
    text = "".join(line[margin:] for line in match["text"].splitlines(keepends=True))
    return Block(_line_of(markdown, match.start()), language, note, text)


def _in_block(block: Block) -> Iterator[Command]:
    if block.language in ("sh", "console", "bash", "shell"):
        yield from _lines(block.text, block.line + 1)
    elif block.language in ("", "text"):
        for command in _lines(block.text, block.line + 1):
            if _TYPED.match(command.text):
                yield command


def _lines(code: str, first: int) -> Iterator[Command]:
    """Those that end with a backslash go on in the next one."""
    joined, begun = "", 0
    for number, line in enumerate(code.splitlines(), first):
        begun = begun or number
        joined += line.strip()
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        text = re.sub(r"^\$ ", "", _EXPLANATION.sub("", joined))
        if text and not text.startswith("#"):
            yield Command(begun, text)
        joined, begun = "", 0


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
