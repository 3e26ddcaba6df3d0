"""What grading costs: processor time of one submission by phase, what a second job gains, a student's loop.

    /usr/bin/python3 tests/bench/grading.py [--submissions N] [--rounds N]

Run it on a machine that does nothing else. Medians of the rounds. Most programs that grading starts live for
a moment, so page faults weigh heavily; what one costs differs tenfold between (virtual) machines, and is told.
"""

from __future__ import annotations

import argparse
import mmap
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from grader.descendants import children_of  # noqa: E402
from grader.grade import GradeRequest, grade  # noqa: E402
from grader.kit import MILESTONES, Kit, find_kit  # noqa: E402
from grader.processes import clean_environment  # noqa: E402
from grader.rubric import read_rubric  # noqa: E402
from grader.watcher import Watcher  # noqa: E402


class Phases(Watcher):
    """Processor and real time of each phase of a grading, of this process and all that it started."""

    def __init__(self) -> None:
        self.seconds: Dict[str, Tuple[float, float]] = {}
        self._name = ""
        self._began = (_processor_time(), time.monotonic())

    def phase(self, what: str, steps: int = 0) -> None:
        now = (_processor_time(), time.monotonic())
        if self._name:
            self.seconds[self._name] = (now[0] - self._began[0], now[1] - self._began[1])
        self._name, self._began = what, now


def _processor_time() -> float:
    """Of this process and of its children, and of all that these have waited for."""
    ticks = 0
    for pid in (os.getpid(), *children_of(os.getpid())):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        except OSError:  # it has ended since
            continue
        ticks += sum(map(int, stat.rpartition(")")[2].split()[11:15]))  # utime, stime, cutime, cstime: proc(5)
    return ticks / os.sysconf("SC_CLK_TCK")


def one_submission(kit: Kit) -> Tuple[Phases, float, float, int]:
    """By phase, and in all: processor time, real time, page faults. Of the five milestones, as most hand in."""
    phases = Phases()
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as folder:
        _write_submission(kit, Path(folder, "submission"), "")
        began, before, faults = time.monotonic(), _processor_time(), _childrens_faults()
        request = GradeRequest(kit, Path(folder, "submission"), read_rubric(), jobs=1)
        result = grade(request, phases)
        phases.phase("")
        used, real = _processor_time() - before, time.monotonic() - began
    if result.score != result.max_score:
        sys.exit(f"the reference has {result.score} of {result.max_score} points")
    return phases, used, real, _childrens_faults() - faults


def batch(kit: Kit, count: int, jobs: int) -> Tuple[float, float]:
    """Processor time and real time for `count` submissions that differ in a comment."""
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as folder:
        for number in range(count):
            _write_submission(kit, Path(folder, "class", f"student-{number}"), f"/* {number} */\n")
        before = _childrens_time()
        arguments = [f"{folder}/class", "--out", f"{folder}/out", "--jobs", str(jobs)]
        real = _lab(kit, "batch", *arguments)
        return _childrens_time() - before, real


def _write_submission(kit: Kit, folder: Path, added: str) -> None:
    for milestone in MILESTONES:
        path = folder / milestone.path
        path.parent.mkdir(parents=True)
        text = (kit.solutions / milestone.path).read_text(encoding="utf-8")
        path.write_text(text + added, encoding="utf-8")


def _childrens_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _childrens_faults() -> int:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def cost_of_a_fault() -> float:
    """Microseconds of processor time for a page that is touched for the first time."""
    size = 64 * 1024 * 1024
    with mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        began = time.process_time()
        for offset in range(0, size, mmap.PAGESIZE):
            memory[offset] = 1
        return (time.process_time() - began) * 1e6 / (size / mmap.PAGESIZE)


def students_loop(kit: Kit) -> float:
    """Seconds of `./lab test m2` after an edit."""
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as folder:
        copy = Kit(Path(folder, "kit"))
        ignored = shutil.ignore_patterns("build", ".git")
        shutil.copytree(kit.root, copy.root, ignore=ignored, symlinks=True)
        source = copy.milestones / "m2-scheduler" / "scheduler.c"
        shutil.copy(kit.solutions / "m2-scheduler" / "scheduler.c", source)
        _lab(copy, "test", "m2")
        with source.open("a", encoding="utf-8") as file:
            file.write("/* edited */\n")
        return _lab(copy, "test", "m2")


def _lab(kit: Kit, *arguments: str) -> float:
    began = time.monotonic()
    subprocess.run(
        [str(kit.root / "lab"), *arguments],
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=4, help="of a batch")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    kit = find_kit()
    one_submission(kit)  # the kit's own part is built
    runs = [one_submission(kit) for _ in range(options.rounds)]
    print("one submission, --jobs 1            processor s   real s")
    for name in runs[0][0].seconds:
        used = statistics.median(run[0].seconds[name][0] for run in runs)
        real = statistics.median(run[0].seconds[name][1] for run in runs)
        print(f"  {name[:32]:32} {used:13.1f} {real:8.1f}")
    total = statistics.median(run[1] for run in runs)
    print(f"  {'in all':32} {total:13.1f} {statistics.median(run[2] for run in runs):8.1f}")
    faults = statistics.median(run[3] for run in runs)
    print(f"  page faults: {faults:,.0f}, of {cost_of_a_fault():.1f} us each for a new page")
    count = options.submissions
    measured = {jobs: [batch(kit, count, jobs) for _ in range(options.rounds)] for jobs in (1, 2)}
    used = statistics.median(used for rounds in measured.values() for used, _ in rounds)
    one, two = (statistics.median(real for _, real in rounds) for rounds in measured.values())
    print(f"a batch of {count}: {used / count:.1f} processor s for each")
    print(f"  --jobs 1 {one:.1f} s, --jobs 2 {two:.1f} s: {one / two:.2f} x the throughput")
    loop = statistics.median(students_loop(kit) for _ in range(options.rounds))
    print(f"./lab test m2 after an edit: {loop:.1f} s")


if __name__ == "__main__":
    main()
