"""A class to try a batch on: right ones, stubs, one fault each, hostile ones, and broken archives.

    python -m grader.selftest.sample_class FOLDER COUNT     makes the folder
"""

from __future__ import annotations

import random
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Callable, List, Tuple

from grader.kit import MILESTONES, Kit, find_kit
from grader.mutants.manifest import Mutant, read_catalogue
from grader.mutants.patching import apply_patch
from grader.selftest.hostile_corpus import Hostile, read_corpus

_SEED = 1

Maker = Callable[[Path], None]  # makes a submission at a path without ending


def make_class(kit: Kit, folder: Path, count: int) -> None:
    """Always the same one for a kit and count. A third have one fault, a third are hostile."""
    chance = random.Random(_SEED)
    counted = {milestone.id for milestone in MILESTONES}
    catalogue = read_catalogue(kit.root / "tests" / "mutants")
    mutants = [mutant for mutant in catalogue.mutants if mutant.milestone in counted]
    hostile = read_corpus(kit.root / "tests" / "hostile")
    third = count // 3
    makers = [
        *_archives(kit),
        *(_faulty(kit, mutant) for mutant in chance.sample(mutants, third)),
        *(_hostile(kit, one) for one in chance.sample(hostile, min(third, len(hostile)))),
    ]
    while len(makers) < count:
        makers.append(_copy(kit.solutions if len(makers) % 2 else kit.milestones))
    folder.mkdir(parents=True)
    for number, make in enumerate(chance.sample(makers, count), 1):
        make(folder / f"student-{number:03}")


def _copy(tree: Path) -> Maker:
    def make(path: Path) -> None:
        for milestone in MILESTONES:
            (path / milestone.path).parent.mkdir(parents=True)
            shutil.copy(tree / milestone.path, path / milestone.path)

    return make


def _faulty(kit: Kit, mutant: Mutant) -> Maker:
    def make(path: Path) -> None:
        _copy(kit.solutions)(path)
        [file] = [path / m.path for m in MILESTONES if m.id == mutant.milestone]
        patch = mutant.patch.read_text(encoding="utf-8")
        file.write_text(apply_patch(patch, file.read_text(encoding="utf-8")), encoding="utf-8")

    return make


def _hostile(kit: Kit, one: Hostile) -> Maker:
    return lambda path: one.write(kit, path)


def _archives(kit: Kit) -> List[Maker]:
    """One right one of each kind, and broken ones."""
    files = [(f"milestones/{m.path}", kit.solutions / m.path) for m in MILESTONES]
    return [
        lambda path: _zip(path, files),
        lambda path: _tar(path, files),
        lambda path: _zip(path, [("../../escape.c", files[0][1])]),
        lambda path: _zip(path, []),
        lambda path: _cut(path, files),
        _no_archive,
        lambda path: path.mkdir(),
    ]


def _zip(path: Path, files: List[Tuple[str, Path]]) -> None:
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as archive:
        for name, source in files:
            archive.write(source, name)


def _tar(path: Path, files: List[Tuple[str, Path]]) -> None:
    with tarfile.open(path.with_suffix(".tar.xz"), "w:xz") as archive:
        for name, source in files:
            archive.add(source, name)


def _no_archive(path: Path) -> None:
    path.with_suffix(".zip").write_bytes(b"this is no archive")


def _cut(path: Path, files: List[Tuple[str, Path]]) -> None:
    _tar(path, files)
    whole = path.with_suffix(".tar.xz")
    whole.write_bytes(whole.read_bytes()[:-2000])


if __name__ == "__main__":
    make_class(find_kit(), Path(sys.argv[1]), int(sys.argv[2]))
