"""Runs what shows the promises: the C tests and examples, the C++ tests and programs, and the clients."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from pathlib import Path
from typing import Dict, List, Sequence

from grader.check_list import read_checks
from grader.keepers import Keepers
from grader.kit import Kit
from grader.model import Status, TestResult
from grader.run_e2e import run_end_to_end
from grader.seeds.known import END_TO_END
from grader.seeds.promises import Promise
from grader.selftest.workshop import Workshop

_TEST_SECONDS = 600


def run(workshop: Workshop, promises: Sequence[Promise]) -> Dict[str, bool]:
    """Which tests have passed, by name. What did not run is not in it."""
    names = sorted({test for promise in promises for test in promise.tests})
    build = workshop.build_with_cpp()
    clients = [name for name in names if name.startswith(f"{END_TO_END}.")]
    passed = _ctest(workshop, build, [name for name in names if name not in clients])
    passed.update(_end_to_end(workshop.kit, build / "milestones" / "echo-server", clients))
    return passed


def _ctest(workshop: Workshop, build: Path, names: List[str]) -> Dict[str, bool]:
    report = workshop.folder / "promises.xml"
    pattern = "|".join(map(re.escape, names))
    command = ["ctest", "--test-dir", str(build), "-R", f"^({pattern})$", "-j", str(workshop.jobs)]
    workshop.try_run([*command, "--output-junit", str(report)], seconds=_TEST_SECONDS)
    cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    return {case.attrib["name"]: case.attrib["status"] == "run" for case in cases}


def _end_to_end(kit: Kit, server: Path, names: List[str]) -> Dict[str, bool]:
    results: List[TestResult] = []
    tests = [test for test in read_checks(kit) if test.id in names]
    with Keepers(1) as keepers:
        run_end_to_end(kit, keepers, END_TO_END, server, tests, results.append)
    return {result.id: result.status == Status.PASSED for result in results}
