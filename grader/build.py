"""Builds the tests and servers of a submission with CMake and ninja.

A file that does not compile costs its own milestone: ninja goes on with the rest (-k 0), and is asked
afterwards which targets it could make.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from grader.compiler_output import STATUS_LINE, FailedStep, Warning_, failed_steps, warnings
from grader.exit_codes import KitFailed
from grader.kit import LABS, MILESTONES, Milestone
from grader.model import Finding
from grader.processes import Ended, clean_environment, run_program

CONFIGURE_SECONDS = 120
BUILD_SECONDS = 600

TARGETS = {  # what a group of tests needs
    **{lab.id: f"test-{lab.id}" for lab in LABS},
    "m5.e2e": "echo-server",
    "m5.own": "echo-server-own",
}


def targets_of(labs: Sequence[Milestone]) -> List[str]:
    """All that these need."""
    ids = {lab.id for lab in labs}
    return [target for group, target in TARGETS.items() if group.partition(".")[0] in ids]


@dataclasses.dataclass(frozen=True)
class BuildRequest:
    kit: Path
    submission: Path
    folder: Path  # of the build
    base: str = "reference"
    preset: str = "student"
    options: Sequence[str] = ()  # more -D... for CMake


@dataclasses.dataclass(frozen=True)
class Build:
    folder: Path
    programs: Dict[str, Path]  # by target
    failures: Dict[str, str]  # by target: the compiler's first message
    failure_texts: Dict[str, str]  # by target: all that it said
    warnings: List[Warning_]
    seconds: float
    up_to_date: bool


def build(request: BuildRequest, targets: Sequence[str]) -> Build:
    """KitFailed if the fault is the kit's or the machine's, not the submission's."""
    configure(request)
    ended = _ninja(request, ["-k", "0", *targets], BUILD_SECONDS)
    text = _relative(request, ended.output)
    steps = [
        FailedStep(step.output, _relative(request, step.text))
        for step in failed_steps(ended.output)
    ]
    build = Build(
        folder=request.folder,
        programs={},
        failures={},
        failure_texts={},
        warnings=warnings(text),
        seconds=ended.seconds,
        up_to_date="no work to do" in text,
    )
    for target in targets:
        if ended.returncode == 0 or _is_made(request, target):
            build.programs[target] = _program(request.folder, target)
        else:
            step = _blamed(steps, target)
            build.failures[target] = _message(step, ended, text)
            build.failure_texts[target] = step.text if step else text
    return build


def configure(request: BuildRequest) -> None:
    """Does nothing if the folder is configured like this already."""
    command = [
        "cmake", "--preset", request.preset, "-S", str(request.kit), "-B", str(request.folder),
        f"-DLAB_SUBMISSION={request.submission}", f"-DLAB_BASE={request.base}", *request.options,
    ]  # fmt: skip
    note = request.folder / "configured-as.txt"
    wanted = "\n".join(command) + "\n"
    if note.is_file() and note.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(request.folder, ignore_errors=True)
    request.folder.mkdir(parents=True)
    ended = _run_tool(command, CONFIGURE_SECONDS, request.kit)
    if ended.timed_out or ended.returncode != 0:
        raise KitFailed(f"CMake could not configure the build:\n{ended.output.strip()}")
    note.write_text(wanted, encoding="utf-8")


def _ninja(request: BuildRequest, arguments: Sequence[str], seconds: float) -> Ended:
    return _run_tool(["ninja", "-C", str(request.folder), *arguments], seconds, request.kit)


def _run_tool(command: Sequence[str], seconds: float, folder: Path) -> Ended:
    environment = clean_environment(NINJA_STATUS=STATUS_LINE, GCC_COLORS="", LC_ALL="C.UTF-8")
    try:
        return run_program(command, seconds=seconds, folder=folder, environment=environment)
    except OSError as error:
        raise KitFailed(f"cannot run {command[0]}: {error.strerror}") from error


def run_ninja(request: BuildRequest, arguments: Sequence[str]) -> str:
    """All that it prints on standard output. For the kit's own files: KitFailed if they cannot be built."""
    tried = subprocess.run(
        ["ninja", "-C", str(request.folder), "--quiet", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=clean_environment(),
        timeout=BUILD_SECONDS,
        check=False,
    )
    text = tried.stdout.decode("utf-8", "replace")
    if tried.returncode != 0:
        raise KitFailed(f"the kit's own files cannot be built:\n{text.strip()[-4000:]}")
    return text


def _is_made(request: BuildRequest, target: str) -> bool:
    return "no work to do" in _ninja(request, ["-n", target], CONFIGURE_SECONDS).output


def _program(folder: Path, target: str) -> Path:
    found = sorted(path for path in folder.rglob(target) if path.is_file())
    if not found:
        raise KitFailed(f"the build has made {target}, but it is not below {folder}")
    return found[0]


def _blamed(steps: Sequence[FailedStep], target: str) -> Optional[FailedStep]:
    """The step because of which `target` was not made: its own link, or a file of the submission."""
    for step in steps:
        if Path(step.output).name == target:
            return step
    every = {milestone.id for milestone in MILESTONES}
    own = every if target == "echo-server-own" else {_layer(target)}
    submission = [s for s in steps if re.search(r"\bsubmission-[mx]\d\.dir/", s.output)]
    for step in submission:
        if re.search(rf"\bsubmission-({'|'.join(sorted(own))})\.dir/", step.output):
            return step
    return submission[0] if submission else None  # a lower layer, with LAB_BASE=own


def _layer(target: str) -> str:
    return target[len("test-") :] if target.startswith("test-") else "m5"


def _message(step: Optional[FailedStep], ended: Ended, text: str) -> str:
    if step is not None and "Killed signal" not in step.text:
        return step.message
    if ended.timed_out:
        return f"the compiler was not done after {BUILD_SECONDS} seconds"
    raise KitFailed(f"the kit's own files could not be built:\n{text.strip()[-4000:]}")


def _relative(request: BuildRequest, text: str) -> str:
    """Paths as a student knows them."""
    for folder in (request.submission, request.kit / "milestones", request.kit):
        text = text.replace(f"{folder}/", "")
    return text


def submission_warnings(said: Sequence[Warning_]) -> List[Finding]:
    """What the compiler says of the student's files; the same line only once, though compiled twice."""
    own = tuple(f"{path}:" for lab in LABS for path in lab.paths)
    found = {(w.where, w.text): None for w in said if w.where.startswith(own)}
    return [Finding("warning", where, text) for where, text in found]


def compiler_name(folder: Path) -> str:
    """As CMake found it: "GNU 12.2.0"."""
    for path in sorted((folder / "CMakeFiles").glob("*/CMakeCCompiler.cmake")):
        text = path.read_text(encoding="utf-8", errors="replace")
        found = re.findall(r'set\(CMAKE_C_COMPILER_(?:ID|VERSION) "([^"]*)"\)', text)
        return " ".join(found)
    return "unknown"
