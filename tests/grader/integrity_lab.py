"""A stage of a few small files, for tests of grader/integrity: what is found in a piece of C?"""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path
from typing import Iterator, List

from conftest import KIT_ROOT
from grader.build import TARGETS
from grader.integrity.inspect import Use, inspect_objects
from grader.kit import MILESTONES
from grader.rubric import read_rubric
from grader.sandbox import Sandbox, why_not
from grader.stage import Command, Stage, library_name

_FLAGS = (
    "-D_GNU_SOURCE", "-O1", "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)  # fmt: skip

# What the true harness has of this kind.
_HARNESS = {
    "main.c": """
        #include <stdio.h>
        #include <string.h>
        int case_log = 1;
        void fail_test(const char *why);
        int main(int n, char **words) { fail_test(memcmp(*words, "x", 1) ? "x" : ""); return n; }
        """,
    "allocations.c": """
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        static const char *places[] = {"a", "b"};
        void fail_test(const char *why) { puts(places[why == NULL]); write(2, why, 1); abort(); }
        void *__wrap_malloc(size_t size) { fail_test("m"); return calloc(size, 1); }
        """,
}


@dataclasses.dataclass(frozen=True)
class IntegrityLab:
    stage: Stage
    sandbox: Sandbox
    folder: Path

    def uses(self, code: str, milestone: str = "m1") -> List[Use]:
        return self.uses_of_files(**{milestone: code})

    def uses_of_files(self, **code: str) -> List[Use]:
        """By milestone; the first line of each is line 1."""
        objects = {}
        for milestone in MILESTONES:
            if milestone.id in code:
                source = self.folder / milestone.source
                text = textwrap.dedent(code[milestone.id]).lstrip("\n")
                source.write_text(text, encoding="utf-8")
                objects[milestone.path] = self.compiled(source)
        return inspect_objects(self.stage, self.sandbox, objects)

    def compiled(self, source: Path) -> Path:
        made = self.folder / f"{source.name}.o"
        _compile(self.stage.compiling[MILESTONES[0].path], source, made)
        made.chmod(0o644)
        return made


@contextlib.contextmanager
def integrity_lab(compiler: str) -> Iterator[IntegrityLab]:
    limits = read_rubric().limits
    sandbox = Sandbox(limits, enabled=why_not(Sandbox(limits)) is None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sandbox.lend(folder)
        headers = folder / "headers"
        for milestone in MILESTONES:
            (headers / milestone.folder).mkdir(parents=True)
            for path in (KIT_ROOT / "milestones" / milestone.folder).glob("*.h"):
                shutil.copy(path, headers / milestone.folder)
        yield IntegrityLab(_stage(compiler, folder, headers), sandbox, folder)


def _stage(compiler: str, folder: Path, headers: Path) -> Stage:
    compiling = (compiler, *_FLAGS, *(f"-I{headers / m.folder}" for m in MILESTONES))
    parts = folder / "parts"
    parts.mkdir()
    for name, code in _HARNESS.items():
        (parts / name).write_text(textwrap.dedent(code), encoding="utf-8")
        _compile(compiling, parts / name, parts / f"{name}.o")
    clock = KIT_ROOT / "milestones" / "m3-sleep" / "clock.c"
    _compile(compiling, clock, parts / "clock.c.o")
    archive = ["ar", "rc", "liblab-test.a", "allocations.c.o"]
    subprocess.run(archive, cwd=parts, check=True)
    linking = {}
    for target in TARGETS.values():
        own = [m.id for m in MILESTONES if target in (f"test-{m.id}", "echo-server-own")]
        own = own or ["m5"]
        libraries = tuple(library_name(id) for id in own)
        linking[target] = (
            compiler, "-Wl,--wrap=malloc", "-Wl,--wrap=task_init", "-Wl,--wrap=lsearch",
            "main.c.o", "liblab-test.a", *libraries,
        )  # fmt: skip
    archiving = {m.id: ("clock.c.o",) if m.id == "m3" else () for m in MILESTONES}
    by_path = {milestone.path: compiling for milestone in MILESTONES}
    return Stage(headers, parts, by_path, archiving, linking, compiler)


def _compile(compiling: Command, source: Path, made: Path) -> None:
    subprocess.run([*compiling, "-c", str(source), "-o", str(made)], check=True, timeout=60)
