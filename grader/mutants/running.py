"""Runs the cases of a milestone on a mutant, and finds out which of them caught it.

The program of a milestone's tests runs every case in a process of its own anyway, so one start of it
for several cases is much cheaper than one for each. A mutant often hangs, so a case gets less time than
a student's would; one that takes long on the reference, too, must run out of its whole time, alone. A
mutant that hangs in one case after the other is not tried to the end.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, Sequence

from grader.exit_codes import KitFailed
from grader.processes import clean_environment, run_program

Verdicts = Dict[str, str]  # by test: "passed", "failed", "crashed", ...; who is missing was not tried

CAUGHT_VERDICTS = ("failed", "crashed", "timeout", "leaked", "early-exit")

_LIMIT = 10  # seconds: what a case has by itself
_SHORT = 0.15  # the part of it that a mutant gets
_SLOW = 0.4  # seconds on the reference: then the short time may be too short
_AT_ONCE = 6  # cases in one start of the program
_ENOUGH = 3  # cases that hang: the others are not tried any more
_QUICK_REPORTS = {"ASAN_OPTIONS": "symbolize=0", "UBSAN_OPTIONS": "symbolize=0"}  # nobody reads them
_LINE = re.compile(r"^([a-z-]+) +[mx]\d\.(\w+): .*?(?:\((\d+\.\d+) s\))?$", re.MULTILINE)


def run_reference(program: Path, cases: Sequence[str]) -> Dict[str, float]:
    """How long each case takes. KitFailed unless the reference passes all: then a failure of a mutant
    says nothing."""
    output = _run(program, cases, 1)
    times = {name: float(time) for word, name, time in _LINE.findall(output) if word == "passed"}
    if set(times) != set(cases):
        raise KitFailed(f"the reference does not pass its tests:\n{output}")
    return times


def run_mutant(
    program: Path, named: Sequence[str], others: Sequence[str], times: Dict[str, float]
) -> Verdicts:
    """The named ones in any case. `times`: what run_reference gave."""
    verdicts: Verdicts = {}
    for cases in (named, *_portions(others)):
        if list(verdicts.values()).count("timeout") < _ENOUGH:
            verdicts.update(_run_portion(program, cases, times))
    return verdicts


def _portions(cases: Sequence[str]) -> Iterator[Sequence[str]]:
    for begin in range(0, len(cases), _AT_ONCE):
        yield cases[begin : begin + _AT_ONCE]


def _run_portion(program: Path, cases: Sequence[str], times: Dict[str, float]) -> Verdicts:
    verdicts = _verdicts(_run(program, cases, _SHORT))
    for name in cases:
        is_doubtful = verdicts.get(name) == "timeout" and times[name] > _SLOW
        if is_doubtful or verdicts.get(name, "error") == "error":
            verdicts[name] = _verdicts(_run(program, [name], 1)).get(name, "error")
    return verdicts


def _run(program: Path, cases: Sequence[str], patience: float) -> str:
    environment = clean_environment(CK_TIMEOUT_MULTIPLIER=str(patience), **_QUICK_REPORTS)
    seconds = len(cases) * (6 * _LIMIT * patience + 1)  # six times as long where there is no room
    return run_program([str(program), *cases], seconds=seconds, environment=environment).output


def _verdicts(output: str) -> Verdicts:
    return {name: word for word, name, _ in _LINE.findall(output)}
