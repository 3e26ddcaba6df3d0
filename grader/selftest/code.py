"""The kit's C and C++ code as text: its format, what clang-tidy says, and that stubs match the reference."""

from __future__ import annotations

import concurrent.futures
import re
from pathlib import Path
from typing import Dict, List, Set

from grader.kit import Milestone
from grader.selftest.tester import CheckFailed, Tester, require
from grader.selftest.workshop import Workshop

# The style puts the brace of a function, and nothing else, at the beginning of a line.
_DEFINITION = re.compile(r"^(?!static\b)(\w[\w \*]*?[ \*])(\w+)\(([^;{}]*)\)\n\{", re.MULTILINE)
_STUB_ONLY = {"not_implemented.h"}


def check_format(workshop: Workshop, tester: Tester) -> None:
    """All C and C++ code has the format of .clang-format."""
    with tester.check("clang-format changes nothing"):
        files = [str(path) for path in workshop.c_files()]
        require(len(files) > 0, "no C files found")
        workshop.run(["clang-format", "--dry-run", "-Werror", *files], seconds=120)


def check_tidy(workshop: Workshop, tester: Tester) -> None:
    """clang-tidy has nothing to say, with the checks of .clang-tidy."""
    for tree in (workshop.kit.solutions, workshop.kit.milestones):
        with tester.check(f"clang-tidy {tree.name}/"):
            folder = workshop.build_layers(tree)
            folders = [tree / lab.folder for lab in workshop.kit.labs]
            files = [path for own in folders for path in sorted(own.glob("*.c"))]
            with concurrent.futures.ThreadPoolExecutor(workshop.jobs) as pool:
                found = list(pool.map(lambda path: _tidy(workshop, folder, path), files))
            complaints = [text for text in found if text]
            require(not complaints, "\n".join(complaints))


def _tidy(workshop: Workshop, build: Path, path: Path) -> str:
    command = ["clang-tidy", "--quiet", "--warnings-as-errors=*", "-p", str(build), str(path)]
    try:
        workshop.run(command, seconds=300)
    except CheckFailed as problem:
        lines = [line for line in str(problem).splitlines() if ": error: " in line]
        return "\n".join(lines) or str(problem)  # how the analyzer got there is long
    return ""


def check_outline(workshop: Workshop, tester: Tester) -> None:
    """A stub and its solution have the same public functions and use the same headers."""
    for lab, path in ((lab, path) for lab in workshop.kit.labs for path in lab.paths):
        stub = workshop.kit.milestones / path
        solution = workshop.kit.solutions / path
        with tester.check(f"{path}: the same public functions"):
            _compare("function", _public_functions(stub), _public_functions(solution))
        with tester.check(f"{path}: no other global names"):
            for tree in (workshop.kit.milestones, workshop.kit.solutions):
                _check_symbols(workshop, lab, tree / path)
        with tester.check(f"{path}: the same headers of the kit"):
            includes = (_includes(stub) - _STUB_ONLY, _includes(solution))
            _compare("header", *({name: name for name in names} for names in includes))


def _public_functions(path: Path) -> Dict[str, str]:
    """Name and whole signature."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = {m[2]: " ".join(m[0].split())[:-2] for m in _DEFINITION.finditer(text)}
    require(len(found) > 0, f"no public function in {path}")
    return found


def _includes(path: Path) -> Set[str]:
    return set(re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE))


def _compare(what: str, stub: Dict[str, str], solution: Dict[str, str]) -> None:
    problems: List[str] = []
    for name in sorted(stub.keys() | solution.keys()):
        if name not in solution:
            problems.append(f"{what} {name} is in the stub only")
        elif name not in stub:
            problems.append(f"{what} {name} is in the solution only")
        elif stub[name] != solution[name]:
            problems.append(f"stub: {stub[name]}\nsolution: {solution[name]}")
    require(not problems, "\n".join(problems))


def _check_symbols(workshop: Workshop, lab: Milestone, source: Path) -> None:
    """The object file's global names are those functions: nothing is hidden from the comparison."""
    tree = source.parents[1]
    build = workshop.build_layers(tree)
    library = build / "milestones" / f"libsubmission-{lab.id}.a"
    listing = workshop.run(["nm", "-g", "--defined-only", str(library)], seconds=60).output
    member = listing.split(f"\n{source.name}.o:\n")[1].split("\n\n")[0]
    symbols = {line.split()[2] for line in member.splitlines() if len(line.split()) == 3}
    symbols = {name for name in symbols if not name.startswith("__")}  # the sanitizers'
    expected = set(_public_functions(source))
    require(symbols == expected, f"{tree.name}: {sorted(symbols ^ expected)}")
