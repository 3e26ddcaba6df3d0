"""The functions that a header of a milestone declares."""

from __future__ import annotations

import re
from pathlib import Path
from typing import FrozenSet

_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_FOR_CPP = re.compile(r"^#ifdef __cplusplus\n.*?^#endif\n", re.DOTALL | re.MULTILINE)
_DIRECTIVES = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
_BRACES = re.compile(r"\{[^{}]*\}")
_DECLARATION = re.compile(r"(\w+)\s*\([^;]*\)\s*;")


def declared_functions(folder: Path) -> FrozenSet[str]:
    """Those of all headers in the folder that are defined elsewhere."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.h"))]
    return frozenset().union(*(_declared(text) for text in texts))


def _declared(text: str) -> FrozenSet[str]:
    for pattern in (_COMMENTS, _FOR_CPP, _DIRECTIVES):
        text = pattern.sub(" ", text)
    while _BRACES.search(text):  # structs, and bodies of functions
        text = _BRACES.sub(" ", text)
    return frozenset(
        found[1]
        for statement in re.findall(r"[^;]*;", text)
        for found in [_DECLARATION.search(statement)]
        if found and not re.search(r"\b(static|typedef)\b", statement)
    )
