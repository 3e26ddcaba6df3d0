"""The part `seeds` of the kit's own tests."""

from __future__ import annotations

from typing import Dict

from grader.seeds import page
from grader.seeds.known import unknown_tests
from grader.seeds.promises import read_promises
from grader.seeds.run import run
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop


def check_seeds(workshop: Workshop, tester: Tester) -> None:
    """What the four systems promise is shown by C tests and C++ programs, as docs/seeds.md says."""
    run_check(workshop, tester, update=False)


def run_check(workshop: Workshop, tester: Tester, update: bool) -> None:
    """`update`: write docs/seeds.md."""
    kit, promises = workshop.kit, read_promises()
    passed: Dict[str, bool] = {}
    with tester.check("each test and program that is named exists"):
        unknown = unknown_tests(kit, promises)
        require(not unknown, f"{unknown}")
    with tester.check("they run"):
        passed = run(workshop, promises)
    for promise in promises:
        with tester.check(f"{promise.id}: {promise.says}"):
            failed = [name for name in promise.tests if not passed.get(name)]
            require(not failed, f"failed, or did not run: {', '.join(failed)}")
    path = page.path_of(kit)
    if update:
        path.write_text(page.render(promises, passed), encoding="utf-8")
        tester.progress(f"written: {path}")
    with tester.check("docs/seeds.md is up to date"):
        written = path.read_text(encoding="utf-8")
        require(page.render(promises, passed) == written, "it is not: python3 -m grader.seeds --update")
