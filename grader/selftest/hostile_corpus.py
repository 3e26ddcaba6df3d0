"""tests/hostile/: submissions that cheat, do harm or break what grades them, and what must become of each.

manifest.txt has one a line:

    milestone  name  statuses  findings ...

The statuses are what its milestone's tests may end with if they are run although something forbidden was
found; `passed` among them says that it then gets points that it has not earned. The findings are what must
be told of the file: forbidden:fork if that is to be refused, told:sleep if the instructor is to know of it.
If any is forbidden, no test may run. The code is in m1/NAME.c, whose first comment says what it tries. A line in it stands for a file of the kit:

    /* (the stub) */       what students begin with: nothing of it has earned a point
    /* (the reference) */  what earns all
    /* (a listener) */     pieces/a_listener.c, and so on: what several of them do

Without such a line, the code is all that is handed in. @KIT@ and @CLASS@ become the folders of the kit and
of all submissions.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Dict, FrozenSet, List, Tuple

from grader.exit_codes import KitFailed
from grader.kit import MILESTONES, Kit, Milestone
from grader.model import Status

# What every one of them that can write anywhere names its files.
MARK = "lab-hostile-was-here"

_BASE = re.compile(r"^/\* \(the (stub|reference)\) \*/\n", re.MULTILINE)

_PIECE = re.compile(r"^/\* \((?!the )([a-z ]+)\) \*/\n", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Hostile:
    milestone: Milestone
    name: str
    statuses: FrozenSet[Status]
    findings: Tuple[Tuple[str, str], ...]  # kind, and with what its detail begins
    code: Path

    @property
    def is_refused(self) -> bool:
        return any(kind == "forbidden" for kind, _ in self.findings)

    @property
    def base(self) -> str:
        """stub or reference; empty if there is neither in it."""
        found = _BASE.search(self.code.read_text(encoding="utf-8"))
        return found[1] if found else ""

    def write(self, kit: Kit, folder: Path) -> None:
        """Makes the submission `folder`, below that of the class."""
        trees = {"stub": kit.milestones, "reference": kit.solutions}
        text = _PIECE.sub(self._piece, self.code.read_text(encoding="utf-8"))
        for word, path in (("@KIT@", kit.root), ("@CLASS@", folder.parent)):
            text = text.replace(word, str(path))
        if self.base:
            whole = (trees[self.base] / self.milestone.path).read_text(encoding="utf-8")
            text = _BASE.sub(lambda _: whole, text)
        file = folder / self.milestone.path
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")

    def _piece(self, named: "re.Match[str]") -> str:
        name = named[1].replace(" ", "_")
        return (self.code.parents[1] / "pieces" / f"{name}.c").read_text(encoding="utf-8")


def read_corpus(folder: Path) -> List[Hostile]:
    milestones = {milestone.id: milestone for milestone in MILESTONES}
    corpus: Dict[str, Hostile] = {}
    for number, line in enumerate((folder / "manifest.txt").read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            id, name, statuses, *findings = line.split()
            code = folder / id / f"{name}.c"
            pairs = tuple((kind, what) for kind, _, what in (f.partition(":") for f in findings))
            known = frozenset(map(Status, statuses.split(",")))
            one = Hostile(milestones[id], name, known, pairs, code)
        except (ValueError, KeyError) as error:
            raise KitFailed(f"{folder}/manifest.txt:{number}: {error}") from error
        if name in corpus or not code.is_file():
            raise KitFailed(f"{folder}/manifest.txt:{number}: there twice, or there is no {code}")
        corpus[name] = one
    unlisted = sorted(p for p in folder.glob("m*/*.c") if p.stem not in corpus)
    if unlisted:
        raise KitFailed(f"not in the manifest: {', '.join(map(str, unlisted))}")
    return list(corpus.values())
