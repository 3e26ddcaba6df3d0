"""What runs on several threads: ThreadSanitizer on the tests of the optional labs, the tests of
`echo-server --threads`, and Spin on the models of lab x2's thread pool.

The models are in tests/x2-thread-pool/model; models.txt says how each is built, and what must come out. Spin
goes through all orders in which the threads of a model can take their steps.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import re
from pathlib import Path
from typing import Iterator, List

from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop

_PROGRAMS = {  # target: where its program is, below tests/
    "test-x1": "x1-sync",
    "test-x2": "x2-thread-pool",
    "test-x2-with-x1": "x2-thread-pool/with-x1",
}
_SERVER = "echo-server"
_SERVER_TESTS = "tests/echo_threads"
_MODELS = "tests/x2-thread-pool/model"
_HOLDS = "holds"
_DEPTH = 1_000_000  # of the search: no run of a model is longer
_SECONDS = 300


def check_threads(workshop: Workshop, tester: Tester) -> None:
    """ThreadSanitizer finds no race in the optional labs, and none in a server on several threads."""
    tests = workshop.kit.root / "tests"
    programs = {name: place for name, place in _PROGRAMS.items() if (tests / place).is_dir()}
    targets = [*programs, _SERVER]
    with tester.check("they build with ThreadSanitizer, without a warning"):
        workshop.build_programs("tsan", targets)
    for target, place in programs.items():
        with tester.check(f"{target}: all cases"):
            folder = workshop.build_programs("tsan", targets) / "tests" / place
            workshop.run([str(folder / target)], seconds=_SECONDS)
    for preset, sanitizer in {"tsan": "ThreadSanitizer", "student": "AddressSanitizer"}.items():
        with tester.check(f"{_SERVER} --threads, with {sanitizer}"):
            chosen = targets if preset == "tsan" else [_SERVER]
            server = workshop.build_programs(preset, chosen) / "milestones" / _SERVER
            ended = workshop.pytest(_SERVER_TESTS, _SECONDS, LAB_ECHO_SERVER=str(server))
            require(re.search(r"\b[1-9]\d* passed", ended.output) is not None, ended.output)


# ---- The models ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    definitions: str
    outcome: str  # _HOLDS, or the fault that must be found, as a sentence

    @property
    def title(self) -> str:
        return " ".join(f"{self.name} {self.definitions}: {self.outcome}".split()).replace(" :", ":")


@dataclasses.dataclass(frozen=True)
class Search:
    errors: int
    states: int
    output: str


def read_models(folder: Path) -> Iterator[Model]:
    for line in (folder / "models.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, definitions, outcome = (column.strip() for column in line.split("|"))
            yield Model(name, definitions, outcome)


def check_models(workshop: Workshop, tester: Tester) -> None:
    """Spin: the models of the thread pool hold in every order of steps, and each of their faults is found."""
    folder = workshop.kit.root / _MODELS
    if not folder.is_dir():  # a copy of the kit need not have the optional labs
        return
    models: List[Model] = []
    with tester.check(f"{_MODELS}/models.txt names every model"):
        models = list(read_models(folder))
        there = {path.stem for path in folder.glob("*.pml")}
        require({model.name for model in models} == there, f"there are {', '.join(sorted(there))}")
    with concurrent.futures.ThreadPoolExecutor(workshop.jobs) as pool:
        runs = [
            pool.submit(_search, workshop, folder, number, model)
            for number, model in enumerate(models)
        ]
        for model, run in zip(models, runs):
            with tester.check(model.title):
                _judge(tester, model, run.result())


def _search(workshop: Workshop, models: Path, number: int, model: Model) -> Search:
    """All states that the model can come to."""
    folder = workshop.folder / f"model-{number}"
    folder.mkdir()
    options = " ".join(f"-D{definition}" for definition in model.definitions.split())
    shell = (
        f"cd '{folder}' && spin {options} -a '{models / model.name}.pml' >spin.txt &&"
        f" gcc -O1 -w -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m{_DEPTH}"
    )
    output = workshop.run(["sh", "-c", shell], seconds=_SECONDS).output
    found = [re.search(pattern, output) for pattern in (r"errors: (\d+)", r"(\d+) states, stored")]
    require(all(found), f"Spin does not say what it has found:\n{output}")
    errors, states = (int(match[1]) for match in found if match is not None)
    return Search(errors, states, output)


def _judge(tester: Tester, model: Model, search: Search) -> None:
    tester.progress(f"{search.states} states")
    require("max search depth too small" not in search.output, search.output)
    if model.outcome == _HOLDS:
        require(search.errors == 0, search.output)
    else:
        require(search.errors > 0, "Spin has not found it")
