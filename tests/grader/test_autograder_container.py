"""What is written for Gradescope when all goes well, and when something does not."""

from __future__ import annotations

import datetime
import json
import pickle
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest
from autograder_results import NOT_RUN, PASSED, result_of
from conftest import KIT_ROOT

from grader.autograder import container as module
from grader.autograder.container import Container, grade_upload, prepare
from grader.exit_codes import KitFailed
from grader.grade import GradeRequest
from grader.kit import Kit
from grader.model import Result
from grader.score_file import write_score_file
from grader.selftest.gradescope_format import problems
from grader.stage import Stage
from grader.submissions.printable import SubmissionError

Grade = Callable[[GradeRequest, object], Result]


_RUBRIC = """
[late]
policy = "percent-per-day"
percent = 10
due = 2027-01-15T12:00:00Z
"""


class Scene:
    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.container = Container(root)
        self.requests: List[GradeRequest] = []
        self.no_sandbox: Optional[str] = None
        for name in ("source", "submission", "results"):
            (root / name).mkdir(parents=True)
        self.container.rubric.write_text(_RUBRIC, encoding="utf-8")
        stage = Stage.__new__(Stage)
        object.__setattr__(stage, "parts", root)
        self.container.stage_file.write_bytes(pickle.dumps(stage))
        self._patch = patch
        patch.setattr(module, "why_not", lambda sandbox: self.no_sandbox)
        patch.setattr(module, "require_reach", lambda sandbox, folder: None)

    def grade(self, grade: Grade, minutes: int = 10) -> "tuple[int, Dict[str, Any]]":
        def noted(request: GradeRequest, watcher: object) -> Result:
            self.requests.append(request)
            return grade(request, watcher)

        self._patch.setattr(module, "grade", noted)
        code = grade_upload(Kit(KIT_ROOT), self.container, minutes)
        return int(code), json.loads(self.container.results.read_text(encoding="utf-8"))

    def tell(self, data: Any) -> None:
        self.container.metadata.write_text(json.dumps(data), encoding="utf-8")


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(tmp_path / "autograder", monkeypatch)


def test_a_grade(scene: Scene) -> None:
    code, results = scene.grade(lambda request, watcher: result_of(PASSED, complete=True))
    assert (code, results["score"], problems(results)) == (0, 10, [])
    assert scene.requests[0].sandboxed and scene.requests[0].source == scene.container.submission


def test_without_namespaces_only_the_instructor_is_told(
    scene: Scene, capfd: pytest.CaptureFixture[str]
) -> None:
    scene.no_sandbox = "bwrap: No permissions to create new namespace"
    code, results = scene.grade(lambda request, watcher: result_of(PASSED, complete=True))
    assert (code, scene.requests[0].sandboxed) == (0, False)
    assert "lab: no sandbox: bwrap: No permissions" in capfd.readouterr().out
    assert results["stdout_visibility"] == "hidden"
    assert results["extra_data"]["environment"]["no_sandbox"] == scene.no_sandbox
    assert "bwrap" not in results["output"]


def test_nothing_that_could_be_graded_is_a_zero_with_a_reason(scene: Scene) -> None:
    def grade(request: GradeRequest, watcher: object) -> Result:
        raise SubmissionError("work.zip is damaged")

    code, results = scene.grade(grade)
    assert (code, results["score"], problems(results)) == (0, 0, [])
    assert results["output"] == "Nothing could be graded: work.zip is damaged"


def test_a_failing_machine_is_no_zero(scene: Scene) -> None:
    def grade(request: GradeRequest, watcher: object) -> Result:
        assert request.score_file is not None
        write_score_file(request.score_file, result_of(PASSED, NOT_RUN, complete=False))
        raise KitFailed("no room on the disk")

    code, results = scene.grade(grade)
    assert code == 3 and "score" not in results and "tests" not in results
    assert problems(results, may_lack_score=True) == []
    assert "machine's fault" in results["output"] and "disk" not in results["output"]
    assert "no room on the disk" in results["extra_data"]["no_grade"]


def test_an_image_that_was_not_prepared_is_no_zero(scene: Scene) -> None:
    scene.container.stage_file.unlink()
    code, results = scene.grade(lambda request, watcher: result_of(PASSED))
    assert (code, "score" in results, scene.requests) == (3, False, [])
    assert "setup.sh did not come to its end" in results["extra_data"]["no_grade"]


