"""The optional lab x3: its tests and programs, with both compilers and three levels of optimisation."""

from __future__ import annotations

from grader.selftest.tester import Tester
from grader.selftest.workshop import Workshop

_COMPILERS = {"gcc": "g++", "clang": "clang++"}
_LEVELS = ("-O0", "-O2", "-O3")
_BUILD_SECONDS = 1200
_TEST_SECONDS = 1200


def check_cpp(workshop: Workshop, tester: Tester) -> None:
    """x3, the face in C++20, and its programs: gcc and clang, -O0, -O2, -O3, under ASan and UBSan."""
    for compiler in _COMPILERS:
        for level in _LEVELS:
            with tester.check(f"{_COMPILERS[compiler]} {level}: without a warning, all tests pass"):
                _build_and_test(workshop, compiler, level)


def _build_and_test(workshop: Workshop, compiler: str, level: str) -> None:
    folder = workshop.folder / f"cpp-{compiler}{level}"
    settings = {
        "LAB_CPP": "ON",
        "LAB_WERROR": "ON",
        "LAB_SUBMISSION": str(workshop.kit.solutions),
        "CMAKE_C_COMPILER": compiler,
        "CMAKE_CXX_COMPILER": _COMPILERS[compiler],
        "CMAKE_C_FLAGS": level,
        "CMAKE_CXX_FLAGS": level,
    }
    options = [f"-D{name}={value}" for name, value in settings.items()]
    source = ["-S", str(workshop.kit.root), "-B", str(folder), "-G", "Ninja"]
    workshop.run(["cmake", *source, *options], seconds=120)
    targets = ["tests/x3-cpp20/all", "milestones/x3-cpp20/all"]
    jobs = str(workshop.jobs)
    workshop.run(["ninja", "-C", str(folder), "-j", jobs, *targets], seconds=_BUILD_SECONDS)
    test = ["ctest", "--test-dir", str(folder), "-L", "^x3$", "-j", jobs, "--output-on-failure"]
    workshop.run([*test, "--no-tests=error"], seconds=_TEST_SECONDS)
