"""Grades one upload in Gradescope's container: as root, with what setup.sh has prepared.

The sandbox needs user namespaces, which such containers do not give as a rule. Without it programs
run as nobody, who can read neither the kit nor the results; what else a program does there ends
with the container, which has one submission only.
"""

from __future__ import annotations

import dataclasses
import json
import pickle
import shutil
import tempfile
from pathlib import Path
from typing import Any, Dict

from grader.autograder.metadata import read_metadata
from grader.autograder.processors import available_processors
from grader.autograder.time_up import grade_in_shares, known
from grader.exit_codes import ExitCode, KitFailed
from grader.grade import GradeRequest, errors, grade
from grader.kit import Kit
from grader.model import Result
from grader.report_terminal import print_result
from grader.reports.gradescope import gradescope
from grader.rubric import Rubric, read_rubric
from grader.sandbox import Sandbox, require_reach, why_not
from grader.score_file import replace_file
from grader.stage import Stage, make_stage
from grader.submissions.printable import SubmissionError
from grader.terminal import make_console
from grader.watcher import Watcher

RESERVE = 60  # seconds of the time limit that are left for writing the results
_LONGEST_BUILD = 30  # seconds, for each file: less than the smallest share of the shortest limit


@dataclasses.dataclass(frozen=True)
class Container:
    root: Path = Path("/autograder")

    @property
    def rubric(self) -> Path:
        return self.root / "source" / "rubric.toml"

    @property
    def stage(self) -> Path:
        """Not in source/, where nobody can go."""
        return self.root / "stage"

    @property
    def stage_file(self) -> Path:
        return self.root / "source" / "stage.pickle"

    @property
    def submission(self) -> Path:
        return self.root / "submission"

    @property
    def metadata(self) -> Path:
        return self.root / "submission_metadata.json"

    @property
    def results(self) -> Path:
        return self.root / "results" / "results.json"


def prepare(kit: Kit, container: Container) -> None:
    """Once for an image; again, it finds everything done."""
    if container.stage_file.exists():
        return
    rubric = read_rubric(container.rubric)
    sandbox = Sandbox(rubric.limits, enabled=False)
    shutil.rmtree(container.stage, ignore_errors=True)
    container.stage.mkdir()
    sandbox.lend(container.stage)
    stage = make_stage(kit, rubric.base, sandbox, container.stage)
    container.stage_file.write_bytes(pickle.dumps(stage))
    shutil.rmtree(kit.solutions)
    shutil.rmtree(kit.root / "build")  # has the same objects, and more


def grade_upload(kit: Kit, container: Container, minutes: int) -> ExitCode:
    """Writes results.json in any case."""
    with tempfile.TemporaryDirectory(prefix="lab-score-") as folder:
        score_file = Path(folder) / "score.json"
        try:
            result = _grade(kit, container, score_file, minutes * 60 - RESERVE)
        except SubmissionError as error:
            return _nothing_to_grade(container, str(error))
        except KitFailed as error:
            result = known(score_file)
            result.environment["failure"] = str(error)
    replace_file(container.results, gradescope(result).encode("utf-8"))
    print_result(make_console(), result)
    failed = bool(errors(result)) or "failure" in result.environment
    return ExitCode.KIT_FAILED if failed else ExitCode.DONE


def _grade(kit: Kit, container: Container, score_file: Path, seconds: float) -> Result:
    metadata = read_metadata(container.metadata)
    rubric = _rubric(container)
    no_sandbox = why_not(Sandbox(rubric.limits))
    request = GradeRequest(
        kit=kit,
        source=container.submission,
        rubric=dataclasses.replace(rubric, late=metadata.policy(rubric.late)),
        sandboxed=no_sandbox is None,
        score_file=score_file,
        submitted=metadata.submitted,
        jobs=available_processors(),
        stage=_stage(container, Sandbox(rubric.limits, enabled=no_sandbox is None)),
    )
    notes = {"no_sandbox": no_sandbox or "", "no_metadata": metadata.problem}
    notes = {name: note for name, note in notes.items() if note}
    for name, note in notes.items():  # standard output is the instructor's
        print(f"lab: {name.replace('_', ' ')}: {note}", flush=True)
    result = grade_in_shares(request, seconds, lambda part: grade(part, Watcher()))
    result.environment.update(notes)
    return result


def _rubric(container: Container) -> Rubric:
    rubric = read_rubric(container.rubric)
    build_seconds = min(rubric.limits.build_seconds, _LONGEST_BUILD)
    limits = dataclasses.replace(rubric.limits, build_seconds=build_seconds)
    return dataclasses.replace(rubric, limits=limits)


def _stage(container: Container, sandbox: Sandbox) -> Stage:
    try:
        stage: Stage = pickle.loads(container.stage_file.read_bytes())
    except OSError as error:
        raise KitFailed("nothing is prepared: setup.sh did not come to its end") from error
    require_reach(sandbox, stage.parts)
    return stage


def _nothing_to_grade(container: Container, why: str) -> ExitCode:
    """That is no failure of the machine's: there is a verdict, and a way to do better."""
    data: Dict[str, Any] = {
        "score": 0,
        "output": f"Nothing could be graded: {why}",
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }
    replace_file(container.results, (json.dumps(data, indent=1) + "\n").encode("utf-8"))
    print(f"lab: {why}")
    return ExitCode.DONE
