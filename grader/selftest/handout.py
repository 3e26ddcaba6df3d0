"""What students get works for them, and tells them nothing of the solution."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Iterator, List

from grader.handout.check import check_it_works
from grader.handout.make import HandoutRequest, make_handout
from grader.kit import MILESTONES
from grader.processes import Ended
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

_NOBODY = 65534
_BARE = ["PATH=/usr/bin:/bin", "TERM=dumb"]


def check_handout(workshop: Workshop, tester: Tester) -> None:
    """The handout passes its own checks, and its commands work where nobody has seen the kit."""
    with _open_folder() as folder:
        plain, compiled = folder / "plain", folder / "compiled"
        with tester.check("./lab handout: all not-implemented, no line of the solution"):
            workshop.lab("handout", "--out", str(plain), "--zip", seconds=1800)
            names = _names(folder / "plain.zip")
            require(names == _files(plain), f"the zip differs: {sorted(names ^ _files(plain))}")
        with tester.check("again: the same bytes"):
            first = (folder / "plain.zip").read_bytes()
            make_handout(HandoutRequest(workshop.kit, plain, zip=True), check_works=_no_check)
            require((folder / "plain.zip").read_bytes() == first, "the zips differ")
        with tester.check("with reference objects: all not-implemented on those, too"):
            request = HandoutRequest(workshop.kit, compiled, reference_objects=True)
            make_handout(request, check_works=check_it_works)
        _check_as_student(workshop, tester, folder, plain, compiled)


def _check_as_student(
    workshop: Workshop, tester: Tester, folder: Path, plain: Path, compiled: Path
) -> None:
    who = "an ordinary user" if os.getuid() == 0 else "this user"
    with tester.check(f"in a bare environment, as {who}: ./lab doctor"):
        _give_away(plain, compiled)
        _lab(workshop, plain, "doctor")
    with tester.check("./lab test m1: all to do"):
        said = _lab(workshop, plain, "test", "m1", expect=1).output
        require(re.search(r"^0 passed, [1-9]\d* failed$", said, re.MULTILINE) is not None, said)
    with tester.check("./lab submit: nothing to hand in"):
        said = _lab(workshop, plain, "submit", expect=2).output
        require("nothing to hand in" in said, said)
    with tester.check("with task.c written: ./lab test m1 passes, ./lab submit gives its points"):
        _write_solution(workshop, plain, "m1")
        _lab(workshop, plain, "test", "m1")
        said = _lab(workshop, plain, "submit").output
        require("15 of 100 points" in said, said)
        require(_names(plain / "lab-submission.zip") == {m.path for m in MILESTONES}, said)
    with tester.check("a file that does not compile costs its own milestone"):
        (plain / "milestones/m3-sleep/timers.c").write_text("int x\n", encoding="utf-8")
        said = _lab(workshop, plain, "submit").output
        require("15 of 100 points" in said and "does not compile: m3-sleep/timers.c" in said, said)
    with tester.check("reference objects, m2 written alone: ./lab test m2 passes on those"):
        _write_solution(workshop, compiled, "m2")
        _lab(workshop, compiled, "test", "m2")
    with tester.check("--base own: m2 meets the stub of m1"):
        _lab(workshop, compiled, "test", "m2", "--base", "own", expect=1)
    with tester.check("another build than the one that the objects are for is refused clearly"):
        command = ["cmake", "--preset", "tsan", "-S", str(compiled), "-B", str(folder / "tsan")]
        ended = workshop.run(command, seconds=120, expect=1)
        require("are for: " in ended.output and "LAB_BASE=own" in ended.output, ended.output)


@contextlib.contextmanager
def _open_folder() -> Iterator[Path]:
    """Which another user can enter, too."""
    with tempfile.TemporaryDirectory(prefix="lab-handout-test-") as folder:
        os.chmod(folder, 0o755)
        home = Path(folder) / "home"
        home.mkdir()
        home.chmod(0o777)
        yield Path(folder)


def _no_check(folder: Path) -> None:
    """The same files have been built already."""


def _names(archive: Path) -> "set[str]":
    """Without the zip's one folder, if it has one."""
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
    first = {name.split("/")[0] for name in names}
    return {name.split("/", 1)[1] for name in names} if len(first) == 1 else set(names)


def _files(folder: Path) -> "set[str]":
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def _give_away(*folders: Path) -> None:
    if os.getuid() == 0:
        for folder in folders:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, _NOBODY, _NOBODY)


def _write_solution(workshop: Workshop, folder: Path, id: str) -> None:
    [path] = [milestone.path for milestone in MILESTONES if milestone.id == id]
    shutil.copyfile(workshop.kit.solutions / path, folder / "milestones" / path)


def _lab(workshop: Workshop, folder: Path, *arguments: str, expect: int = 0) -> Ended:
    who: List[str] = []
    if os.getuid() == 0:
        who = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
    bare = ["env", "-i", "-C", str(folder), *_BARE, f"HOME={folder.parent / 'home'}"]
    return workshop.run([*who, *bare, "./lab", *arguments], seconds=900, expect=expect)
