"""What the parts of the kit's own tests share: the kit, a folder for the time being, builds, tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List, Mapping, Optional, Sequence, Set

from grader.build import BuildRequest, configure
from grader.compiler_output import STATUS_LINE, failed_steps
from grader.keepers import available_cores
from grader.kit import Kit
from grader.processes import Ended, clean_environment, run_program
from grader.rubric import read_rubric
from grader.sandbox import Sandbox, why_not
from grader.selftest.tester import CheckFailed, require


class Workshop:
    def __init__(self, kit: Kit, folder: Path) -> None:
        self.kit = kit
        self.folder = folder
        Sandbox(read_rubric().limits).lend(folder)  # for submissions are graded below it
        self._built: Set[str] = set()
        self._unbuilt: Set[str] = set()

    def build(self, tree: Path, compiler: str = "gcc", preset: str = "student") -> Path:
        """The folder of a complete build in which every warning is an error; made only once."""
        return self._build_once(tree, compiler, preset, [])

    def build_variants(self) -> Path:
        """The reference's, and with it the layers of tests/variants."""
        return self._build_once(self.kit.solutions, "gcc", "student", [], ["-DLAB_VARIANTS=ON"])

    def build_with_cpp(self) -> Path:
        """The reference's, and with it the optional lab in C++."""
        return self._build_once(self.kit.solutions, "gcc", "student", [], ["-DLAB_CPP=ON"])

    def build_layers(self, tree: Path) -> Path:
        """The same on clang with the layers and servers alone, for who needs no tests."""
        layers = [f"submission-{lab.id}" for lab in self.kit.labs]
        return self._build_once(tree, "clang", "student", [*layers, "echo-server", "echo-server-own"])

    def build_programs(self, preset: str, targets: List[str]) -> Path:
        """The reference's on gcc, with these targets alone; once for each preset."""
        return self._build_once(self.kit.solutions, "gcc", preset, targets)

    def _build_once(
        self,
        tree: Path,
        compiler: str,
        preset: str,
        targets: List[str],
        more_options: Sequence[str] = (),
    ) -> Path:
        # What an option adds is built into the folder of what is built without it.
        kind = f"{tree.name}-{compiler}-{preset}" + ("-layers" if targets else "")
        folder = self.folder / f"build-{kind}"
        name = " ".join([kind, *more_options])
        if name in self._unbuilt:
            raise CheckFailed(f"{tree.name} could not be built with {compiler}: see above")
        if name not in self._built:
            self._unbuilt.add(name)  # until it is known to be good
            options = [f"-DCMAKE_C_COMPILER={compiler}", "-DLAB_WERROR=ON", *more_options]
            base = self.kit.default_base()
            configure(BuildRequest(self.kit.root, tree, folder, base, preset, options))
            self._run_ninja(folder, targets)
            self._unbuilt.remove(name)
            self._built.add(name)
        return folder

    def _run_ninja(self, folder: Path, targets: List[str]) -> None:
        command = ["ninja", "-C", str(folder), "-k", "0", *targets]
        ended = self.try_run(command, seconds=600, environment={"NINJA_STATUS": STATUS_LINE})
        words = "\n".join(step.text for step in failed_steps(ended.output))
        require(ended.returncode == 0, words or ended.output)
        require("warning:" not in ended.output, f"not without a warning:\n{ended.output}")

    def run(
        self,
        command: Sequence[str],
        *,
        seconds: float,
        expect: int = 0,
        environment: Optional[Mapping[str, str]] = None,
    ) -> Ended:
        """CheckFailed, with what it printed, unless it ends in time with exit code `expect`."""
        ended = self.try_run(command, seconds=seconds, environment=environment)
        if ended.returncode != expect:
            shown = " ".join(command[:4])
            raise CheckFailed(f"{shown} ...: exit code {ended.returncode}\n{ended.output}")
        return ended

    def try_run(
        self,
        command: Sequence[str],
        *,
        seconds: float,
        environment: Optional[Mapping[str, str]] = None,
    ) -> Ended:
        """The same with any exit code. Runs in the kit's folder."""
        ended = run_program(
            command,
            seconds=seconds,
            folder=self.kit.root,
            environment={**clean_environment(), **(environment or {})},
        )
        shown = " ".join(command[:4])
        require(not ended.timed_out, f"{shown} ...: not done after {seconds:g} s\n{ended.output}")
        return ended

    def lab(self, *arguments: str, seconds: float = 600, expect: int = 0) -> Ended:
        command = [str(self.kit.root / "lab"), *arguments]
        return self.run(command, seconds=seconds, expect=expect)

    def pytest(self, tests: str, seconds: float, jobs: int = 1, **environment: str) -> Ended:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests]
        command += ["--numprocesses", str(jobs)] if jobs > 1 else []
        quiet = {"PYTHONDONTWRITEBYTECODE": "1"}
        return self.run(command, seconds=seconds, environment={**quiet, **environment})

    @property
    def sandboxed(self) -> bool:
        """Whether submissions can be graded in the sandbox here; where not, what is shown of grading is
        shown without."""
        return why_not(Sandbox(read_rubric().limits)) is None

    @property
    def jobs(self) -> int:
        return available_cores()

    def c_files(self) -> List[Path]:
        """In C, and in C++."""
        folders = [self.kit.root / name for name in ("milestones", "solutions", "tests", "docs")]
        endings = {".c", ".h", ".cpp", ".hpp"}
        found = [path for folder in folders for path in folder.rglob("*") if path.suffix in endings]
        return sorted(path for path in found if path.is_file())
