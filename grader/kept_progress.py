"""What is kept of a student's work between two runs: the last result of each test, and which hints
were shown. Only for `./lab status` and `./lab hint`: nothing is graded by it."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

from grader.kit import END_TO_END_POINTS, LABS, Kit
from grader.model import Status, TestResult
from grader.plan import PlannedTest
from grader.score_file import replace_file

_SCHEMA = "lab-progress/1"


@dataclasses.dataclass(frozen=True)
class KeptResult:
    status: Status
    points: float
    base: str  # whose lower layers it was tested on
    files: str  # a digest of the student's files that had a say in it


class KeptProgress:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    @property
    def path(self) -> Path:
        """In the kit; in the cache, as the builds are, if the kit is read-only."""
        if os.access(self._kit.root, os.W_OK):
            return self._kit.root / ".lab" / "progress.json"
        return self._kit.build_folder("progress.json")

    def results(self) -> Dict[str, KeptResult]:
        """By the tests' ids."""
        kept = {}
        for id, entry in self._read()["results"].items():
            with contextlib.suppress(KeyError, TypeError, ValueError):
                kept[id] = KeptResult(
                    status=Status(entry["status"]),
                    points=float(entry["points"]),
                    base=str(entry["base"]),
                    files=str(entry["files"]),
                )
        return kept

    def keep_results(
        self, results: Iterable[TestResult], base: str, digests: Dict[str, str]
    ) -> Optional[str]:
        """`digests`: from `digests_of`, of before the build. Returns why it was not kept."""

        def add(content: Dict[str, Any]) -> None:
            for result in results:
                if result.status != Status.ERROR:  # which is no verdict
                    group = PlannedTest(result.id, "", 0).group
                    kept = KeptResult(result.status, result.points, base, digests[group])
                    content["results"][result.id] = dataclasses.asdict(kept)

        return self._change(add)

    def hints_shown(self, id: str) -> int:
        shown = self._read()["hints"].get(id, 0)
        return shown if isinstance(shown, int) else 0

    def keep_hints_shown(self, id: str, count: int) -> Optional[str]:
        def add(content: Dict[str, Any]) -> None:
            content["hints"][id] = count

        return self._change(add)

    def _read(self) -> Dict[str, Any]:
        """An empty one in place of what cannot be read: it is worth no error."""
        empty: Dict[str, Any] = {"schema": _SCHEMA, "results": {}, "hints": {}}
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return empty
        if not isinstance(content, dict) or content.get("schema") != _SCHEMA:
            return empty
        if not all(isinstance(content.get(key), dict) for key in ("results", "hints")):
            return empty
        return content

    def _change(self, change: Callable[[Dict[str, Any]], None]) -> Optional[str]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked():
                content = self._read()
                change(content)
                replace_file(self.path, (json.dumps(content, indent=1) + "\n").encode())
        except OSError as error:
            return f"{self.path}: {error.strerror}"
        return None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Two at once would each keep only their own."""
        with open(self.path.with_suffix(".lock"), "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def digests_of(tree: Path, base: str) -> Dict[str, str]:
    """By group of tests ("m3", "m5.own"): of the files that have a say in its results."""
    groups = [lab.id for lab in LABS] + list(END_TO_END_POINTS)
    return {group: _digest(tree, _sources(group, base)) for group in groups}


def _sources(group: str, base: str) -> List[str]:
    [top] = [lab for lab in LABS if lab.id == group.partition(".")[0]]
    below = top.below if base == "own" or group == "m5.own" else ()
    return [path for lab in LABS if lab.id in (*below, top.id) for path in lab.paths]


def _digest(tree: Path, paths: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        try:
            content = (tree / path).read_bytes()
        except OSError:
            content = b""
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:32]
