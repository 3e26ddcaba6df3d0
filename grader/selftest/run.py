"""`./lab selftest`: runs the parts, in an order in which cheap and telling ones come first."""

from __future__ import annotations

import difflib
import tempfile
from pathlib import Path
from typing import Callable, Dict, List, Sequence

from rich.console import Console

from grader.exit_codes import ExitCode, WrongUse
from grader.feedback.check import check_feedback
from grader.kit import Kit
from grader.mutants.check import check_mutants
from grader.seeds.check import check_seeds
from grader.selftest import code, grading, programs, python, reference, steadiness
from grader.selftest.autograder import check_autograder
from grader.selftest.batch import check_batch
from grader.selftest.bench import check_bench
from grader.selftest.commands import check_commands
from grader.selftest.cpp import check_cpp
from grader.selftest.handout import check_handout
from grader.selftest.hostile import check_hostile
from grader.selftest.site import check_site
from grader.selftest.tester import Tester
from grader.selftest.threads import check_models, check_threads
from grader.selftest.workshop import Workshop

Part = Callable[[Workshop, Tester], None]

# Each part's docstring says what it shows.
PARTS: Dict[str, Part] = {
    "format": code.check_format,
    "mypy": python.check_types,
    "grader": python.check_grader,
    "reference": reference.check_with_gcc,
    "harness": reference.check_harness,
    "feedback": check_feedback,
    "variants": steadiness.check_variants,
    "mutants": check_mutants,
    "clang": reference.check_with_clang,
    "threads": check_threads,
    "models": check_models,
    "outline": code.check_outline,
    "stubs": grading.check_stubs,
    "grade": grading.check_grade,
    "handout": check_handout,
    "autograder": check_autograder,
    "hostile": check_hostile,
    "batch": check_batch,
    "bench": check_bench,
    "readme": programs.check_readme,
    "site": check_site,
    "commands": check_commands,
    "cpp": check_cpp,
    "seeds": check_seeds,
    "tools": programs.check_tools,
    "tidy": code.check_tidy,
    "valgrind": reference.check_with_valgrind,
}

# Run when they are named, and not with the others: each takes minutes.
SLOW = {"mutants", "bench", "commands", "cpp", "seeds", "handout", "autograder", "hostile", "batch"}


def part_names() -> List[str]:
    return list(PARTS)


def run_selftest(kit: Kit, names: Sequence[str], console: Console) -> ExitCode:
    chosen = _choose(names)
    tester = Tester(console)
    with tempfile.TemporaryDirectory(prefix="lab-selftest-") as folder:
        workshop = Workshop(kit, Path(folder))
        for name in chosen:
            tester.part(name, (PARTS[name].__doc__ or "").strip())
            PARTS[name](workshop, tester)
    return _close(tester)


def run_repeats(kit: Kit, repeats: int, load: bool, console: Console) -> ExitCode:
    """Only the reference's C tests, but often."""
    tester = Tester(console)
    with tempfile.TemporaryDirectory(prefix="lab-selftest-") as folder:
        tester.part("repeat", (steadiness.check_repeats.__doc__ or "").strip())
        steadiness.check_repeats(Workshop(kit, Path(folder)), tester, repeats, load)
    return _close(tester)


def _close(tester: Tester) -> ExitCode:
    tester.close()
    return ExitCode.TESTS_FAILED if tester.failed else ExitCode.DONE


def _choose(names: Sequence[str]) -> List[str]:
    for name in names:
        if name not in PARTS:
            close = difflib.get_close_matches(name, PARTS, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise WrongUse(f"no part {name}{hint}\nKnown: {', '.join(PARTS)}")
    return [name for name in PARTS if (name in names if names else name not in SLOW)]
