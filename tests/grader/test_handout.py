"""What goes into a handout, and what is refused. Building one: ./lab selftest handout."""

from __future__ import annotations

import hashlib
import os
import platform
import zipfile
from pathlib import Path
from typing import Dict, Optional

import pytest
from conftest import KIT_ROOT

from grader.compiled_reference import has_reference, why_none
from grader.exit_codes import KitFailed, WrongUse
from grader.handed_out import LIST_NAME, changes, read_list
from grader.handout.check import check_content, imported_modules
from grader.handout.make import HandoutRequest, make_handout
from grader.handout.manifest import read_manifest
from grader.kit import Kit

SOLUTION = "int task_resume(task *t)\n{\n    return t == NULL || task_done(t) ? -EINVAL : 0;\n}\n"


@pytest.fixture
def small_kit(kit: Kit) -> Kit:
    """With a solution, and a manifest of its own."""
    (kit.root / "solutions/m1-task").mkdir(parents=True)
    (kit.root / "solutions/m1-task/task.c").write_text(SOLUTION, encoding="utf-8")
    (kit.root / "lab").write_text("#!/bin/sh\n", encoding="utf-8")
    (kit.root / "lab").chmod(0o700)
    manifest = "lab\nREADME.md <- for_students.md\nmilestones/m*/*.[ch]\n"
    (kit.root / "manifest.txt").write_text(manifest, encoding="utf-8")
    (kit.root / "for_students.md").write_text("Read [a header](milestones/m1-task/given.h).\n")
    (kit.root / "notes.txt").write_text("not listed\n", encoding="utf-8")
    return kit


def request(kit: Kit, out: Path, zip: bool = False) -> HandoutRequest:
    return HandoutRequest(kit, out, zip, manifest=kit.root / "manifest.txt")


def make(kit: Kit, out: Path, zip: bool = False) -> None:
    make_handout(request(kit, out, zip), check_works=lambda folder: None)


def names(folder: Path) -> "set[str]":
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# ---- The manifest


def manifest(kit: Kit, text: str) -> Dict[str, Path]:
    (kit.root / "manifest.txt").write_text(text, encoding="utf-8")
    return read_manifest(kit.root, kit.root / "manifest.txt")


def test_globs_and_other_names(kit: Kit) -> None:
    for name in (".hidden.h", "given.h~", "#given.h#", "given.h.orig"):
        (kit.root / "milestones/m1-task" / name).write_text("", encoding="utf-8")
    found = manifest(kit, "# comment\n\nmilestones/m1-*/*.h\nTASK <- milestones/m1-task/task.c\n")
    assert list(found) == ["TASK", "milestones/m1-task/given.h"]
    assert found["TASK"] == kit.root / "milestones/m1-task/task.c"


@pytest.mark.parametrize(
    "line, message",
    [
        ("milestones/*.h", "manifest.txt:2: milestones/*.h matches nothing"),
        ("nothing.txt", "manifest.txt:2: nothing.txt is not a file of the kit"),
        ("milestones/m1-task", "milestones/m1-task is not a file of the kit"),
        ("milestones/m1-task/task.c", "milestones/m1-task/task.c is listed twice"),
        ("/etc/passwd", "without .. and **"),
        ("../kit/lab", "without .. and **"),
        ("milestones/**/*.c", "without .. and **"),
        ("x*.c <- milestones/m1-task/task.c", "needs its whole name"),
        ("link", "link is not a file of the kit"),
    ],
)
def test_a_line_that_is_not_right_is_refused(kit: Kit, line: str, message: str) -> None:
    os.symlink("/etc/passwd", kit.root / "link")
    with pytest.raises(KitFailed) as raised:
        manifest(kit, f"milestones/m1-task/*.c\n{line}\n")
    assert message in str(raised.value)


def test_the_kits_own_manifest() -> None:
    files = {name: path.read_bytes() for name, path in read_manifest(KIT_ROOT).items()}
    check_content(Kit(KIT_ROOT), files)
    folders = {"/".join(name.split("/")[:2]) for name in files}
    secret = {"tests/mutants", "tests/variants", "tests/grader", "tests/feedback", "tests/hostile"}
    assert not folders & secret and not any(name.startswith("solutions") for name in files)
    modules = ("grader/selftest/", "grader/mutants/", "grader/handout/")
    assert not any(name.startswith(modules) for name in files)


