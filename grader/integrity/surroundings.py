"""What a milestone's object file is linked with, and so must not meddle with: the tests, the
sanitizers, the C library, the other milestones."""

from __future__ import annotations

import collections
import dataclasses
import functools
import re
import subprocess
from pathlib import Path
from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

from grader.exit_codes import KitFailed
from grader.integrity.declared import declared_functions
from grader.integrity.elf import BadFile, Elf, archive_members
from grader.integrity.started import runs_by_itself
from grader.kit import LABS
from grader.stage import Command, Stage

# What every program is linked with, as the compilers know it. Not all are there everywhere.
_C_LIBRARY = ("libc.so.6", "libm.so.6")
_SANITIZERS = (
    "libasan.so", "libubsan.so", "libclang_rt.asan-x86_64.a", "libclang_rt.asan-aarch64.a",
)  # fmt: skip

Names = FrozenSet[str]


@dataclasses.dataclass(frozen=True)
class Surroundings:
    public: Dict[str, Names]  # by milestone: the functions that its headers declare
    tests: Dict[str, Names]  # by milestone: what the rest of its programs defines
    library: Names  # what libraries of the system define
    used: Names  # of that, what everybody but the submission calls, or puts in its place
    started: Names  # forms of what the compiler lets run by itself, once in a file
    sections: Names  # of the kit's own object files

    def usable(self, milestone: str) -> Names:
        """Public functions of this milestone and those below."""
        [below] = [lab.below for lab in LABS if lab.id == milestone]
        return frozenset(name for id in (*below, milestone) for name in self.public[id])

    def owner(self, name: str) -> Optional[str]:
        """The milestone whose public function this is."""
        return next((id for id, names in self.public.items() if name in names), None)


def surroundings_of(stage: Stage) -> Surroundings:
    """Looked for once in a stage."""
    return _Looking(
        stage.headers,
        stage.parts,
        stage.compiler_command,
        tuple(stage.linking.items()),
        tuple(stage.archiving.items()),
        tuple((target, tuple(stage.needs(target))) for target in stage.linking),
    ).result()


@dataclasses.dataclass(frozen=True)
class _Looking:
    headers: Path
    parts: Path
    compiler: str
    linking: Tuple[Tuple[str, Command], ...]
    archiving: Tuple[Tuple[str, Command], ...]
    needs: Tuple[Tuple[str, Tuple[str, ...]], ...]

    @functools.lru_cache(maxsize=4)
    def result(self) -> Surroundings:
        try:
            return self._result()
        except (BadFile, OSError) as error:
            raise KitFailed(f"the kit's own object files cannot be inspected: {error}") from error

    def _result(self) -> Surroundings:
        needs = dict(self.needs)
        given = [word for _, words in self.archiving for word in words]
        tests: Dict[str, List[str]] = {id: [] for id, _ in self.archiving}
        for target, command in self.linking:
            names = self._defined((*command, *given))
            for milestone in needs[target]:
                tests[milestone] += names
        parts = [elf for path in self._parts() for elf in _elfs(path)]
        standard = [elf for name in _C_LIBRARY for elf in self._found(name)]
        others = [elf for name in _SANITIZERS for elf in self._found(name)]
        others += [elf for path in self._named() for elf in _elfs(path)]
        return Surroundings(
            public={lab.id: declared_functions(self.headers / lab.folder) for lab in LABS},
            tests={id: frozenset(names) for id, names in tests.items()},
            library=_exported([*standard, *others]),
            used=_imported([*parts, *standard, *others]) | _exported(others) | self._wrapped(),
            started=_usually_started(parts),
            sections=frozenset(section.name for elf in parts for section in elf.sections),
        )

    def _defined(self, command: Sequence[str]) -> Names:
        """By what is linked statically."""
        return _exported(
            [elf for word in command if _is_static(word) for elf in _elfs(self.parts / word)]
        )

    def _wrapped(self) -> Names:
        """What the tests listen to."""
        option = "-Wl,--wrap="
        words = (word for _, command in self.linking for word in command)
        return frozenset(word[len(option) :] for word in words if word.startswith(option))

    def _parts(self) -> List[Path]:
        """What is compiled with the same flags as a submission."""
        words = {word for _, command in (*self.linking, *self.archiving) for word in command}
        return [self.parts / w for w in sorted(words) if _is_static(w) and not w.startswith("/")]

    def _named(self) -> List[Path]:
        """Libraries of the system that a command names."""
        words = {word for _, command in self.linking for word in command if word.startswith("/")}
        return [Path(w) for w in sorted(words) if re.search(r"\.(a|so)(\.\d+)*$", w)]

    def _found(self, name: str) -> Sequence[Elf]:
        """A library as the compiler finds it."""
        asked = [self.compiler, f"-print-file-name={name}"]
        told = subprocess.run(asked, stdout=subprocess.PIPE, timeout=60, check=False).stdout
        path = Path(told.decode("utf-8", "replace").strip())
        return _elfs(path) if path.is_file() else ()


def _is_static(word: str) -> bool:
    """A file of objects; not a submission's library, of which nothing is there yet."""
    return word.endswith((".o", ".a")) and not word.startswith("libsubmission-")


@functools.lru_cache(maxsize=None)
def _elfs(path: Path) -> Tuple[Elf, ...]:
    data = path.read_bytes()
    if path.suffix == ".a":
        return tuple(Elf(member) for member in archive_members(data))
    return (Elf(data),)


def _exported(elfs: Sequence[Elf]) -> Names:
    """What C gives a name to: not what the compiler defines besides a variable."""
    names = (symbol.name for elf in elfs for symbol in elf.symbols if symbol.exported)
    return frozenset(name for name in names if not name.startswith("__odr_asan"))


def _imported(elfs: Sequence[Elf]) -> Names:
    return frozenset(s.name for elf in elfs for s in elf.symbols if s.imported)


def _usually_started(elfs: Sequence[Elf]) -> Names:
    """What more than one object file has, and so the compiler has made."""
    forms = ({start.form for start in runs_by_itself(elf)} for elf in elfs)
    counts = collections.Counter(form for of_one in forms for form in of_one)
    return frozenset(form for form, count in counts.items() if count > 1)
