"""C as a student may have written it, reduced to the tokens that stay when a copy is disguised.

White space, comments and #include lines are gone; a name is just a name, and a literal is its kind.
That goes for the names of the lab's interface and the C library, too: kept as themselves they set
right solutions no further apart from copies, measured on this lab, and one `#define release free`
would hide every call. Whatever the file is (broken, binary, hostile), the time it takes is in
proportion to its length.
"""

from __future__ import annotations

import dataclasses
import re
import zlib
from typing import List, Sequence

WIDTH = 2  # bytes of a token in Tokens.codes

_TOKEN = re.compile(
    rb"""
    (?P<newline> \n )
  | (?P<blank>   ^[ \t]*\#[ \t]*include\b[^\n]* | [ \t\r\f\v]+ | \\\r?\n
               | /\*[\s\S]*?(?:\*/|\Z) | //[^\\\n]*(?:\\[\s\S][^\\\n]*){0,1000} )
  | (?P<string>  (?:u8|[uUL])? "[^"\\\n]*(?:\\[\s\S][^"\\\n]*){0,1000}"? )
  | (?P<number>  \.?[0-9][\w.]*(?:(?<=[eEpP])[+-][\w.]*)?
               | [uUL]?'[^'\\\n]*(?:\\[\s\S][^'\\\n]*){0,9}'? )
  | (?P<name>    [A-Za-z_\x80-\xff][\w\x80-\xff]* )
  | (?P<sign>    <<=|>>=|\.\.\.|->|\+\+|--|<<|>>|&&|\|\||\#\#|[-+*/%&|^<>=!]=|[\s\S] )
    """,
    re.VERBOSE | re.MULTILINE,
)

_KEYWORDS = frozenset(
    b"auto bool break case char const continue default do double else enum extern float for goto "
    b"if inline int long register restrict return short signed sizeof static struct switch typedef "
    b"union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Generic _Noreturn "
    b"_Static_assert _Thread_local".split()
)


@dataclasses.dataclass(frozen=True)
class Tokens:
    codes: bytes  # WIDTH bytes a token
    lines: Sequence[int]  # the line of each token, from 1

    def __len__(self) -> int:
        return len(self.lines)


def code_of(text: bytes) -> bytes:
    """A keyword, an operator, or a kind: b"name", b"number", b"string"."""
    return (zlib.crc32(text) & 0xFFFF).to_bytes(WIDTH, "big")


def tokenize(source: bytes) -> Tokens:
    texts: List[bytes] = []
    lines: List[int] = []
    line = 1
    for match in _TOKEN.finditer(source[3:] if source.startswith(b"\xef\xbb\xbf") else source):
        kind = match.lastgroup
        text = match.group()
        if kind == "newline":
            line += 1
            continue
        if kind != "blank":
            lines.append(line)
            as_itself = kind == "sign" or text in _KEYWORDS
            texts.append(text if as_itself or kind is None else kind.encode())
        if kind in ("blank", "string", "number"):
            line += text.count(b"\n")
    codes = {text: code_of(text) for text in set(texts)}
    return Tokens(b"".join([codes[text] for text in texts]), lines)
