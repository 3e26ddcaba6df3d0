"""Compiles a submission's files and links them with the kit's part, in the sandbox.

A file that does not compile costs only what is made of it.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence

from grader.compiler_output import FailedStep, Warning_, warnings
from grader.exit_codes import KitFailed
from grader.keepers import Keepers
from grader.kit import LABS, Milestone
from grader.processes import Ended, clean_environment, run_program
from grader.sandbox import Sandbox
from grader.stage import SHOWN_AS, Stage, library_name
from grader.submissions.take import labs_in


@dataclasses.dataclass(frozen=True)
class Made:
    """A file that was made, or why it could not be."""

    path: Path
    failure: str = ""  # the compiler's first message
    text: str = ""  # all that was said

    @property
    def exists(self) -> bool:
        return not self.failure


@dataclasses.dataclass(frozen=True)
class SubmissionBuild:
    objects: Dict[str, Made]  # by the submission's path
    programs: Dict[str, Made]  # by target
    warnings: List[Warning_]
    seconds: float


@dataclasses.dataclass(frozen=True)
class Place:
    """What a step of the build needs to know; picklable, for the keepers."""

    stage: Stage
    sandbox: Sandbox
    tree: Path  # the submission's files
    output: Path

    @property
    def labs(self) -> List[Milestone]:
        """Those of which there are files."""
        return labs_in(self.tree)

    def object_of(self, path: str) -> Path:
        return self.output / f"{path.replace('/', '-')}.o"

    def run(
        self, command: Sequence[str], *, read: Sequence[Path], folder: Path
    ) -> Ended:
        return run_program(
            self.sandbox.command(command, read=read, write=[self.output], folder=folder),
            seconds=self.sandbox.limits.build_seconds,
            environment=clean_environment(
                **{**self.sandbox.environment, "TMPDIR": str(self.output)}, GCC_COLORS=""
            ),
            memory_limit=self.sandbox.memory_bytes,
        )


def build_submission(
    place: Place, targets: Sequence[str], keepers: Keepers, refused: Callable[[Dict[str, Made]], Dict[str, str]]
) -> SubmissionBuild:
    """`refused` is given the objects, and says which of them may not be linked, and why."""
    began = time.monotonic()
    place.output.mkdir()
    place.sandbox.lend(place.output, writable=True)
    place.sandbox.lend(place.tree)
    paths = [path for lab in place.labs for path in lab.paths]
    compiled = _all_of(keepers, functools.partial(_compile, place), paths)
    objects = dict(zip(paths, compiled))
    for path, why in refused(objects).items():
        objects[path] = dataclasses.replace(objects[path], failure=why)
    packed = _all_of(keepers, functools.partial(_archive, place, objects), place.labs)
    libraries = {lab.id: made for lab, made in zip(place.labs, packed)}
    linked = _all_of(keepers, functools.partial(_link, place, libraries), targets)
    place.sandbox.take_back(place.output)
    return SubmissionBuild(
        objects=objects,
        programs=dict(zip(targets, linked)),
        warnings=[warning for made in compiled for warning in warnings(made.text)],
        seconds=time.monotonic() - began,
    )


def _all_of(
    keepers: Keepers, function: Callable[..., Made], arguments: Sequence[object]
) -> List[Made]:
    futures: List["concurrent.futures.Future[Made]"] = [
        keepers.submit(function, argument) for argument in arguments
    ]
    return [future.result() for future in futures]


def _compile(place: Place, path: str) -> Made:
    output = place.object_of(path)
    command = [
        *place.stage.compiling[path], f"-ffile-prefix-map={place.tree}={SHOWN_AS}", "-fno-lto",
        "-c", str(place.tree / path), "-o", str(output),
    ]  # fmt: skip
    ended = place.run(command, read=[place.stage.headers, place.tree], folder=place.tree)
    return _judged(place, ended, output)


def _archive(place: Place, objects: Dict[str, Made], lab: Milestone) -> Made:
    archive = place.output / library_name(lab.id)
    for path in lab.paths:
        if not objects[path].exists:
            return dataclasses.replace(objects[path], path=archive)
    members = [*(str(place.object_of(path)) for path in lab.paths), *place.stage.archiving[lab.id]]
    ended = place.run(
        ["ar", "qcs", str(archive), *members], read=[place.stage.parts], folder=place.stage.parts
    )
    return _judged(place, ended, archive)


def _link(place: Place, libraries: Dict[str, Made], target: str) -> Made:
    output = place.output / target
    for id in reversed(place.stage.needs(target)):  # the milestone's own comes first
        if not libraries[id].exists:
            return dataclasses.replace(libraries[id], path=output)
    own = {library_name(lab.id) for lab in LABS}
    words = [
        str(place.output / word) if word in own else word for word in place.stage.linking[target]
    ]
    command = [*words, "-fno-lto", "-fno-use-linker-plugin", "-o", str(output)]
    ended = place.run(command, read=[place.stage.parts], folder=place.stage.parts)
    return _judged(place, ended, output)


def _judged(place: Place, ended: Ended, output: Path) -> Made:
    text = ended.output
    for folder in (place.stage.headers, place.output, place.tree):
        text = text.replace(f"{folder}/", "")
    if ended.returncode == 0 and not ended.timed_out and not ended.over_memory:
        return Made(output, text=text)
    if place.sandbox.has_failed(ended.output):
        raise KitFailed(f"the sandbox does not work: {text.strip()}")
    return Made(output, failure=_why(place, ended, text), text=text)


def _why(place: Place, ended: Ended, text: str) -> str:
    limits = place.sandbox.limits
    if ended.timed_out:
        return f"the compiler was not done after {limits.build_seconds:g} seconds"
    if ended.over_memory:
        return f"the compiler used more than {limits.memory_mib:g} MiB of memory"
    return FailedStep("this file", text).message
