"""Code that runs without being called: before main, after it, or while the program is loaded."""

from __future__ import annotations

import dataclasses
import re
from typing import Dict, Iterator, Optional

from grader.integrity.elf import (
    FINI_ARRAY,
    INDIRECT,
    INIT_ARRAY,
    PREINIT_ARRAY,
    SECTION,
    Elf,
    Reference,
    Section,
    Symbol,
)

_LIST = re.compile(r"\.((pre)?init_array|fini_array|ctors|dtors)(\.|$)")
_CODE = (".init", ".fini")


@dataclasses.dataclass(frozen=True)
class Start:
    name: str  # of the function; or of the section, if no function can be told
    section: int  # where that is
    offset: int
    list: str = ""  # the section in which a pointer to it stands

    @property
    def form(self) -> str:
        """The same for all files, where the compiler has made it: it numbers its functions."""
        return f"{self.list} {re.sub('[0-9]+', '0', self.name)}"


def has_starts(section: Section) -> bool:
    return (
        section.name in _CODE
        or section.type in (INIT_ARRAY, FINI_ARRAY, PREINIT_ARRAY)
        or _LIST.match(section.name) is not None
    )


def runs_by_itself(elf: Elf) -> Iterator[Start]:
    """What the compiler makes for AddressSanitizer is among it."""
    for symbol in elf.symbols:
        if symbol.kind == INDIRECT:
            yield Start(symbol.name, symbol.section, symbol.value)
    pointers: Dict[int, Dict[int, Reference]] = {}
    for number, section in enumerate(elf.sections):
        if section.name in _CODE:
            yield Start(section.name, number, 0)
        elif has_starts(section):
            pointers[number] = {}
    for reference in elf.references() if pointers else ():
        if reference.section in pointers:
            pointers[reference.section][reference.offset] = reference
    for number, targets in pointers.items():
        content = elf.content(elf.sections[number])
        for offset in range(0, len(content), 8):
            if offset in targets or any(content[offset : offset + 8]):  # else it is only room
                yield _start(elf, number, offset, targets.get(offset))


def _start(elf: Elf, section: int, offset: int, reference: Optional[Reference]) -> Start:
    function = None if reference is None else _target(elf, reference)
    name = elf.sections[section].name
    if function is None:
        return Start(name, section, offset, name)
    return Start(function.name, function.section, function.value, name)


def _target(elf: Elf, reference: Reference) -> Optional[Symbol]:
    symbol = elf.symbols[reference.symbol]
    if symbol.kind == SECTION:
        return elf.symbol_at(symbol.section, symbol.value + reference.addend)
    return symbol if reference.addend == 0 else None
