"""A source file as compilers here expect it, whatever an editor elsewhere made of it."""

from __future__ import annotations

import codecs
from typing import List, Tuple

# UTF-32 first: its mark begins with that of UTF-16.
_WIDE = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def plain_text(content: bytes) -> Tuple[bytes, List[str]]:
    """Without byte order mark, lines ended by LF; and what was done. UnicodeError if it is no text.

    Other encodings are left as they are: only comments and strings can have such characters.
    """
    done: List[str] = []
    for mark, encoding in _WIDE:
        if content.startswith(mark):
            content = content.decode(encoding).encode("utf-8")
            done.append(f"{encoding} made UTF-8")
            break
    if content.startswith(codecs.BOM_UTF8):
        content = content[len(codecs.BOM_UTF8) :]
        done.append("byte order mark removed")
    if b"\r\n" in content:
        content = content.replace(b"\r\n", b"\n")
        done.append("line ends CRLF made LF")
    elif b"\r" in content and b"\n" not in content:
        content = content.replace(b"\r", b"\n")
        done.append("line ends CR made LF")
    return content, done


def same_text(one: bytes, other: bytes) -> bool:
    """Whether they differ at most in what an editor does by itself."""
    try:
        return one == other or plain_text(one)[0] == plain_text(other)[0]
    except UnicodeError:
        return False
