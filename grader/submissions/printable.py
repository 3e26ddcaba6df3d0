"""Words of strangers, made safe to show: no escapes, no control characters, no endless lines."""

from __future__ import annotations

from grader.exit_codes import WrongUse
from grader.model import Finding

NAME_LIMIT = 200  # characters shown of a name
TEXT_LIMIT = 500  # characters shown of a sentence


class SubmissionError(WrongUse):
    """This cannot be graded, and why."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message, TEXT_LIMIT))


def finding(kind: str, where: str, detail: str) -> Finding:
    return Finding(kind, printable(where, NAME_LIMIT), printable(detail, TEXT_LIMIT))


def printable(text: str, limit: int = NAME_LIMIT) -> str:
    """At most `limit` characters. What could move a cursor or turn a line round is spelled out."""
    return _cut("".join(map(_spelled, _cut(text, limit))), limit)


def _spelled(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    kept = (limit - len(" ... ")) // 2
    return f"{text[:kept]} ... {text[-kept:]}"
