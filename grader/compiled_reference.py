"""The reference's lower layers as compiled objects, in the folder reference/ of a copy of the kit
without solutions/. They fit one kind of machine, compiler and build."""

from __future__ import annotations

import platform
from pathlib import Path

FOLDER = "reference"
BUILT_FOR = "built-for.txt"  # machine, compiler, sanitizers: see milestones/CMakeLists.txt


def has_reference(kit_root: Path) -> bool:
    """As source, or compiled for this machine."""
    return (kit_root / "solutions").is_dir() or machine_of(kit_root) == platform.machine()


def machine_of(kit_root: Path) -> str:
    """What the objects were compiled for; empty if there are none."""
    file = kit_root / FOLDER / BUILT_FOR
    words = file.read_text(encoding="utf-8").split() if file.is_file() else []
    return words[0] if words else ""


def why_none(kit_root: Path) -> str:
    machine = machine_of(kit_root)
    if not machine:
        return "this copy of the kit has no reference solution"
    return (
        f"this copy of the kit has the reference's layers for {machine}, "
        f"and this machine is {platform.machine()}"
    )