def test_every_module_in_it_is_used() -> None:
    """From grader.cli on, and from what the end-to-end checks import."""
    files = {name: path for name, path in read_manifest(KIT_ROOT).items() if name.endswith(".py")}
    reached = {"grader", "grader.__main__", "grader.cli"}
    waiting = [*reached, *(n[:-3].replace("/", ".") for n in files if n.startswith("tests/"))]
    while waiting:
        path = waiting.pop().replace(".", "/")
        path = f"{path}.py" if f"{path}.py" in files else f"{path}/__init__.py"
        text = files[path].read_text(encoding="utf-8") if path in files else ""
        imported = imported_modules(text)
        imported |= {name.rpartition(".")[0] for name in imported} - {""}
        waiting += imported - reached
        reached |= imported
    unused = {n for n in files if n.startswith("grader/")} - {
        f"{name.replace('.', '/')}{end}" for name in reached for end in (".py", "/__init__.py")
    }
    assert unused == set()


# ---- Making it


def test_what_is_listed_and_nothing_else(small_kit: Kit, tmp_path: Path) -> None:
    make(small_kit, tmp_path / "out")
    stubs = {f"milestones/{path}" for path in names(small_kit.milestones)}
    assert names(tmp_path / "out") == {"lab", "README.md", LIST_NAME, *stubs}
    paths = [tmp_path / "out", *(tmp_path / "out").iterdir()]
    modes = {path.name: path.stat().st_mode & 0o777 for path in paths}
    assert (modes["out"], modes["lab"], modes["README.md"]) == (0o755, 0o755, 0o644)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_same_bytes_again(small_kit: Kit, tmp_path: Path) -> None:
    make(small_kit, tmp_path / "first", zip=True)
    for path in small_kit.root.rglob("*"):
        os.utime(path, (1, 1))
    (small_kit.root / "lab").chmod(0o755)
    make(small_kit, tmp_path / "second", zip=True)
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        assert archive.namelist() == sorted(archive.namelist())
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert (modes["coroutine-lab/lab"], modes["coroutine-lab/README.md"]) == (0o100755, 0o100644)


def test_the_list_is_one_for_sha256sum(small_kit: Kit, tmp_path: Path) -> None:
    make(small_kit, tmp_path / "out")
    listed = read_list(tmp_path / "out") or {}
    assert listed["lab"] == hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    assert changes(tmp_path / "out", listed) == []
    (tmp_path / "out/lab").write_text("changed", encoding="utf-8")
    (tmp_path / "out/README.md").unlink()
    (tmp_path / "out/new").write_text("", encoding="utf-8")
    (tmp_path / "out/build").mkdir()
    (tmp_path / "out/build/new").write_text("", encoding="utf-8")
    expected = [("README.md", "removed"), ("lab", "changed"), ("new", "added")]
    assert changes(tmp_path / "out", listed) == expected