def test_prepare_again_finds_everything_done(scene: Scene) -> None:
    before = scene.container.stage_file.read_bytes()
    prepare(Kit(Path("/nowhere")), scene.container)
    assert scene.container.stage_file.read_bytes() == before


def test_the_time_of_submission_is_gradescopes(scene: Scene) -> None:
    due = {"due_date": "2027-01-15T23:00:00.000000-07:00"}
    scene.tell({"created_at": "2027-01-16T14:22:32.365935-07:00", "assignment": due})
    scene.grade(lambda request, watcher: result_of(PASSED))
    request = scene.requests[0]
    assert request.submitted == datetime.datetime.fromisoformat("2027-01-16T14:22:32.365935-07:00")
    assert request.rubric.late.due == datetime.datetime.fromisoformat("2027-01-15T23:00:00-07:00")
    assert request.rubric.late.percent == 10


def test_grading_that_is_not_done_in_time(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RESERVE", 59.8)

    def grade(request: GradeRequest, watcher: object) -> Result:
        assert request.score_file is not None
        write_score_file(request.score_file, result_of(PASSED, NOT_RUN, complete=False))
        time.sleep(30)
        raise AssertionError("nobody has ended this")

    code, results = scene.grade(grade, minutes=1)
    assert (code, "score" in results) == (3, False)
    assert len(scene.requests) == 1  # the machine was too slow: the others could not help


# ---- The script --------------------------------------------------------------------------------


def run_script(root: Path, lab: str) -> "tuple[int, Dict[str, Any]]":
    """run_autograder, with `lab` in the place of ./lab."""
    script = (KIT_ROOT / "grader/autograder/run_autograder").read_text(encoding="utf-8")
    for word, value in (("/autograder", root), ("@SECONDS@", 2), ("@MINUTES@", 10)):
        script = script.replace(word, str(value))
    for name in ("source/kit", "submission"):
        (root / name).mkdir(parents=True)
    (root / "source/kit/lab").write_text(f"#!/bin/sh\n{lab}\n", encoding="utf-8")
    (root / "source/kit/lab").chmod(0o755)
    (root / "submission_metadata.json").write_text("{}", encoding="utf-8")
    ended = subprocess.run(["sh", "-c", script], timeout=60, check=False)
    text = (root / "results/results.json").read_text(encoding="utf-8")
    return ended.returncode, json.loads(text)


def test_the_script_leaves_what_was_written(tmp_path: Path) -> None:
    root = tmp_path / "a"
    code, results = run_script(root, """echo '{"score": 7}' >results/results.json""")
    assert (code, results) == (0, {"score": 7})
    closed = ("source", "submission", "results")
    assert [(root / name).stat().st_mode & 0o777 for name in closed] == [0o700] * 3
    assert (root / "submission_metadata.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("lab, code", [("exit 3", 3), ("kill -9 $$", 137), ("sleep 30", 124)])
def test_the_script_writes_no_zero_if_nothing_was_written(
    tmp_path: Path, lab: str, code: int
) -> None:
    (tmp_path / "a/results").mkdir(parents=True)
    (tmp_path / "a/results/results.json").write_text('{"score": 1}', encoding="utf-8")
    ended, results = run_script(tmp_path / "a", lab)
    assert ended == code and "score" not in results and "tests" not in results
    assert problems(results, may_lack_score=True) == []
    assert "machine's fault" in results["output"]
    assert f"exit code {code} " in results["extra_data"]["no_grade"]


# ---- The reader that the results are checked with


@pytest.mark.parametrize(
    "results, problem",
    [
        ([], "it is no object"),
        ({}, "neither score nor tests"),
        ({"score": "7"}, "results: score is '7'"),
        ({"score": True}, "results: score is True"),
        ({"score": 1, "points": 1}, "results: unknown: points"),
        ({"score": 1, "visibility": "everybody"}, "results: visibility is 'everybody'"),
        ({"tests": [{"number": 1.1}]}, "tests[0]: number is 1.1"),
        ({"tests": [{"status": "crashed"}]}, "tests[0]: status is 'crashed'"),
        ({"tests": [{"score": 2, "max_score": 1}]}, "tests[0] has more points than it can have"),
    ],
)
def test_what_gradescope_would_not_take(results: Any, problem: str) -> None:
    assert problem in problems(results)
