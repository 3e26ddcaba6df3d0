"""Patches and compiles the mutants: one build, in which a mutant costs one file and one link."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Dict, List, Sequence

from grader.compiler_output import STATUS_LINE, failed_steps
from grader.exit_codes import KitFailed
from grader.kit import Kit
from grader.mutants.manifest import Mutant
from grader.mutants.patching import DoesNotApply, apply_patch
from grader.processes import Ended, clean_environment, run_program

BUILD_SECONDS = 900
PRESET = "student"


@dataclasses.dataclass(frozen=True)
class Programs:
    folder: Path
    failures: Dict[str, str]  # by mutant id: why there is no program of it

    def tests_of(self, mutant: Mutant) -> Path:
        return self.folder / f"cases-{mutant.id}"

    def server_of(self, mutant: Mutant) -> Path:
        return self.folder / f"server-{mutant.id}"

    def reference_tests(self, milestone: str) -> Path:
        return self.folder / f"cases-{milestone}"

    @property
    def reference_server(self) -> Path:
        return self.folder / "kit" / "milestones" / "echo-server"


def build_folder(kit: Kit, temporary: Path) -> Path:
    """Kept in the kit, so that the next time only what has changed is built; if it may be written."""
    return kit.build_folder("mutants") if os.access(kit.root, os.W_OK) else temporary / "mutants"


def build_mutants(
    kit: Kit, folder: Path, mutants: Sequence[Mutant], wanted: Sequence[Mutant], jobs: int
) -> Programs:
    """`wanted`: those of `mutants`, which are all that there are, whose programs are needed."""
    sources = folder / "sources"
    failures = _write_sources(kit, sources, mutants)
    _configure(kit, folder, sources)
    programs = Programs(folder, failures)
    _compile(programs, [mutant for mutant in wanted if mutant.id not in failures], jobs)
    return programs


def _write_sources(kit: Kit, sources: Path, mutants: Sequence[Mutant]) -> Dict[str, str]:
    """The patched files, and the list of those that could be patched. Returns why not, of the others."""
    failures: Dict[str, str] = {}
    sources.mkdir(parents=True, exist_ok=True)
    for mutant in mutants:
        reference = (kit.solutions / mutant.source).read_text(encoding="utf-8")
        try:
            text = apply_patch(mutant.patch.read_text(encoding="utf-8"), reference)
        except DoesNotApply as why:
            failures[mutant.id] = f"the patch does not apply to {mutant.source}: {why}"
        else:
            _write_if_new(sources / f"{mutant.id}.c", text)
    names = [mutant.id for mutant in mutants if mutant.id not in failures]
    _write_if_new(sources / "mutants.txt", "".join(f"{name}\n" for name in names))
    return failures


def _write_if_new(path: Path, text: str) -> None:
    """An unchanged file keeps its time, and is not compiled again."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _configure(kit: Kit, folder: Path, sources: Path) -> None:
    command = ["cmake", "-G", "Ninja", "-S", str(kit.root / "tests" / "mutants"), "-B", str(folder),
               f"-DMUTANTS_DIR={sources}", f"-DLAB_SUBMISSION={kit.solutions}",
               "-DLAB_BASE=reference", *_preset_options(kit)]  # fmt: skip
    ended = _run_tool(command, 120)
    if ended.timed_out or ended.returncode != 0:
        raise KitFailed(f"CMake could not configure the mutants:\n{ended.output.strip()}")


def _preset_options(kit: Kit) -> List[str]:
    """The mutants are compiled as a student's files are."""
    presets = json.loads((kit.root / "CMakePresets.json").read_text(encoding="utf-8"))
    [preset] = [p for p in presets["configurePresets"] if p["name"] == PRESET]
    return [f"-D{name}={value}" for name, value in preset["cacheVariables"].items()]


def _compile(programs: Programs, wanted: Sequence[Mutant], jobs: int) -> None:
    targets = sorted({f"cases-{mutant.milestone}" for mutant in wanted})
    targets += [f"cases-{mutant.id}" for mutant in wanted]
    served = [mutant for mutant in wanted if mutant.checks]
    targets += [f"server-{mutant.id}" for mutant in served] + (["echo-server"] if served else [])
    command = ["ninja", "-C", str(programs.folder), "-j", str(jobs), "-k", "0", *targets]
    ended = _run_tool(command, BUILD_SECONDS)
    if ended.returncode == 0 and not ended.timed_out:
        return
    for step in failed_steps(ended.output):
        for mutant in wanted:
            if f"{mutant.id}.dir" in step.output or step.output.endswith(f"-{mutant.id}"):
                programs.failures[mutant.id] = f"does not compile:\n{step.text}"
                break
        else:
            raise KitFailed(f"the kit's own files could not be built:\n{step.text}")
    if not programs.failures:
        raise KitFailed(f"the mutants could not be built:\n{ended.output.strip()[-4000:]}")


def _run_tool(command: Sequence[str], seconds: float) -> Ended:
    environment = clean_environment(NINJA_STATUS=STATUS_LINE, GCC_COLORS="", LC_ALL="C.UTF-8")
    try:
        return run_program(command, seconds=seconds, environment=environment)
    except OSError as error:
        raise KitFailed(f"cannot run {command[0]}: {error.strerror}") from error
