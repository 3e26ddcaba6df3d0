"""Compiles the reference's lower layers for students: with the flags of their builds, without lines,
private names or paths of the source."""

from __future__ import annotations

import json
import platform
import re
import shlex
from pathlib import Path
from typing import Dict, List

from grader.build import BuildRequest, compiler_name, configure
from grader.compiled_reference import BUILT_FOR, FOLDER
from grader.exit_codes import KitFailed
from grader.kit import MILESTONES, Kit
from grader.processes import clean_environment, run_program

_LAYERS = [milestone.id for milestone in MILESTONES[:-1]]  # nothing is built on the last one
_SECONDS = 120.0


def compile_reference(kit: Kit, work: Path) -> Dict[str, bytes]:
    """The files of the handout's folder reference/, by name in the handout. `work`: to build in."""
    build = work / "reference-build"
    configure(BuildRequest(kit.root, kit.solutions, build, "reference"))
    files = {
        f"{FOLDER}/lib{layer}.a": _library(kit, build, layer, work / f"reference-{layer}")
        for layer in _LAYERS
    }
    files[f"{FOLDER}/{BUILT_FOR}"] = f"{_built_for(build)}\n".encode()
    return files


def _library(kit: Kit, build: Path, layer: str, work: Path) -> bytes:
    work.mkdir()
    objects = []
    for step in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if f"/reference-{layer}.dir/" in step["command"]:
            source = Path(step["file"]).relative_to(kit.root)
            objects.append(f"{source.stem}.o")
            _run(_compile_command(kit, step["command"], source, work / objects[-1]), kit.root)
    if not objects:
        raise KitFailed(f"CMake names no file of the reference's layer {layer}")
    _run(["strip", "--strip-unneeded", *objects], work)
    _run(["ar", "rcsD", "layer.a", *objects], work)
    return (work / "layer.a").read_bytes()


def _compile_command(kit: Kit, command: str, source: Path, output: Path) -> List[str]:
    """CMake's, with paths from the kit's folder on: sanitizers write them into the object, and
    -ffile-prefix-map does not change those."""
    words = [word.replace(f"{kit.root}/", "") for word in shlex.split(command)]
    flags = [word for word in words[1 : words.index("-o")] if not word.startswith("-g")]
    return [words[0], *flags, "-g0", "-o", str(output), "-c", str(source)]


def _run(command: List[str], folder: Path) -> None:
    try:
        ended = run_program(
            command,
            seconds=_SECONDS,
            folder=folder,
            environment=clean_environment(LC_ALL="C.UTF-8"),
        )
    except OSError as error:
        raise KitFailed(f"cannot run {command[0]}: {error.strerror}") from error
    if ended.timed_out or ended.returncode != 0:
        raise KitFailed(f"{command[0]} failed on the reference:\n{ended.output.strip()}")


def _built_for(build: Path) -> str:
    """As milestones/CMakeLists.txt puts it together."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    sanitizers = re.search(r"^LAB_SANITIZE:\w+=(.*)$", cache, re.MULTILINE)
    compiler = compiler_name(build).split()[0]
    return f"{platform.machine()} {compiler} {sanitizers[1] if sanitizers else ''}"
