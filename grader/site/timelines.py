"""Draws timelines from recordings: a .timeline file says of which program of the kit, and on what.

    program = "docs/examples/printers.c"
    along = "events"                        # or "time", which is to be virtual
    fault = "tests/mutants/m2/NAME.patch"   # the reference with this fault in it; without: as it is

All programs run on the reference's layers, built without sanitizers, for nobody looks for faults here.
"""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import tomli

from grader.build import BuildRequest
from grader.exit_codes import KitFailed, WrongUse
from grader.kit import Kit
from grader.mutants.patching import DoesNotApply, apply_patch
from grader.processes import clean_environment, run_program
from grader.site.pictures import figure
from grader.student_test import locked
from grader.terminal import make_console
from grader.timeline.record import built_program
from grader.timeline.recording import read_recording
from grader.site.still import EVENTS, TIME, still_picture
from grader.timeline.story import Story, tell

_FOLDER = "timelines"  # in the kit's build folder
_SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class _Described:
    program: str
    along: str
    fault: str


def drawn_timeline(kit: Kit, path: Path, caption: str) -> str:
    """HTML. KitFailed, with the file, if there is nothing to draw."""
    return figure(still_picture(recorded(kit, path), _read(path).along, caption), caption)


def recorded(kit: Kit, path: Path) -> Story:
    described = _read(path)
    try:
        story = _record(kit, described)
    except (KitFailed, WrongUse, DoesNotApply, OSError) as problem:
        raise KitFailed(f"{path.name}: {problem}") from problem
    if not story.coroutines or (described.along == TIME and not story.virtual):
        raise KitFailed(f"{path.name}: {described.program} has created no coroutine, or no virtual clock")
    return story


def _read(path: Path) -> _Described:
    try:
        found = tomli.loads(path.read_text(encoding="utf-8"))
        described = _Described(found.pop("program"), found.pop("along"), found.pop("fault", ""))
    except (tomli.TOMLDecodeError, KeyError) as problem:
        raise KitFailed(f"{path.name}: {problem}") from problem
    if found or described.along not in (EVENTS, TIME):
        raise KitFailed(f"{path.name}: it says program, along = {EVENTS} or {TIME}, and perhaps fault")
    return described


def _record(kit: Kit, described: _Described) -> Story:
    folder = kit.build_folder(_FOLDER)
    with locked(folder, make_console()):
        folder.mkdir(exist_ok=True)
        tree = _faulty_tree(kit, folder, described.fault) if described.fault else kit.solutions
        build = folder / f"build-{tree.name}"
        request = BuildRequest(kit.root, tree, build, "own", options=["-DLAB_SANITIZE="])
        program = built_program(request, kit.root / described.program)
        recording = build / "recording"
        recording.unlink(missing_ok=True)
        environment = clean_environment(LAB_TRACE=str(recording))
        ended = run_program([str(program)], seconds=_SECONDS, environment=environment)
        if ended.timed_out or ended.returncode != 0:
            raise KitFailed(f"{described.program} fails:\n{ended.output}")
        return tell(read_recording(recording), (kit.root,))


def _faulty_tree(kit: Kit, folder: Path, fault: str) -> Path:
    """A copy of the reference with the fault in it."""
    patch = (kit.root / fault).read_text(encoding="utf-8")
    tree = folder / Path(fault).stem
    shutil.copytree(kit.solutions, tree, dirs_exist_ok=True)
    [changed] = [line[len("--- a/") :] for line in patch.splitlines() if line.startswith("--- a/")]
    text = (kit.solutions / changed).read_text(encoding="utf-8")
    (tree / changed).write_text(apply_patch(patch, text), encoding="utf-8")
    return tree
