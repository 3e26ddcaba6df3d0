"""Runs all cases of a mutant in one go, and finds out which of them caught it.

The program of a milestone's tests runs every case in a process of its own anyway, so one start of it
is much cheaper than one for each case. A mutant often hangs, so a case gets less time than a student's
would; one that takes long on the reference, too, must fail again, alone, with all the time it has.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Sequence

from grader.exit_codes import KitFailed
from grader.processes import clean_environment, run_program

Verdicts = Dict[str, str]  # by test: "passed", "failed", "crashed", ...

CAUGHT = {"failed", "crashed", "timeout", "leaked", "early-exit"}

_LIMIT = 10  # seconds: what a case has by itself
_SHORT = 0.3  # the part of it that a mutant gets
_SLOW = 0.4  # seconds on the reference: such a case may need more than the short time
_LINE = re.compile(r"^([a-z-]+) +m\d\.(\w+): .*?(?:\((\d+\.\d+) s\))?$", re.MULTILINE)
_EXIT_CODES = {0: "passed", 1: "failed", 10: "crashed", 11: "timeout", 12: "leaked",
               13: "early-exit", 14: "not-implemented"}  # fmt: skip


def run_reference(program: Path, cases: Sequence[str]) -> Dict[str, float]:
    """How long each case takes. KitFailed unless the reference passes all: then a failure of a mutant
    says nothing."""
    output = _run_all(program, len(cases), 1)
    times = {name: float(time) for word, name, time in _LINE.findall(output) if word == "passed"}
    for name in cases:
        if name not in times:
            if _run_alone(program, name) != "passed":
                raise KitFailed(f"the reference does not pass {name}:\n{output}")
            times[name] = _SLOW + 1
    return times


def run_mutant(program: Path, times: Dict[str, float]) -> Verdicts:
    """`times`: what run_reference gave."""
    output = _run_all(program, len(times), _SHORT)
    verdicts = {name: word for word, name, _ in _LINE.findall(output) if name in times}
    for name, time in times.items():
        is_doubtful = verdicts.get(name) == "timeout" and time > _SLOW
        if name not in verdicts or is_doubtful or verdicts[name] == "error":
            verdicts[name] = _run_alone(program, name)
    return verdicts


def _run_all(program: Path, count: int, patience: float) -> str:
    environment = clean_environment(CK_TIMEOUT_MULTIPLIER=str(patience))
    seconds = count * (_LIMIT * patience + 1)
    return run_program([str(program)], seconds=seconds, environment=environment).output


def _run_alone(program: Path, case: str) -> str:
    """The exit code is the verdict."""
    ended = run_program([str(program), case], seconds=2 * _LIMIT)
    return "timeout" if ended.timed_out else _EXIT_CODES.get(ended.returncode, "error")


def names_caught(verdicts: Verdicts) -> List[str]:
    return [test for test, verdict in verdicts.items() if verdict in CAUGHT]
