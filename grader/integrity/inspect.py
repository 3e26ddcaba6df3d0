"""Decides from a submission's object files what each uses that its milestone does not need.

A test runs in one process with what it tests, so nothing that is found here can make cheating
impossible. It makes it visible, with the line; what has no honest use is refused before it runs.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path, PurePath
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Set

from grader.integrity import elf as numbers
from grader.integrity.elf import BadFile, Elf
from grader.integrity.lines import Place, SourceLines
from grader.integrity.suspects import Spot, Suspect, suspects
from grader.integrity.surroundings import surroundings_of
from grader.integrity.system_calls import system_calls
from grader.kit import LABS
from grader.model import Finding
from grader.sandbox import Sandbox
from grader.stage import Stage
from grader.submissions.printable import finding, printable

MOST_USES = 40  # told of one file
_MOST_SECTIONS = 20  # looked into for lines

# What ends the program in a stub, until that is written: not_implemented.h, which is given.
_STUB = ("_exit", "not_implemented_here")


@dataclasses.dataclass(frozen=True)
class Use:
    path: str  # of the submission's file
    where: str  # "m3-sleep/timers.c:41", or the file alone
    what: str  # a symbol, an instruction, a section
    reason: str
    forbidden: bool  # it could forge a result or do harm; else it is unusual


def inspect_objects(stage: Stage, sandbox: Sandbox, objects: Mapping[str, Path]) -> List[Use]:
    """`objects`: by the submission's path, in folders that are lent to the sandbox. What is forbidden comes
    first in each file; each symbol once, with the first line that uses it."""
    around = surroundings_of(stage)
    uses: List[Use] = []
    for path, lab in ((path, lab) for lab in LABS for path in lab.paths if path in objects):
        lines = SourceLines(objects[path], sandbox)
        try:
            elf = _object(objects[path])
            found = [*suspects(lab.id, elf, around), *system_calls(elf, lines)]
        except BadFile as error:
            uses.append(Use(path, path, "object file", str(error), True))
            continue
        uses += _Telling(path, elf, lines).uses(found)
    return uses


def to_findings(uses: Sequence[Use]) -> List[Finding]:
    return [
        finding("forbidden" if u.forbidden else "unusual", u.where, f"{u.what}: {u.reason}")
        for u in uses
    ]


def _object(path: Path) -> Elf:
    elf = Elf(path.read_bytes())
    if elf.type != numbers.RELOCATABLE:
        raise BadFile("it is no object file")
    return elf


class _Telling:
    """Makes of what was found in an object file something to tell of its source."""

    def __init__(self, path: str, elf: Elf, lines: SourceLines) -> None:
        self._path = path
        self._elf = elf
        self._lines = lines
        self._places: Dict[Spot, List[Place]] = {}

    def uses(self, found: Sequence[Suspect]) -> List[Use]:
        by_name: Dict[str, Suspect] = {}
        for suspect in sorted(found, key=lambda s: not s.forbidden):
            by_name.setdefault(suspect.what, suspect)
        told = list(by_name.values())[:MOST_USES]
        self._look_up({spot for suspect in told for spot in suspect.spots})
        uses = [use for suspect in told for use in self._use(suspect)]
        if len(by_name) > MOST_USES:
            more = f"{len(by_name) - MOST_USES} more of the kind"
            uses.append(self._made(None, "and so on", more, told[-1].forbidden))
        return uses

    def _use(self, suspect: Suspect) -> Iterator[Use]:
        """One; or none, if it is the stub's."""
        chains = [self._places.get(spot, []) for spot in suspect.spots]
        own = [chain for chain in chains if (suspect.what, _function(chain)) != _STUB]
        if own or not chains:
            lines = [line for chain in own for line in self._lines_of_ours(chain)]
            line = min(lines, default=None)
            yield self._made(line, suspect.what, suspect.reason, suspect.forbidden)

    def _made(self, line: Optional[int], what: str, reason: str, forbidden: bool) -> Use:
        where = self._path if line is None else f"{self._path}:{line}"
        return Use(self._path, where, printable(what), reason, forbidden)

    def _lines_of_ours(self, chain: Sequence[Place]) -> List[int]:
        """In the student's file: where the thing is, or where that was inlined from elsewhere."""
        return [p.line for p in chain if PurePath(p.file).name == PurePath(self._path).name][:1]

    def _look_up(self, spots: Set[Spot]) -> None:
        for number in sorted({section for section, _ in spots})[:_MOST_SECTIONS]:
            if number >= len(self._elf.sections):  # an absolute symbol, or a common one
                continue
            section = self._elf.sections[number]
            offsets = [offset for place, offset in spots if place == number]
            if section.flags & numbers.EXECUTE:
                for offset, places in self._lines.of_code(section.name, offsets).items():
                    self._places[number, offset] = places
            elif section.flags & numbers.ALLOC:
                for offset in offsets:
                    self._places[number, offset] = self._variable(number, offset)

    def _variable(self, section: int, offset: int) -> List[Place]:
        symbol = self._elf.symbol_at(section, offset)
        place = None if symbol is None else self._lines.of_variable(symbol.name)
        return [] if place is None else [place]


def _function(chain: Sequence[Place]) -> Optional[str]:
    return chain[0].function if chain else None
