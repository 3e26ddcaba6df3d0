"""Reads what symbols and sections an object file has, and what refers to what.

Object files of a submission may be made by hand, in assembly. So nothing here trusts a name, a
number or an order; what cannot be read is a BadFile.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Iterator, List, Optional

# The numbers of the ELF specification.
RELOCATABLE, SHARED = 1, 3
X86_64, AARCH64 = 62, 183
SYMBOL_TABLE, RELOCATIONS, NO_BITS, DYNAMIC_SYMBOLS, MORE_INDICES = 2, 4, 8, 11, 18
INIT_ARRAY, FINI_ARRAY, PREINIT_ARRAY = 14, 15, 16
VERSIONS, HIDDEN_VERSION = 0x6FFFFFFF, 0x8000
WRITE, ALLOC, EXECUTE = 1, 2, 4
LOCAL = 0
FUNCTION, SECTION, SOURCE_FILE, INDIRECT = 2, 3, 4, 10
UNDEFINED, MORE = 0, 0xFFFF

# More than a file has that a person wrote.
MOST_SYMBOLS = 20_000  # and sections
MOST_REFERENCES = 200_000


class BadFile(Exception):
    """This is no object file that a compiler makes of C."""


@dataclasses.dataclass(frozen=True)
class Section:
    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int


@dataclasses.dataclass(frozen=True)
class Symbol:
    name: str
    kind: int
    binding: int
    section: int  # its number; UNDEFINED, or above all numbers for absolute and common ones
    value: int
    size: int

    @property
    def imported(self) -> bool:
        return self.section == UNDEFINED and self.name != ""

    @property
    def exported(self) -> bool:
        return self.section != UNDEFINED and self.binding != LOCAL and self.kind != SECTION


@dataclasses.dataclass(frozen=True)
class Reference:
    """From a place in a section to a symbol."""

    section: int
    offset: int
    symbol: int
    addend: int


class Elf:
    def __init__(self, data: bytes) -> None:
        self._data = data
        try:
            self._read()
        except (struct.error, IndexError, ValueError) as error:
            raise BadFile("it cannot be read") from error

    def content(self, section: Section) -> bytes:
        return b"" if section.type == NO_BITS else self._bytes(section.offset, section.size)

    def references(self) -> Iterator[Reference]:
        """Those in what the program loads, not in debug information."""
        for table in self.sections:
            if table.type != RELOCATIONS or not self._loaded(table.info):
                continue
            for offset, info, addend in struct.iter_unpack("<QQq", self._table(table, 24)):
                if info >> 32 >= len(self.symbols):
                    raise BadFile("it refers to a symbol that is not there")
                yield Reference(table.info, offset, info >> 32, addend)

    def symbol_at(self, section: int, offset: int) -> Optional[Symbol]:
        """The function or variable in which this place is."""
        for symbol in self.symbols:
            if symbol.section == section and symbol.kind not in (SECTION, SOURCE_FILE):
                if symbol.value <= offset < symbol.value + max(symbol.size, 1):
                    return symbol
        return None

    def _read(self) -> None:
        if self._data[:6] != b"\x7fELF\x02\x01":
            raise BadFile("it is not made for a 64-bit little-endian machine")
        self.type, self.machine = struct.unpack_from("<HH", self._data, 16)
        (table,) = struct.unpack_from("<Q", self._data, 40)
        size, count, names = struct.unpack_from("<HHH", self._data, 58)
        if size != 64:
            raise BadFile("it has no sections")
        if count == 0 or names == MORE:  # then the first section has the true numbers
            first = struct.unpack_from("<IIQQQQIIQQ", self._data, table)
            count, names = count or first[5], first[6] if names == MORE else names
        if count > MOST_SYMBOLS:
            raise BadFile("it has too many sections")
        headers = list(struct.iter_unpack("<IIQQQQIIQQ", self._bytes(table, 64 * count)))
        strings = self._bytes(headers[names][4], headers[names][5])
        self.sections = [
            Section(_string(strings, h[0]), h[1], h[2], h[4], h[5], h[6], h[7]) for h in headers
        ]
        self.symbols = self._symbols(DYNAMIC_SYMBOLS if self.type == SHARED else SYMBOL_TABLE)

    def _symbols(self, type: int) -> List[Symbol]:
        tables = [section for section in self.sections if section.type == type]
        if len(tables) > 1:
            raise BadFile("it has more than one table of symbols")
        if not tables:
            return []
        strings = self.sections[tables[0].link]
        text = self._bytes(strings.offset, strings.size)
        places = self._indices()
        versions = self._versions()
        symbols = []
        if self.type == RELOCATABLE and tables[0].size > MOST_SYMBOLS * 24:
            raise BadFile("it has too many symbols")
        entries = struct.iter_unpack("<IBBHQQ", self._table(tables[0], 24))
        for number, (name, info, _, place, value, size) in enumerate(entries):
            if place == MORE:
                place = places[number]
            elif place > 0xFF00:  # absolute or common
                place += MOST_SYMBOLS
            if number >= len(versions) or not versions[number] & HIDDEN_VERSION:
                symbol = Symbol(_string(text, name), info & 15, info >> 4, place, value, size)
                symbols.append(symbol)
        return symbols

    def _indices(self) -> List[int]:
        """The sections of symbols in a file that has very many."""
        tables = [section for section in self.sections if section.type == MORE_INDICES]
        return [n for table in tables for (n,) in struct.iter_unpack("<I", self._table(table, 4))]

    def _versions(self) -> List[int]:
        """Of a shared library's symbols: those that programs are linked with no more are marked."""
        if self.type != SHARED:
            return []
        tables = [section for section in self.sections if section.type == VERSIONS]
        return [n for table in tables for (n,) in struct.iter_unpack("<H", self._table(table, 2))]

    def _loaded(self, section: int) -> bool:
        return section < len(self.sections) and bool(self.sections[section].flags & ALLOC)

    def _table(self, section: Section, entry: int) -> bytes:
        if section.size > MOST_REFERENCES * entry:
            raise BadFile("too much refers to its symbols")
        if section.size % entry != 0:
            raise BadFile("it cannot be read")
        return self._bytes(section.offset, section.size)

    def _bytes(self, offset: int, size: int) -> bytes:
        if offset + size > len(self._data):
            raise BadFile("it is cut off")
        return self._data[offset : offset + size]


def archive_members(data: bytes) -> Iterator[bytes]:
    """The object files in an archive (.a)."""
    if data[:8] != b"!<arch>\n":
        raise BadFile("it is no archive")
    at = 8
    while at + 60 <= len(data):
        name, size = data[at : at + 16], int(data[at + 48 : at + 58])
        if not name.startswith((b"/ ", b"// ", b"/SYM64/")):  # tables of its own
            yield data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def _string(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode("utf-8", "surrogateescape")
