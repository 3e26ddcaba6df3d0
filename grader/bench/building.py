"""Builds the programs of tests/bench, with the flags of the preset "release"."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import List, Optional, Sequence

from grader.bench.peers import OURS
from grader.exit_codes import KitFailed
from grader.kit import Kit
from grader.processes import clean_environment, run_program

_SECONDS = 600.0


class Programs:
    """What was built: a program for each bench and each who, and the load."""

    def __init__(self, kit: Kit, folder: Path) -> None:
        self._kit = kit
        self.folder = folder

    def command(self, bench: str, who: str, threads: int = 1) -> Optional[List[str]]:
        """None: it is not here. `threads`: of our server."""
        if who == "python":
            script = self._kit.root / "tests" / "bench" / bench / "peers" / "python.py"
            return [sys.executable, str(script)] if script.is_file() else None
        program = self.folder / f"{bench}-{who}"
        if not program.is_file():
            return None
        if (bench, who) != ("echo", OURS):
            return [str(program)]
        several = ["--threads", str(threads)] if threads > 1 else []
        return [str(program), "--port", "0", *several]

    @property
    def load(self) -> Path:
        return self.folder / "load"


def build_programs(
    kit: Kit, folder: Path, peers: bool, tree: Optional[Path] = None, strict: bool = False
) -> Programs:
    """`tree`: whose milestones; the reference's, if None. `strict`: a warning is an error."""
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        raise KitFailed("CMake and ninja are needed to build the benches")
    command = ["cmake", "-G", "Ninja", "-S", str(kit.root / "tests" / "bench"), "-B", str(folder)]
    command += [*release_flags(kit), f"-DBENCH_PEERS={'ON' if peers else 'OFF'}"]
    command += [f"-DLAB_SUBMISSION={tree or kit.solutions}", f"-DLAB_WERROR={'ON' if strict else 'OFF'}"]
    _run(command)
    _run(["ninja", "-C", str(folder)])
    return Programs(kit, folder)


def release_flags(kit: Kit) -> Sequence[str]:
    """The preset's, for a project of its own; C++ gets what C gets."""
    presets = json.loads((kit.root / "CMakePresets.json").read_text(encoding="utf-8"))
    [release] = [p for p in presets["configurePresets"] if p["name"] == "release"]
    variables = dict(release["cacheVariables"])
    variables["CMAKE_CXX_FLAGS_RELEASE"] = variables["CMAKE_C_FLAGS_RELEASE"]
    return [f"-D{name}={value}" for name, value in variables.items()]


def _run(command: Sequence[str]) -> None:
    environment = clean_environment(LC_ALL="C.UTF-8", GCC_COLORS="")
    for name in ("CC", "CXX"):
        if name in os.environ:
            environment[name] = os.environ[name]
    try:
        ended = run_program(command, seconds=_SECONDS, environment=environment)
    except OSError as error:
        raise KitFailed(f"cannot run {command[0]}: {error.strerror}") from error
    if ended.timed_out or ended.returncode != 0:
        raise KitFailed(f"the benches could not be built:\n{ended.output.strip()[-4000:]}")
