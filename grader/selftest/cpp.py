"""The optional lab x3: its tests and programs, with both compilers, optimised and not, and under the sanitizers."""

from __future__ import annotations

import concurrent.futures
from typing import NamedTuple, Tuple

from grader.selftest.tester import Tester
from grader.selftest.workshop import Workshop

_COMPILERS = {"gcc": "g++", "clang": "clang++"}
_SECONDS = 1200
_TESTS_AT_A_TIME = 4  # the long ones sleep


class _Build(NamedTuple):
    level: str
    sanitizers: str = ""


_BUILDS: Tuple[_Build, ...] = (
    _Build("-O0", "address,undefined"),  # with LeakSanitizer; compiled much faster than at -O1
    _Build("-O2"),
    _Build("-O3"),
)


def check_cpp(workshop: Workshop, tester: Tester) -> None:
    """x3, the face in C++20, and its programs: gcc and clang, -O0 (with ASan, UBSan, LSan), -O2, -O3."""
    chosen = [(compiler, build) for compiler in _COMPILERS for build in _BUILDS]
    with concurrent.futures.ThreadPoolExecutor(workshop.jobs) as pool:
        runs = [pool.submit(_build_and_test, workshop, *one) for one in chosen]
        for (compiler, build), run in zip(chosen, runs):
            name = f"{_COMPILERS[compiler]} {build.level} {build.sanitizers}".strip()
            with tester.check(f"{name}: without a warning, all tests pass"):
                run.result()


def _build_and_test(workshop: Workshop, compiler: str, build: _Build) -> None:
    folder = workshop.folder / f"cpp-{compiler}{build.level}"
    settings = {
        "LAB_CPP": "ON",
        "LAB_WERROR": "ON",
        "LAB_SANITIZE": build.sanitizers,
        "LAB_BASE": "own",  # the same layers, and compiled once
        "LAB_SUBMISSION": str(workshop.kit.solutions),
        "CMAKE_C_COMPILER": compiler,
        "CMAKE_CXX_COMPILER": _COMPILERS[compiler],
        "CMAKE_C_FLAGS": build.level,
        "CMAKE_CXX_FLAGS": build.level,
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    source = ["-S", str(workshop.kit.root), "-B", str(folder), "-G", "Ninja"]
    workshop.run(["cmake", *source, *options], seconds=120)
    targets = ["tests/x3-cpp20/all", "milestones/x3-cpp20/all"]
    workshop.run(["ninja", "-C", str(folder), "-j", "1", *targets], seconds=_SECONDS)
    test = ["ctest", "--test-dir", str(folder), "-L", "^x3$", "-j", str(_TESTS_AT_A_TIME)]
    workshop.run([*test, "--no-tests=error", "--output-on-failure"], seconds=_SECONDS)
