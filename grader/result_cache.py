"""Results by what they depend on: the same files, graded by the same kit and rubric, are not run twice."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
from pathlib import Path
from typing import Iterator, Optional

from grader.kit import LABS, Kit
from grader.model import Result, Status, from_json, to_json
from grader.rubric import Rubric
from grader.score_file import replace_file

# What of the kit has a say in a result.
_OF_THE_KIT = ("milestones", "solutions", "reference", "tests", "grader", "CMakeLists.txt")
_LEFT_OUT = ("__pycache__",)


class ResultCache:
    def __init__(self, folder: Path, conditions: str) -> None:
        """`folder` exists. `conditions`: of everything but the submission, see conditions_of."""
        self._folder = folder
        self._conditions = conditions

    def key(self, tree: Path) -> str:
        """Of the files that were taken from a submission."""
        digest = hashlib.sha256(self._conditions.encode())
        for path in (tree / path for lab in LABS for path in lab.paths):
            content = path.read_bytes() if path.is_file() else b""  # of an optional lab
            digest.update(hashlib.sha256(content).digest())
        return digest.hexdigest()[:32]

    def find(self, key: str) -> Optional[Result]:
        try:
            return from_json(json.loads(self._path(key).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # not there, or of another version of the kit

    def keep(self, key: str, result: Result) -> None:
        """Only what is final: a failure of the machine is tried again."""
        if all(test.status != Status.ERROR for test in result.all_tests):
            text = json.dumps(to_json(result), ensure_ascii=False)
            replace_file(self._path(key), text.encode("utf-8", "replace"))

    @contextlib.contextmanager
    def alone_with(self, key: str) -> Iterator[None]:
        """Who comes second with the same files waits, and then finds the result."""
        with open(self._path(key).with_suffix(".lock"), "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def conditions_of(kit: Kit, rubric: Rubric, more: str) -> str:
    """A digest of the kit and of what the rubric says about a result; not of lateness, which is none
    of the submission's files. `more`: the compiler, whether there is a sandbox."""
    digest = hashlib.sha256(more.encode())
    said = {**dataclasses.asdict(rubric), "late": None}
    digest.update(repr(sorted(said.items())).encode())
    for name in _OF_THE_KIT:
        top = kit.root / name
        for path in [top, *sorted(top.rglob("*"))]:
            if path.is_file() and not any(part in _LEFT_OUT for part in path.parts):
                digest.update(str(path.relative_to(kit.root)).encode("utf-8", "surrogateescape"))
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
