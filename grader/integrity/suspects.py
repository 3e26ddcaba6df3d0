"""What an object file has that its milestone does not need, and why that matters."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import Dict, Iterator, List, Optional, Tuple

from grader.integrity import elf as numbers
from grader.integrity.elf import Elf, Section
from grader.integrity.started import has_starts, runs_by_itself
from grader.integrity.surroundings import Surroundings
from grader.integrity.symbols import group_of, groups

Spot = Tuple[int, int]  # a section's number, and an offset in it

MOST_SPOTS = 30  # of one suspect
_MOST_STARTS = 100


@dataclasses.dataclass(frozen=True)
class Suspect:
    what: str
    reason: str
    forbidden: bool
    spots: Tuple[Spot, ...]  # where in the object file


def suspects(milestone: str, elf: Elf, around: Surroundings) -> Iterator[Suspect]:
    """Without system calls, for which the instructions must be read."""
    yield from _imports(milestone, elf, around)
    yield from _definitions(milestone, elf, around)
    yield from _started(elf, around)
    yield from _sections(elf, around)


# ---- What it wants from others -------------------------------------------------------------

_HARNESS = "belongs to the tests: a layer uses the layers below it, and the C library"
_UNKNOWN = "is in no list of what a milestone needs"
_HIGHER = "is a function of {}, a higher layer: a layer knows only those below it"


def _imports(milestone: str, elf: Elf, around: Surroundings) -> Iterator[Suspect]:
    usable = around.usable(milestone)
    wanted: Dict[int, Tuple[str, str, bool]] = {}
    for number, symbol in enumerate(elf.symbols):
        name = symbol.name.split("@")[0] or symbol.name
        if symbol.imported and name not in usable:
            judged = _judged(milestone, name, around)
            if judged is not None:
                wanted[number] = (name, *judged)
    spots: Dict[int, List[Spot]] = {number: [] for number in wanted}
    for reference in elf.references() if wanted else ():
        if len(spots.get(reference.symbol, ())) < MOST_SPOTS and reference.symbol in spots:
            spots[reference.symbol].append((reference.section, reference.offset))
    for number, (name, reason, forbidden) in wanted.items():
        yield Suspect(name, reason, forbidden, tuple(spots[number]))


def _judged(milestone: str, name: str, around: Surroundings) -> Optional[Tuple[str, bool]]:
    """Why it should not use that, and whether that is forbidden; None: it may."""
    group = group_of(name)
    if group is not None:
        if milestone in group.allowed:
            return None
        return group.reason, milestone in group.forbidden
    owner = around.owner(name)
    if owner is not None:
        return _HIGHER.format(owner), False
    if name in around.tests[milestone]:
        return _HARNESS, True
    return _UNKNOWN, False


# ---- What it defines for others ------------------------------------------------------------

_TAKEN = "make yours static, or give it another name"


def _definitions(milestone: str, elf: Elf, around: Surroundings) -> Iterator[Suspect]:
    for symbol in elf.symbols:
        if symbol.exported:
            judged = _taken(milestone, symbol.name.split("@")[0], around)
            if judged is not None:
                why, forbidden = judged
                spots = ((symbol.section, symbol.value),)
                yield Suspect(symbol.name, f"{why}: {_TAKEN}", forbidden, spots)


def _taken(milestone: str, name: str, around: Surroundings) -> Optional[Tuple[str, bool]]:
    """Whose name that is, and whether it does harm to take it."""
    owner = around.owner(name)
    if name in around.tests[milestone]:
        return f"is already defined, by {owner or 'the tests'}", True
    if owner is not None:
        return (f"is a function of {owner}", True) if owner != milestone else None
    for group in groups():
        if not group.definable and group.has(name):
            return group.reason, True
    if name in around.library:
        return "is the name of something in the C library", name in around.used
    return None


# ---- What runs by itself -------------------------------------------------------------------

_STARTED = (
    "runs by itself, before or after main or while the program is loaded: "
    "a layer does nothing before it is called"
)


def _started(elf: Elf, around: Surroundings) -> Iterator[Suspect]:
    usual = set(around.started)
    for start in itertools.islice(runs_by_itself(elf), _MOST_STARTS):
        if start.form in usual:
            usual.remove(start.form)
        else:
            yield Suspect(start.name, _STARTED, True, ((start.section, start.offset),))


# ---- Sections ------------------------------------------------------------------------------

_USUAL = re.compile(
    r"\.(text|rodata|t?data|t?bss|debug_(?!gdb_scripts)\w+|eh_frame|comment|symtab"
    r"|symtab_shndx|strtab|shstrtab|group|llvm_addrsig|note\.GNU-stack|note\.gnu\.property"
    r"|gcc_except_table)(\.|$)"
    r"|\.rela\..*|asan_globals$"
)
_OF_THE_LINKER = re.compile(
    r"\.(interp|dynamic|dynsym|dynstr|hash|gnu\.hash|gnu\.version\w*|got|plt|jcr"
    r"|rela?\.plt|rela?\.dyn)(\.|$)"
)
# All that gcc and clang make of C: types of sections by their numbers.
_USUAL_TYPES = {1, 2, 3, 4, 7, 8, 14, 15, 16, 17, 18, 0x70000001, 0x70000003, 0x6FFF4C03}


def _sections(elf: Elf, around: Surroundings) -> Iterator[Suspect]:
    first: Dict[int, int] = {}
    for symbol in elf.symbols:
        if symbol.kind not in (numbers.SECTION, numbers.SOURCE_FILE):
            first.setdefault(symbol.section, symbol.value)
    for number, section in enumerate(elf.sections[1:], 1):
        judged = _odd(section, around)
        if judged is not None:
            reason, forbidden = judged
            spots = ((number, first.get(number, 0)),)
            yield Suspect(section.name, f"section {reason}", forbidden, spots)


def _odd(section: Section, around: Surroundings) -> Optional[Tuple[str, bool]]:
    """What is wrong with it, and whether that is forbidden."""
    executable = bool(section.flags & numbers.EXECUTE)
    if executable and section.flags & numbers.WRITE:
        return "that is both code and data: code is not to be written", True
    if section.name.startswith(".gnu.lto_"):
        return "for the linker's optimiser, in which one cannot see what it does", True
    if section.name == ".debug_gdb_scripts":
        return "that makes a debugger run a program", True
    if _OF_THE_LINKER.match(section.name) or section.type not in _USUAL_TYPES:
        return "that only the linker makes", True
    if section.name == ".note.GNU-stack" and executable:
        return "that makes the stack executable: use no pointers to nested functions", False
    if has_starts(section):
        return None  # what it lets run is judged
    if executable and not section.name.startswith(".text"):
        return "of code with a name of its own", False
    if section.name in around.sections or _USUAL.match(section.name):
        return None
    return "with a name of its own", False
