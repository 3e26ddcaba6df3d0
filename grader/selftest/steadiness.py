"""The tests are fair and steady: right designs pass them, and the reference passes them again and
again, also when the machine has other things to do."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import re
from pathlib import Path
from typing import Iterator, List

from grader.descendants import end_with_parent
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

HOGS_PER_CORE = 2
VARIANT_LINE = re.compile(r"^([mx][1-5]-[a-z0-9-]+) *\|")


def check_variants(workshop: Workshop, tester: Tester) -> None:
    """Layers that are right, and differ from the reference, pass every test of their milestone."""
    manifest = workshop.kit.root / "tests/variants/manifest.txt"
    with tester.check("tests/variants/ builds without a warning"):
        workshop.build_variants()
    for line in manifest.read_text(encoding="utf-8").splitlines():
        match = VARIANT_LINE.match(line)
        if match is not None:
            with tester.check(f"{match[1]}: {line.split('|')[2].strip()}"):
                program = workshop.build_variants() / f"tests/variants/test-{match[1]}"
                workshop.run([str(program)], seconds=300)


def check_repeats(workshop: Workshop, tester: Tester, repeats: int, load: bool) -> None:
    """The reference passes the C tests as often as they are run."""
    with tester.check("solutions/ builds on gcc without a warning"):
        workshop.build(workshop.kit.solutions)
    with _hogs(HOGS_PER_CORE * workshop.jobs if load else 0):
        for milestone in workshop.kit.labs:
            with tester.check(f"test-{milestone.id}: all cases, {repeats} times"):
                folder = workshop.build(workshop.kit.solutions) / "tests" / milestone.folder
                _repeat(workshop, folder / f"test-{milestone.id}", repeats)


def _repeat(workshop: Workshop, program: Path, repeats: int) -> None:
    with concurrent.futures.ThreadPoolExecutor(workshop.jobs) as pool:
        command = [str(program)]
        runs = [pool.submit(workshop.try_run, command, seconds=600) for _ in range(repeats)]
        failures: List[str] = []
        for run in runs:
            ended = run.result()
            lines = ended.output.splitlines()
            failures += [line for line in lines if not line.startswith("passed ")][:-1]
            if ended.returncode != 0 and not failures:
                failures.append(ended.output)
    require(not failures, f"{len(failures)} failures:\n" + "\n".join(failures))


@contextlib.contextmanager
def _hogs(count: int) -> Iterator[None]:
    """That many processes which do nothing but take processor time."""
    hogs = [multiprocessing.Process(target=_hog, daemon=True) for _ in range(count)]
    for hog in hogs:
        hog.start()
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.join()


def _hog() -> None:
    end_with_parent()
    while True:
        pass
