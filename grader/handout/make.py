"""`./lab handout`: makes what students get, checks it, and only then puts it in its place."""

from __future__ import annotations

import dataclasses
import shutil
import stat
import tempfile
import zipfile
from pathlib import Path
from typing import Callable, Dict, Optional, Set

from grader.exit_codes import KitFailed, WrongUse
from grader.fixed_zip import make_zip
from grader.handed_out import LIST_NAME, changes, list_of, read_list
from grader.handout.check import check_content, check_it_works
from grader.handout.manifest import MANIFEST, read_manifest
from grader.handout.reference import compile_reference
from grader.kit import Kit
from grader.score_file import check_writable, replace_file

ZIP_FOLDER = "coroutine-lab"  # in the zip: whatever the folder here is called


@dataclasses.dataclass(frozen=True)
class HandoutRequest:
    kit: Kit
    folder: Path
    zip: bool = False
    reference_objects: bool = False
    manifest: Path = MANIFEST

    @property
    def zip_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.zip")


def make_handout(
    request: HandoutRequest,
    on_phase: Callable[[str], None] = lambda phase: None,
    check_works: Callable[[Path], None] = check_it_works,
) -> None:
    """WrongUse or KitFailed if there will be none; what is in its place already then stays."""
    check_place(request)
    if not request.kit.solutions.is_dir():
        raise WrongUse("a handout is made from the instructor's kit: here are no solutions")
    with tempfile.TemporaryDirectory(
        prefix=f".{request.folder.name}-", dir=request.folder.parent
    ) as work:
        made = Path(work) / request.folder.name
        on_phase("Collecting")
        files, executable = _collect(request)
        if request.reference_objects:
            on_phase("Compiling the reference")
            files.update(compile_reference(request.kit, Path(work)))
        on_phase("Looking for what students must not see")
        check_content(request.kit, files)
        _write(made, files, executable)
        on_phase("Building it, and running its tests")
        check_works(made)
        shutil.rmtree(made / "build", ignore_errors=True)
        archive = _zip(made, executable) if request.zip else b""
        check_place(request)  # again: minutes have passed
        _put(made, request.folder, Path(work) / "older")
    if request.zip:
        replace_file(request.zip_file, archive)


def check_place(request: HandoutRequest) -> None:
    """Nobody's work is overwritten: an older handout only if nobody has worked in it."""
    folder = request.folder
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise WrongUse(f"{folder} is not a folder")
    check_writable(folder.parent / f"{folder.name}.new")
    if request.zip:
        check_writable(request.zip_file)
        if request.zip_file.exists() and not _is_handout_zip(request.zip_file):
            raise WrongUse(f"{request.zip_file} is there already, and is no handout")
    if not folder.exists() or not any(folder.iterdir()):
        return
    listed = read_list(folder)
    if listed is None:
        raise WrongUse(f"{folder} is neither empty nor an older handout")
    changed = changes(folder, listed)
    if changed:
        path, kind = changed[0]
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise WrongUse(f"{folder} is a handout that was worked in: {kind} {path}{more}")


def _is_handout_zip(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return f"{ZIP_FOLDER}/{LIST_NAME}" in archive.namelist()


def _collect(request: HandoutRequest) -> "tuple[Dict[str, bytes], Set[str]]":
    """The files' contents by name, and the names of the executable ones."""
    paths = read_manifest(request.kit.root, request.manifest)
    try:
        executable = {name for name, path in paths.items() if path.stat().st_mode & stat.S_IXUSR}
        return {name: path.read_bytes() for name, path in paths.items()}, executable
    except OSError as error:
        raise KitFailed(f"cannot read {error.filename}: {error.strerror}") from error


def _write(folder: Path, files: Dict[str, bytes], executable: Set[str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if name in executable else 0o644)
    list_file = folder / LIST_NAME
    list_file.write_text(list_of(folder), encoding="utf-8")
    list_file.chmod(0o644)
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)


def _zip(folder: Path, executable: Set[str]) -> bytes:
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return make_zip(
        (f"{ZIP_FOLDER}/{name}", (folder / name).read_bytes(), name in executable) for name in names
    )


def _put(made: Path, folder: Path, older: Path) -> None:
    moved: Optional[Path] = None
    if folder.exists():
        folder.rename(older)
        moved = older
    try:
        made.rename(folder)
    except OSError:
        if moved is not None:
            moved.rename(folder)
        raise
