"""Instructions that call the kernel past the C library."""

from __future__ import annotations

import re
from typing import Iterator, Set, Tuple

from grader.integrity import elf as numbers
from grader.integrity.elf import Elf, Section
from grader.integrity.lines import SourceLines
from grader.integrity.suspects import Suspect

_REASON = "calls the kernel past the C library: call the function of the C library"
_HIDDEN = "looks like a system call inside another instruction: by chance, or to be jumped into"
_X86 = re.compile(rb"\x0f\x05|\x0f\x34|\xcd\x80")  # syscall, sysenter, int $0x80
_X86_NAMES = re.compile(r"\b(syscall|sysenter|int +\$0x80)\b")
_MOST = 20  # disassembled, in one file


def system_calls(elf: Elf, lines: SourceLines) -> Iterator[Suspect]:
    for number, section in enumerate(elf.sections):
        if section.flags & numbers.EXECUTE:
            if elf.machine == numbers.X86_64:
                yield from _on_x86(elf, number, section, lines)
            elif elf.machine == numbers.AARCH64:
                yield from _on_arm(elf, number, section)


def _on_x86(elf: Elf, number: int, section: Section, lines: SourceLines) -> Iterator[Suspect]:
    """The two bytes of one may be part of a longer instruction, so that is looked at."""
    found = [match.start() for match in _X86.finditer(elf.content(section))]
    seen: Set[str] = set()
    for offset in found[:_MOST]:
        name = _instruction(elf, number, section, offset, lines)
        what, reason = (name, _REASON) if name else ("system call", _HIDDEN)
        if what not in seen:
            seen.add(what)
            yield Suspect(what, reason, bool(name), ((number, offset),))
    if found[_MOST:]:
        more = f"{len(found)} of them: {_REASON}"
        yield Suspect("system calls", more, True, ((number, found[0]),))


def _instruction(elf: Elf, number: int, section: Section, offset: int, lines: SourceLines) -> str:
    """"syscall", if an instruction of that name covers this place."""
    function = elf.symbol_at(number, offset)
    begin = function.value if function else 0
    text = lines.disassembly(section.name, begin, offset + 16)
    for at, size, words in _instructions(text):
        if at <= offset < at + size:
            name = _X86_NAMES.search(words)
            return " ".join(name[1].split()) if name else ""
    return ""


def _instructions(text: str) -> Iterator[Tuple[int, int, str]]:
    for at, code, words in re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(.*)$", text, re.M):
        yield int(at, 16), len(code.split()), words


def _on_arm(elf: Elf, number: int, section: Section) -> Iterator[Suspect]:
    """svc: all instructions have four bytes."""
    code = elf.content(section)
    for offset in range(0, len(code) - 3, 4):
        if int.from_bytes(code[offset : offset + 4], "little") & 0xFFE0001F == 0xD4000001:
            yield Suspect("svc", _REASON, True, ((number, offset),))
            return
