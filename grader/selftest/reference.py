"""The reference solution passes its tests: on gcc, on clang, and under valgrind."""

from __future__ import annotations

import concurrent.futures
import json
import re
from pathlib import Path
from typing import Dict, List

from grader.case_list import read_cases
from grader.kit import Milestone
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

LEAST_CASES = 80
VALGRIND_PATIENCE = "10"  # times the time limit of a case


def check_with_gcc(workshop: Workshop, tester: Tester) -> None:
    """The reference builds without a warning on gcc, and passes all tests under the sanitizers."""
    _check_with(workshop, tester, "gcc")


def check_with_clang(workshop: Workshop, tester: Tester) -> None:
    """The same on clang."""
    _check_with(workshop, tester, "clang")


def _check_with(workshop: Workshop, tester: Tester, compiler: str) -> None:
    with tester.check(f"solutions/ builds on {compiler} without a warning"):
        workshop.build(workshop.kit.solutions, compiler)
    with tester.check(f"ctest -N shows at least {LEAST_CASES} cases"):
        cases = _ctest_cases(workshop, workshop.build(workshop.kit.solutions, compiler))
        count = sum(len(names) for names in cases.values())
        require(count >= LEAST_CASES, f"only {count} cases: {cases}")
    for milestone in workshop.kit.labs:
        with tester.check(f"ctest -L {milestone.id} passes"):
            folder = workshop.build(workshop.kit.solutions, compiler)
            command = ["ctest", "--test-dir", str(folder), "-L", f"^{milestone.id}$", "-j",
                       str(workshop.jobs), "--no-tests=error", "--output-on-failure"]  # fmt: skip
            workshop.run(command, seconds=600)


def _ctest_cases(workshop: Workshop, folder: Path) -> Dict[str, List[str]]:
    """The names of the cases of each milestone, as ctest lists them."""
    shown = workshop.folder / "ctest.json"
    shell = f"ctest --test-dir '{folder}' --show-only=json-v1 > '{shown}'"
    workshop.run(["sh", "-c", shell], seconds=60)
    cases: Dict[str, List[str]] = {lab.id: [] for lab in workshop.kit.labs}
    for test in json.loads(shown.read_text(encoding="utf-8"))["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        for label in properties.get("LABELS", []):
            if label in cases:
                cases[label].append(test["name"])
    return cases


def check_harness(workshop: Workshop, tester: Tester) -> None:
    """The C test harness says the right thing of programs that fail in every way."""
    with tester.check("pytest tests/support/selftest"):
        build = workshop.build(workshop.kit.solutions)
        ended = workshop.pytest("tests/support/selftest", seconds=900, LAB_BUILD_DIR=str(build))
        require(re.search(r"\b[1-9]\d* passed", ended.output) is not None, ended.output)


def check_with_valgrind(workshop: Workshop, tester: Tester) -> None:
    """valgrind finds no error and no leak in the reference."""
    with tester.check("solutions/ builds without sanitizers, without a warning"):
        workshop.build(workshop.kit.solutions, preset="valgrind")
    with tester.check("valgrind sees a leak that is planted"):
        planted = [_test_program(workshop, "support/selftest/lab-selftest"), "leaks"]
        said, _ = _run_valgrind(workshop, "planted", planted)
        require("definitely lost" in said, f"what it says is not a leak: {said!r}")
    with concurrent.futures.ThreadPoolExecutor(workshop.jobs) as pool:
        labs = workshop.kit.labs
        runs = [pool.submit(_check_cases, workshop, lab) for lab in labs]
        for milestone, run in zip(labs, runs):
            with tester.check(f"valgrind test-{milestone.id}: every case"):
                run.result()


def _check_cases(workshop: Workshop, milestone: Milestone) -> None:
    """All cases in one run, each in a fork: they are followed. Slowed down thirtyfold, a case may
    miss a limit of time, so `failed` is left to the other parts; what counts here is what valgrind
    says, and that every case came to its end."""
    program = _test_program(workshop, f"{milestone.folder}/test-{milestone.id}")
    said, output = _run_valgrind(workshop, milestone.id, [program])
    require(said == "", said)
    verdicts = re.findall(rf"^([a-z-]+) +{milestone.id}\.", output, re.MULTILINE)
    count = len(read_cases(workshop.kit.cases_file(milestone)))
    require(len(verdicts) == count, f"{len(verdicts)} of {count} cases\n{output}")
    require(set(verdicts) <= {"passed", "failed"}, output)


def _test_program(workshop: Workshop, path: str) -> str:
    return str(workshop.build(workshop.kit.solutions, preset="valgrind") / "tests" / path)


def _run_valgrind(workshop: Workshop, name: str, program: List[str]) -> "tuple[str, str]":
    """What valgrind says, nothing if all is well, and what the program prints."""
    logs = workshop.folder / f"valgrind-{name}"
    logs.mkdir()
    command = ["valgrind", "-q", "--trace-children=yes", "--leak-check=full",
               "--show-leak-kinds=definite,indirect", "--errors-for-leak-kinds=definite,indirect",
               f"--log-file={logs}/%p.txt", "--error-exitcode=99", *program]  # fmt: skip
    patience = {"CK_TIMEOUT_MULTIPLIER": VALGRIND_PATIENCE}
    ended = workshop.try_run(command, seconds=900, environment=patience)
    said = "\n".join(path.read_text(encoding="utf-8") for path in sorted(logs.iterdir()))
    return said.strip(), ended.output
