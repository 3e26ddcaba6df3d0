"""Builds a wrong layer, runs one test of it, and catches what a student would see."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Dict, List, Sequence

from rich.console import Console

from grader.build import TARGETS, Build, BuildRequest, build
from grader.check_list import read_checks
from grader.exit_codes import KitFailed
from grader.feedback.examples import Example, wrong_file
from grader.keepers import Keepers
from grader.kit import MILESTONES, Kit
from grader.model import Status, TestResult
from grader.plan import PlannedTest, c_tests
from grader.processes import clean_environment, run_program
from grader.run_e2e import run_end_to_end
from grader.student_report import StudentReport

PATIENCE = "0.3"  # of the time that a test has: those here that hang do it at once
CASE_SECONDS = 60.0

_STATUS_OF_EXIT = {
    0: Status.PASSED, 1: Status.FAILED, 10: Status.CRASHED, 11: Status.TIMEOUT,
    12: Status.LEAKED, 13: Status.EARLY_EXIT, 14: Status.NOT_IMPLEMENTED,
}  # fmt: skip


class Producer:
    """Keeps its build in `folder`, so that each example costs one file and one link."""

    def __init__(self, kit: Kit, folder: Path) -> None:
        self._kit = kit
        self._submission = folder / "submission"
        self._build_folder = folder / "build"
        for milestone in MILESTONES:
            self._write(milestone.path, (kit.solutions / milestone.path).read_text("utf-8"))

    def text_of(self, example: Example) -> str:
        self._write(example.milestone.path, wrong_file(self._kit, example))
        group = PlannedTest(example.test, "", 0).group
        made = self._build([TARGETS[group]])
        if made.failures:
            raise KitFailed(f"{example.name}: {made.failure_texts}")
        program = made.programs[TARGETS[group]]
        if group == example.milestone.id:
            text = self._run_case(program, example)
        else:
            text = self._run_check(program, group, example)
        return self._as_student_sees_it(text)

    def build_all(self, examples: Sequence[Example]) -> None:
        """At once, on all cores, what is the same for all."""
        self._build(sorted({TARGETS[PlannedTest(e.test, "", 0).group] for e in examples}))

    def _build(self, targets: List[str]) -> Build:
        request = BuildRequest(self._kit.root, self._submission, self._build_folder)
        return build(request, targets)

    def _write(self, path: str, text: str) -> None:
        """A file that is as it should be keeps its time, and is not compiled again."""
        file = self._submission / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")

    def _run_case(self, program: Path, example: Example) -> str:
        [test] = [t for t in c_tests(self._kit, example.milestone) if t.id == example.test]
        ended = run_program(
            [str(program), test.name],
            seconds=CASE_SECONDS,
            environment=clean_environment(CK_TIMEOUT_MULTIPLIER=PATIENCE),
        )
        status = _STATUS_OF_EXIT.get(ended.returncode, Status.ERROR)
        return self._report(test.result(status), ended.output)

    def _run_check(self, server: Path, group: str, example: Example) -> str:
        results: List[TestResult] = []
        tests = [t for t in read_checks(self._kit) if t.id == example.test]
        with Keepers(1) as keepers:
            run_end_to_end(self._kit, keepers, group, server, tests, results.append)
        [result] = results
        return self._report(result, "")

    def _report(self, result: TestResult, text: str) -> str:
        out = io.StringIO()
        report = StudentReport(Console(file=out, width=100, highlight=False), self._kit)
        report.tested(result, text)
        report.close()
        return out.getvalue()

    def _as_student_sees_it(self, text: str) -> str:
        """Who has this tree as milestones/, and lets ./lab test build it."""
        places: Dict[Path, str] = {
            self._build_folder: "build/student-on-reference",
            self._submission: "milestones",
        }
        for path, known_as in places.items():
            for shown in (str(path), str(path).replace(f"{self._kit.root}/", "")):
                text = text.replace(shown, known_as)
        return text


