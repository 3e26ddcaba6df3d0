"""Applies a patch (a unified diff of one file), and finds its places by their text.

Line numbers count for nothing: the reference may change around a mutant. But a hunk must fit exactly,
in one place, or the mutant is not what its author meant.
"""

from __future__ import annotations

from typing import List, Tuple

Hunk = Tuple[List[str], List[str]]  # the lines before, and after


class DoesNotApply(Exception):
    """Which hunk, and why."""


def apply_patch(patch: str, text: str) -> str:
    hunks = _hunks(patch)
    if not hunks:
        raise DoesNotApply("there is no hunk in it")
    lines = text.splitlines()
    begin = 0
    for number, (before, after) in enumerate(hunks, 1):
        places = _places(lines, before, begin)
        if len(places) != 1:
            text_before = "\n".join(before)
            raise DoesNotApply(f"hunk {number} fits {len(places)} places:\n{text_before}")
        place = places[0]
        lines[place : place + len(before)] = after
        begin = place + len(after)
    return "\n".join(lines) + "\n"


def _hunks(patch: str) -> List[Hunk]:
    """What stands before the first @@ is a comment, or the names of the files."""
    hunks: List[Hunk] = []
    for line in patch.splitlines():
        if line.startswith("@@"):
            hunks.append(([], []))
        elif hunks and line[:1] in (" ", "-", "+", ""):
            before, after = hunks[-1]
            if line[:1] != "+":
                before.append(line[1:])
            if line[:1] != "-":
                after.append(line[1:])
    return hunks


def _places(lines: List[str], wanted: List[str], begin: int) -> List[int]:
    last = len(lines) - len(wanted)
    return [i for i in range(begin, last + 1) if lines[i : i + len(wanted)] == wanted]
