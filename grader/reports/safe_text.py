"""What a submission wrote, made harmless for whoever reads it: no escape sequences, no letters that
turn the line round, nothing that XML cannot carry, and never too much of it.

What is special in one format only (`<` in HTML, `=` in a spreadsheet) is escaped by its writer.
"""

from __future__ import annotations

import re

TEXT_LIMIT = 16_000  # characters of a message or a hint
LINE_LIMIT = 300  # characters of a name, a title, a step

# Colours and the like: CSI ... letter, OSC ... BEL, and the short ones.
_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
)
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of what follows
    "\u2028\u2029"  # line ends that are none for a reader
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"  # no characters at all
)


def safe_text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Several lines. What is too long loses its middle."""
    text = _ESCAPE_SEQUENCE.sub("", _cut(text, 2 * limit))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _cut(_UNREADABLE.sub(lambda match: _visible(match[0]), text), limit)


def safe_line(text: str) -> str:
    return " ".join(safe_text(text, LINE_LIMIT).split())


def _visible(letter: str) -> str:
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} ... ({len(text) - 2 * half} characters) ... {text[-half:]}"
