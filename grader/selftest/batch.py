"""A class is graded to its end: killed and resumed, with one job or two, the gradebook is the same."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import time
from pathlib import Path
from typing import List

from grader.batch.command import batch
from grader.batch.entries import hands_in
from grader.batch.run import BatchRequest
from grader.exit_codes import ExitCode
from grader.kit import find_kit
from grader.processes import python_environment
from grader.rubric import read_rubric
from grader.selftest.sample_class import make_class
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop
from grader.terminal import make_console

COUNT = 18
KILLS = 3
_SECONDS = 1200.0

# A few of each milestone, for here it is the class that matters.
ONLY = ("m[1-4].*ta*", "m5.h*", "m5.e2e.listening_line", "m5.own.one_client")
LIMITS = {"case_seconds": 15, "cpu_seconds": 10, "build_seconds": 20, "end_to_end_seconds": 60}


def check_batch(workshop: Workshop, tester: Tester) -> None:
    """A class is graded to its end, whatever is in it; killed and resumed, the gradebook is the same."""
    students = workshop.folder / "class"
    make_class(workshop.kit, students, COUNT)
    whole, resumed = workshop.folder / "whole", workshop.folder / "resumed"
    with tester.check(f"{COUNT} submissions with --jobs 1: gradebook, class page, a page each"):
        _run(workshop, students, whole, jobs=1)
        pages = sorted(path.stem for path in (whole / "students").iterdir())
        require(len(pages) == COUNT, f"{len(pages)} pages")
        lines = (whole / "gradebook.csv").read_text(encoding="utf-8").splitlines()
        require(len(lines) == COUNT + 1, f"{len(lines)} lines in the gradebook")
        failed = [line for line in lines if '"machine failure"' in line]
        require(not failed, "\n".join(failed))
    with tester.check(f"--jobs 2, killed {KILLS} times on the way: byte for byte the same gradebook"):
        killed = [_kill_after(workshop, students, resumed, graded) for graded in (1, 3, 4)]
        require(all(killed), f"it was over before it was killed: {killed}")
        _run(workshop, students, resumed, jobs=2)
        for name in ("gradebook.csv", "class.html"):
            same = (whole / name).read_bytes() == (resumed / name).read_bytes()
            require(same, f"{name} differs: {whole / name}, {resumed / name}")
    with tester.check("a third time, all is known already"):
        began = time.monotonic()
        _run(workshop, students, resumed, jobs=2)
        took = time.monotonic() - began
        require(took < 60, f"took {took:.0f} s")


def _command(workshop: Workshop, students: Path, output: Path, jobs: int) -> List[str]:
    """./lab batch, but with a few tests only."""
    module = "grader.selftest.batch"
    return [sys.executable, "-m", module, str(students), str(output), str(jobs)]


def main(students: Path, output: Path, jobs: int) -> ExitCode:
    rubric = read_rubric()
    rubric = dataclasses.replace(rubric, limits=dataclasses.replace(rubric.limits, **LIMITS))
    request = BatchRequest(
        find_kit(), hands_in(students), rubric, True, jobs, output, {}, only=ONLY
    )
    return batch(request, make_console())


def _run(workshop: Workshop, students: Path, output: Path, jobs: int) -> None:
    workshop.run(_command(workshop, students, output, jobs), seconds=_SECONDS)


def _kill_after(workshop: Workshop, students: Path, output: Path, graded: int) -> bool:
    """SIGKILL once so many more are graded; what it has started ends by itself. False: too late."""
    before = _graded(output)
    process = subprocess.Popen(
        _command(workshop, students, output, jobs=2),
        cwd=workshop.kit.root,
        env=python_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + _SECONDS
    while _graded(output) < before + graded and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    was_running = process.poll() is None
    process.kill()
    process.wait()
    return was_running


def _graded(output: Path) -> int:
    return len(list((output / "cache").glob("*.json")))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
