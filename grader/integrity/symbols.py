"""Which function of the C library is for whom: symbols.toml, read and asked."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import re
from pathlib import Path
from typing import Any, FrozenSet, Iterator, List, Mapping, Optional, Pattern

import tomli

from grader.kit import LABS

SYMBOLS = Path(__file__).with_name("symbols.toml")

# What the C library and the compiler put before and after a name: __read_chk, open64, ...
_PREFIXES = re.compile(r"__isoc\d\d_|__libc_|_IO_|___?|_")


@dataclasses.dataclass(frozen=True)
class Group:
    names: FrozenSet[str]
    patterns: Pattern[str]
    allowed: FrozenSet[str]  # milestones and optional labs
    forbidden: FrozenSet[str]
    definable: bool
    reason: str

    def has(self, name: str) -> bool:
        return name in self.names or self.patterns.match(name) is not None


@functools.lru_cache(maxsize=None)
def group_of(name: str) -> Optional[Group]:
    """The one that decides about this name; None: no milestone's list has it."""
    for spelling in _spellings(name):
        for group in groups():
            if group.has(spelling):
                return group
    return None


@functools.lru_cache(maxsize=None)
def groups() -> List[Group]:
    return [_group(data) for data in tomli.loads(SYMBOLS.read_text(encoding="utf-8"))["group"]]


def _group(data: Mapping[str, Any]) -> Group:
    words = data["names"].split()
    return Group(
        names=frozenset(word for word in words if not _is_pattern(word)),
        patterns=_any_of([word for word in words if _is_pattern(word)]),
        allowed=_milestones(data.get("allowed", "")),
        forbidden=_milestones(data.get("forbidden", "")),
        definable=data.get("defining") != "forbidden",
        reason=data["reason"],
    )


def _any_of(patterns: List[str]) -> Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or "(?!)")


def _is_pattern(word: str) -> bool:
    return re.search(r"[*?[]", word) is not None


def _milestones(words: str) -> FrozenSet[str]:
    return frozenset(m.id for m in LABS if words == "all" or m.id in words.split())


def _spellings(name: str) -> Iterator[str]:
    """The name; then what it is without what may have been added."""
    yield name
    bare = _PREFIXES.sub("", name, count=1) if _PREFIXES.match(name) else name
    for stem in dict.fromkeys((name, bare)):
        for end in ("_chk", "_nocancel", "_unlocked", "64_2", "_2", "64"):
            if stem.endswith(end):
                yield stem[: -len(end)]
    yield bare
