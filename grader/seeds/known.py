"""The names of all tests that a promise can refer to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Set

from grader.check_list import read_checks
from grader.kit import Kit
from grader.plan import c_tests
from grader.seeds.promises import Promise, program_test

END_TO_END = "m5.e2e"
CPP = "x3-cpp20"
_EXAMPLE = re.compile(r"^lab_add_example\((\w+)", re.MULTILINE)
_CPP_CASE = re.compile(r"^TEST\((\w+)\)", re.MULTILINE)


def known_tests(kit: Kit) -> Set[str]:
    known = {test.id for lab in kit.labs for test in c_tests(kit, lab)}
    known |= {test.id for test in read_checks(kit)}
    examples = (kit.root / "docs" / "examples" / "CMakeLists.txt").read_text(encoding="utf-8")
    known |= {f"example.{name}" for name in _EXAMPLE.findall(examples)}
    for path in (kit.root / "tests" / CPP).glob("*.cpp"):
        known |= {f"x3.{name}" for name in _CPP_CASE.findall(path.read_text(encoding="utf-8"))}
    return known | {program_test(path.stem) for path in cpp_programs(kit)}


def cpp_programs(kit: Kit) -> List[Path]:
    return sorted((kit.milestones / CPP / "programs").glob("*.cpp"))


def unknown_tests(kit: Kit, promises: List[Promise]) -> Dict[str, List[str]]:
    """By promise."""
    known = known_tests(kit)
    unknown = {one.id: [test for test in one.tests if test not in known] for one in promises}
    return {id: tests for id, tests in unknown.items() if tests}
