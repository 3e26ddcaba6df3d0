"""The promises, and the tests and programs that show each of them: promises.toml."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import List, Sequence

import tomli

PROMISES = Path(__file__).parent / "promises.toml"


@dataclasses.dataclass(frozen=True)
class Promise:
    id: str
    says: str
    c: Sequence[str] = ()
    programs: Sequence[str] = ()
    cpp: Sequence[str] = ()

    @property
    def tests(self) -> List[str]:
        """All that has to pass."""
        return [*self.c, *(program_test(name) for name in self.programs), *self.cpp]


def program_test(program: str) -> str:
    """The test that runs a C++ program."""
    return f"x3.program_{program}"


def read_promises(path: Path = PROMISES) -> List[Promise]:
    """TypeError, if a promise has a field that there is none of, or has not what it needs."""
    return [Promise(**entry) for entry in tomli.loads(path.read_text(encoding="utf-8"))["promise"]]