def test_an_older_handout_is_replaced(small_kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    make(small_kit, tmp_path / "out", zip=True)
    (small_kit.milestones / "m1-task/given.h").unlink()
    (small_kit.root / "for_students.md").write_text("newer\n", encoding="utf-8")
    make(small_kit, tmp_path / "out", zip=True)
    assert (tmp_path / "out/README.md").read_text(encoding="utf-8") == "newer\n"
    assert not (tmp_path / "out/milestones/m1-task/given.h").exists()


@pytest.mark.parametrize("name, message", [
    ("full", "full is neither empty nor an older handout"),
    ("lab", "lab is not a folder"),
    ("link", "link is not a folder"),
    ("nowhere/out", "there is no folder"),
    ("used", "used is a handout that was worked in: changed milestones/m1-task/task.c"),
    ("zipped", "zipped.zip is there already, and is no handout"),
])  # fmt: skip
def test_nobodys_files_are_overwritten(
    small_kit: Kit, tmp_path: Path, name: str, message: str
) -> None:
    place = tmp_path / "place"
    (place / "full").mkdir(parents=True)
    (place / "full/thesis.txt").write_text("mine", encoding="utf-8")
    (place / "lab").write_text("mine", encoding="utf-8")
    (place / "zipped.zip").write_text("mine", encoding="utf-8")
    os.symlink("full", place / "link")
    make(small_kit, place / "used")
    (place / "used/milestones/m1-task/task.c").write_text("mine", encoding="utf-8")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    with pytest.raises(WrongUse) as raised:
        make(small_kit, place / name, zip=True)
    assert message in str(raised.value)
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_never_half_made(small_kit: Kit, tmp_path: Path) -> None:
    """Whatever check fails, the older one stays, and nothing beside it."""
    place = tmp_path / "place"
    place.mkdir()
    make(small_kit, place / "out", zip=True)
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}

    def fail(folder: Path) -> None:
        assert (folder / "lab").exists() and folder.parent.parent == place
        raise KitFailed("does not build")

    (small_kit.root / "for_students.md").write_text("newer\n", encoding="utf-8")
    with pytest.raises(KitFailed, match="does not build"):
        make_handout(request(small_kit, place / "out", zip=True), check_works=fail)
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in place.iterdir()) == ["out", "out.zip"]


def test_what_comes_into_its_place_meanwhile_stays(small_kit: Kit, tmp_path: Path) -> None:
    def write_there(folder: Path) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out/thesis.txt").write_text("mine", encoding="utf-8")

    with pytest.raises(WrongUse, match="neither empty nor an older handout"):
        make_handout(request(small_kit, tmp_path / "out"), check_works=write_there)
    assert (tmp_path / "out/thesis.txt").read_text(encoding="utf-8") == "mine"


def test_what_the_check_has_built_is_not_in_it(small_kit: Kit, tmp_path: Path) -> None:
    def build_there(folder: Path) -> None:
        (folder / "build").mkdir()
        (folder / "build/program").write_text("", encoding="utf-8")

    make_handout(request(small_kit, tmp_path / "out", zip=True), check_works=build_there)
    assert not (tmp_path / "out/build").exists()
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert not any("build" in name for name in archive.namelist())


def test_a_handout_is_no_source_of_handouts(kit: Kit, tmp_path: Path) -> None:
    (kit.root / "manifest.txt").write_text("", encoding="utf-8")
    with pytest.raises(WrongUse, match="here are no solutions"):
        make(kit, tmp_path / "out")


# ---- Checks of the content


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("a.md", "[x](b.md)", "a link leads nowhere\n    a.md: b.md"),
        ("docs/a.md", "[x](../../b.md)", "a link leads nowhere\n    docs/a.md: ../b.md"),
        ("grader/a.py", "def f():\n    from grader.b import c\n", "grader/a.py imports grader.b"),
        ("grader/a.py", "from grader import b\n", "grader/a.py imports grader.b"),
        ("r/a.a", "{root}/m1/task.c", "a path of this machine is in a compiled file\n    r/a.a"),
    ],
)
def test_what_does_not_fit_together(small_kit: Kit, name: str, text: str, message: str) -> None:
    files = {name: text.format(root=small_kit.root).encode()}
    with pytest.raises(KitFailed) as raised:
        check_content(small_kit, files)
    assert message in str(raised.value)


def test_links_that_lead_somewhere(small_kit: Kit) -> None:
    page = b"[x](../docs/b.md#part) [y](https://example.org/c.md) [z](../docs/) [t](#here)"
    check_content(small_kit, {"docs/a.md": page, "docs/b.md": b""})


# ---- Compiled reference layers


@pytest.mark.parametrize(
    "built_for, fits, why",
    [
        (None, False, "has no reference solution"),
        (f"{platform.machine()} GNU address,undefined\n", True, ""),
        ("riscv64 GNU address,undefined\n", False, "layers for riscv64, and this machine is"),
    ],
)
def test_whether_a_copy_has_the_reference(
    kit: Kit, built_for: Optional[str], fits: bool, why: str
) -> None:
    if built_for is not None:
        (kit.root / "reference").mkdir()
        (kit.root / "reference/built-for.txt").write_text(built_for, encoding="utf-8")
    assert has_reference(kit.root) == fits
    assert fits or why in why_none(kit.root)
