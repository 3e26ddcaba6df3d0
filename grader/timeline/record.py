"""Builds a test or a program with the recorder in it, runs it, and reads what it did."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Optional, Sequence

from grader.build import (
    BUILD_SECONDS,
    CONFIGURE_SECONDS,
    TARGETS,
    BuildRequest,
    build,
    configure,
)
from grader.compiler_output import STATUS_LINE, failed_steps
from grader.exit_codes import KitFailed, WrongUse
from grader.kit import Kit
from grader.plan import PlannedTest, c_tests
from grader.processes import clean_environment, describe_exit, run_program
from grader.run_cases import CASE_SECONDS
from grader.selection import select_tests
from grader.timeline.recording import read_recording
from grader.timeline.story import Story, tell

ECHO_SERVER = "echo-server"
ECHO_SERVER_SOURCES = tuple(
    f"milestones/m5-echo-server/{name}.c" for name in ("command_line", "stopping", "main")
)
_PROGRAM = "traced-program"  # CMake's target, see tests/support/CMakeLists.txt
_ENDINGS = {  # enum lab_exit of lab_test.h
    0: "passed", 1: "failed", 10: "crashed", 11: "took too long", 12: "leaked",
    13: "ended early", 14: "met a function that is not implemented yet",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Recorded:
    title: str
    story: Story
    ending: str  # a sentence
    output: str = ""  # what a test said


def chosen_test(kit: Kit, name: str) -> PlannedTest:
    """WrongUse if that is no C test."""
    tests = [test for lab in kit.labs for test in c_tests(kit, lab)]
    chosen = select_tests(tests, [name])
    if len(chosen) > 1:
        raise WrongUse(f"one test at a time, such as {chosen[0].id}")
    return chosen[0]


def record_test(request: BuildRequest, test: PlannedTest) -> Recorded:
    target = TARGETS[test.group]
    made = build(request, [target])
    if target in made.failures:
        raise WrongUse(f"{target} cannot be built:\n{made.failure_texts[target]}")
    with tempfile.TemporaryDirectory(prefix="lab-trace-") as folder:
        recording = Path(folder) / "recording"
        ended = run_program(
            [str(made.programs[target]), test.name],
            seconds=CASE_SECONDS,
            environment=clean_environment(LAB_TRACE=str(recording)),
        )
        story = _story(request, recording)
    if ended.returncode not in _ENDINGS:
        raise KitFailed(f"{target} ended with {describe_exit(ended.returncode)}:\n{ended.output}")
    ending = f"The test {_ENDINGS[ended.returncode]}."
    return Recorded(test.id, story, ending, "" if ended.returncode == 0 else ended.output)


def record_program(
    request: BuildRequest, source: Path, arguments: Sequence[str], seconds: Optional[float]
) -> Recorded:
    """`source`: its file, or the last one of the server's. The program has the terminal. It ends by
    itself, by ^C, or is told to after `seconds`."""
    server = [request.kit / path for path in ECHO_SERVER_SOURCES]
    is_server = source == server[-1]
    program = built_program(request, *(server if is_server else [source]))
    with tempfile.TemporaryDirectory(prefix="lab-trace-") as folder:
        recording = Path(folder) / "recording"
        environment = clean_environment(LAB_TRACE=str(recording))
        with subprocess.Popen([str(program), *arguments], env=environment) as process:
            _wait(process, seconds)
        story = _story(request, recording)
    ending = f"The program ended with {describe_exit(process.returncode)}."
    return Recorded(ECHO_SERVER if is_server else source.name, story, ending)


def _story(request: BuildRequest, recording: Path) -> Story:
    roots = (request.submission, request.kit / "milestones", request.kit)
    return tell(read_recording(recording), roots)


def built_program(request: BuildRequest, *sources: Path) -> Path:
    configure(request)
    including = request.folder / f"{_PROGRAM}.c"
    text = "".join(f'#include "{source}"\n' for source in sources)
    if not including.is_file() or including.read_text(encoding="utf-8") != text:
        including.write_text(text, encoding="utf-8")
    ended = run_program(
        ["ninja", "-C", str(request.folder), _PROGRAM],
        seconds=CONFIGURE_SECONDS + BUILD_SECONDS,
        environment=clean_environment(NINJA_STATUS=STATUS_LINE, GCC_COLORS="", LC_ALL="C.UTF-8"),
    )
    if ended.timed_out or ended.returncode != 0:
        said = "\n".join(step.text for step in failed_steps(ended.output))
        raise WrongUse(f"{sources[-1]} cannot be built:\n{said or ended.output}")
    return next(path for path in request.folder.rglob(_PROGRAM) if path.is_file())


def _wait(process: "subprocess.Popen[bytes]", seconds: Optional[float]) -> None:
    """^C reaches the program, too, and this command when it has ended; a second one ends both."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGTERM)
        process.wait()
