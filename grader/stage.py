"""The kit's part of what is graded, compiled once: tests, reference layers, and how to add a submission.

CMake alone knows the flags and what is linked with what. It builds the kit with the stubs in the place
of a submission, and says by which commands; the stage has those commands, and a copy of every file that
they need. So a submission costs a compilation for each of its files and seven links, wherever they come
from; an optional lab that was handed in, its files and one link more.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Dict, List, Sequence, Set, Tuple

from grader.build import BuildRequest, compiler_name, configure, run_ninja, targets_of
from grader.check_list import read_checks
from grader.exit_codes import KitFailed
from grader.kit import MILESTONES, Kit, Milestone
from grader.plan import PlannedTest
from grader.sandbox import Sandbox

SHOWN_AS = "/lab/submission"  # in debug information, so that reports are the same everywhere

Command = Tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Stage:
    headers: Path  # the milestones' folders
    parts: Path  # objects and libraries; commands are run from here
    compiling: Dict[str, Command]  # by a submission's path: the compiler and its flags, without files
    archiving: Dict[str, Command]  # by milestone: what its library has besides the student's object
    linking: Dict[str, Command]  # by target; submission's library `k` stands in it as library_name(k)
    compiler: str
    checks: Sequence[PlannedTest] = ()  # what tests/e2e will check

    def needs(self, target: str) -> List[str]:
        """The layers whose libraries of the submission are linked into it."""
        return [id for id in self.archiving if library_name(id) in self.linking[target]]

    @property
    def compiler_command(self) -> str:
        return self.compiling[MILESTONES[0].path][0]


def library_name(milestone: str) -> str:
    return f"libsubmission-{milestone}.a"


def make_stage(kit: Kit, base: str, sandbox: Sandbox, folder: Path) -> Stage:
    """Builds what is out of date, and copies it into `folder`, which exists."""
    kept = kit.build_folder(f"grading-on-{base}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with open(kept.parent / f"{kept.name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        request = BuildRequest(
            kit.root, kit.milestones, kept, base, options=(f"-DLAB_SUBMISSION_SHOWN={SHOWN_AS}",)
        )
        configure(request)
        run_ninja(request, ["build.ninja"])  # anew, if a CMakeLists.txt has changed since
        steps = _steps(request)
        copying = _Copying(kit, request, sandbox, folder)
        stage = copying.stage(steps)
        copying.make_and_copy()
        return dataclasses.replace(stage, checks=read_checks(kit))


def _steps(request: BuildRequest) -> Dict[str, str]:
    """The command of each file that ninja makes, by its path in the build folder."""
    return {
        step["output"]: step["command"].replace(": && ", "").replace(" && :", "")
        for step in json.loads(run_ninja(request, ["-t", "compdb"]))
    }


class _Copying:
    def __init__(self, kit: Kit, request: BuildRequest, sandbox: Sandbox, folder: Path) -> None:
        self._kit = kit
        self._request = request
        self._headers = folder / "headers"
        self._parts = folder / "parts"
        self._wanted: Set[str] = set()  # files, as the commands name them
        for path in (self._headers, self._parts):
            path.mkdir()
            sandbox.lend(path)

    def stage(self, steps: Dict[str, str]) -> Stage:
        self._copy_headers()
        labs = self._kit.labs
        return Stage(
            headers=self._headers,
            parts=self._parts,
            compiling={
                path: self._compiling(steps, lab, path) for lab in labs for path in lab.paths
            },
            archiving={lab.id: self._archiving(steps, lab) for lab in labs},
            linking={
                target: self._linking(_only(steps, rf"(^|/){target}$"))
                for target in targets_of(labs)
            },
            compiler=compiler_name(self._request.folder),
        )

    def make_and_copy(self) -> None:
        """Of the build only the files that the stage's commands name: what is in the place of the
        submission, which may be a student's work, is not compiled."""
        made = sorted(word for word in self._wanted if not Path(word).is_absolute())
        run_ninja(self._request, made)
        for word in self._wanted:
            copy = self._parts / self._in_parts(word)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._request.folder / word, copy)

    def _copy_headers(self) -> None:
        for milestone in self._kit.labs:
            (self._headers / milestone.folder).mkdir()
            for path in (self._kit.milestones / milestone.folder).glob("*.h"):
                shutil.copy(path, self._headers / milestone.folder)

    def _compiling(self, steps: Dict[str, str], lab: Milestone, path: str) -> Command:
        words = list(_only(steps, rf"submission-{lab.id}\.dir/.*{re.escape(path)}\.o$"))
        for option in ("-MT", "-MF", "-o", "-c"):
            at = words.index(option)
            del words[at : at + 2]
        words.remove("-MD")
        old, new = f"-I{self._kit.milestones}/", f"-I{self._headers}/"
        return tuple(word.replace(old, new) if word.startswith(old) else word for word in words)

    def _archiving(self, steps: Dict[str, str], lab: Milestone) -> Command:
        """The objects of what is given, such as clock.c."""
        written = tuple(f"{path}.o" for path in lab.paths)
        words = _only(steps, rf"/{re.escape(library_name(lab.id))}$")
        objects = {word for word in words if word.endswith(".o")}
        return tuple(self._copied(w) for w in sorted(objects) if not w.endswith(written))

    def _linking(self, words: Sequence[str]) -> Command:
        at = words.index("-o")
        return tuple(self._in_stage(word) for word in (*words[:at], *words[at + 2 :]))

    def _in_stage(self, word: str) -> str:
        name = Path(word).name
        if re.fullmatch(r"libsubmission-[mx]\d\.a", name):
            return name
        if not name.endswith((".o", ".a")) or word.startswith("-"):
            return word
        path = self._request.folder / word  # an absolute path stays what it is
        if path.is_relative_to(self._request.folder) or path.is_relative_to(self._kit.root):
            return self._copied(word)
        return word  # the system's

    def _copied(self, word: str) -> str:
        """`word` names a file of the build; the result names its copy."""
        self._wanted.add(word)
        return str(self._in_parts(word))

    def _in_parts(self, word: str) -> Path:
        path = self._request.folder / word
        inside = path.is_relative_to(self._request.folder)
        return path.relative_to(self._request.folder if inside else self._kit.root)


def _only(steps: Dict[str, str], pattern: str) -> Command:
    found = [command for output, command in steps.items() if command and re.search(pattern, output)]
    if len(found) != 1:
        raise KitFailed(f"the build has {len(found)} steps like {pattern}, not one")
    return tuple(shlex.split(found[0]))
