"""Reads manifest.txt: which files of the kit go into a handout, and under which names."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Dict, List

from grader.exit_codes import KitFailed

MANIFEST = Path(__file__).with_name("manifest.txt")


def read_manifest(kit_root: Path, manifest: Path = MANIFEST) -> Dict[str, Path]:
    """The file of the kit by its name in the handout. KitFailed, with the line, if one is wrong."""
    files: Dict[str, Path] = {}
    for number, line in enumerate(manifest.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            for name, path in _entries(kit_root, line).items():
                if name in files:
                    raise _Unfit(f"{name} is listed twice")
                files[name] = path
        except _Unfit as problem:
            raise KitFailed(f"{manifest.name}:{number}: {problem}") from problem
    return dict(sorted(files.items()))


class _Unfit(Exception):
    pass


def _entries(kit_root: Path, line: str) -> Dict[str, Path]:
    target, arrow, source = (part.strip() for part in line.partition("<-"))
    if not arrow:
        return {path.relative_to(kit_root).as_posix(): path for path in _found(kit_root, line)}
    if _has_glob(target) or _has_glob(source):
        raise _Unfit("a file that gets another name needs its whole name")
    [path] = _found(kit_root, source)
    return {target: path}


def _found(kit_root: Path, pattern: str) -> List[Path]:
    parts = PurePosixPath(pattern).parts
    if pattern.startswith("/") or ".." in parts or "**" in pattern:
        raise _Unfit(f"{pattern}: a path from the kit's folder on, without .. and **")
    if not _has_glob(pattern):
        found = [kit_root / pattern]
    else:
        matching = sorted(kit_root.glob(pattern))
        found = [path for path in matching if _is_meant(path, kit_root, parts)]
    for path in found:
        if os.path.islink(path) or not path.is_file():
            raise _Unfit(f"{path.relative_to(kit_root)} is not a file of the kit")
    if not found:
        raise _Unfit(f"{pattern} matches nothing")
    return found


def _has_glob(text: str) -> bool:
    return any(character in text for character in "*?[")


def _is_meant(path: Path, kit_root: Path, parts: "tuple[str, ...]") -> bool:
    """As a shell does: hidden files only where the pattern says so."""
    names = path.relative_to(kit_root).parts
    return all(part.startswith(".") or not name.startswith(".") for name, part in zip(names, parts))
