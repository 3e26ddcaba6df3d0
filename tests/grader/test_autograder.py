"""The upload for Gradescope: its content, and what is refused. Run in ./lab selftest autograder."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Dict, List

import pytest
from conftest import KIT_ROOT

from grader import cli
from grader.autograder.make import AutograderRequest, make_autograder
from grader.exit_codes import WrongUse
from grader.grade import GradeRequest
from grader.kit import LABS, MILESTONES, Kit
from grader.model import Result
from grader.rubric import DEFAULT_RUBRIC, RubricError


@pytest.fixture(scope="module")
def upload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("upload") / "upload.zip"
    make_autograder(AutograderRequest(Kit(KIT_ROOT), path))
    return path


def contents(path: Path) -> Dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_what_gradescope_runs_is_at_the_top(upload: Path) -> None:
    with zipfile.ZipFile(upload) as archive:
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    scripts = {name: modes.get(name) for name in ("setup.sh", "run_autograder", "kit/lab")}
    assert scripts == {"setup.sh": 0o755, "run_autograder": 0o755, "kit/lab": 0o755}
    assert contents(upload)["rubric.toml"] == DEFAULT_RUBRIC.read_bytes()


def test_only_what_grading_needs_is_in_it(upload: Path) -> None:
    names = set(contents(upload))
    folders = {"/".join(name.split("/")[:3]) for name in names}
    assert folders - {name for name in names if name.count("/") < 3} == {
        *(f"kit/{tree}/{lab.folder}" for tree in ("milestones", "tests") for lab in LABS),
        *(f"kit/solutions/{milestone.folder}" for milestone in MILESTONES),
        "kit/tests/support", "kit/tests/e2e", "kit/grader/autograder", "kit/grader/feedback",
        "kit/grader/integrity", "kit/grader/reports", "kit/grader/submissions",
            "kit/grader/timeline",
    }  # fmt: skip
    at_the_top = {name for name in names if name.count("/") < 2}
    kits = {f"kit/{name}" for name in ("lab", "LICENSE", "CMakeLists.txt", "CMakePresets.json")}
    assert at_the_top == {"setup.sh", "run_autograder", "rubric.toml", *kits}
    solutions = {name for name in names if name.startswith("kit/solutions/")}
    assert solutions == {f"kit/solutions/{milestone.path}" for milestone in MILESTONES}


def test_no_path_of_this_machine_is_in_it(upload: Path) -> None:
    here = [place for place in (KIT_ROOT, upload.parent, Path.home()) if place != Path("/")]
    places = [f"{place}/".encode() for place in here]
    found = [name for name, text in contents(upload).items() if any(p in text for p in places)]
    assert found == []


def test_the_same_kit_makes_the_same_bytes(upload: Path, tmp_path: Path) -> None:
    umask = os.umask(0o077)
    try:
        make_autograder(AutograderRequest(Kit(KIT_ROOT), tmp_path / "again.zip"))
    finally:
        os.umask(umask)
    assert (tmp_path / "again.zip").read_bytes() == upload.read_bytes()


def test_its_modules_can_all_be_imported(upload: Path, tmp_path: Path) -> None:
    """None is missing: the commands of the container are there, and no other instructor's."""
    with zipfile.ZipFile(upload) as archive:
        archive.extractall(tmp_path)
    command = ["sh", str(tmp_path / "kit/lab"), "--help"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    commands = {line.split()[0] for line in ended.stdout.split("Commands:\n")[1].splitlines()}
    assert {"prepare", "grade-upload", "setup"} <= commands
    assert not commands & {"batch", "handout", "selftest", "autograder"}


def test_the_time_limit_is_in_the_script(upload: Path, tmp_path: Path) -> None:
    make_autograder(AutograderRequest(Kit(KIT_ROOT), tmp_path / "long.zip", minutes=40))
    for path, limits in ((upload, "570 10"), (tmp_path / "long.zip", "2370 40")):
        script = contents(path)["run_autograder"].decode("utf-8")
        found = re.search(r"\ntimeout --kill-after=5 (\d+) .* --minutes (\d+) ", script)
        assert found is not None and " ".join(found.groups()) == limits
        assert "@" not in script


# ---- Rubrics


def test_an_instructors_rubric_goes_with_it(tmp_path: Path) -> None:
    rubric = tmp_path / "mine.toml"
    rubric.write_text('seed = 77\n[visibility]\n"m5.e2e.*" = "hidden"\n', encoding="utf-8")
    make_autograder(AutograderRequest(Kit(KIT_ROOT), tmp_path / "upload.zip", rubric))
    assert contents(tmp_path / "upload.zip")["rubric.toml"] == rubric.read_bytes()


@pytest.mark.parametrize(
    "text, message",
    [
        ("sed = 1\n", "line 1: unknown: sed"),
        ('[weights]\n"m1.no_such_test" = 2\n', "line 2: there is no test m1.no_such_test"),
        ('[visibility]\n"m9.*" = "hidden"\n', "line 2: no test is named like m9.*"),
    ],
)
def test_a_wrong_rubric_is_refused_before_it_is_uploaded(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    request = AutograderRequest(Kit(KIT_ROOT), tmp_path / "upload.zip", tmp_path / "mine.toml")
    with pytest.raises(RubricError, match=re.escape(message)):
        make_autograder(request)
    assert not request.output.exists()


def test_a_handout_makes_no_autograder(kit: Kit, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="here are no solutions"):
        make_autograder(AutograderRequest(kit, tmp_path / "upload.zip"))


# ---- The command line


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["autograder"], "lab: nothing to make: name --gradescope OUT.zip or --classroom50 DIR"),
        (["autograder", "--gradescope", "/nowhere/a.zip"], "there is no folder /nowhere"),
        (["autograder", "--gradescope", "a.zip", "--minutes", "41"], "value for '--minutes'"),
        (["grade", "--submitted", "yesterday"], "lab: --submitted: 'yesterday' is no time: a time"),
        (["grade", "--submitted", "2027-01-15T23:59:00"], "has no time zone"),
    ],
)
def test_wrong_use_is_2(arguments: List[str], message: str) -> None:
    command = [str(KIT_ROOT / "lab"), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert message in ended.stderr and ended.returncode == 2


def test_the_time_of_submission_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: List[GradeRequest] = []

    def grade(request: GradeRequest, watcher: object) -> Result:
        asked.append(request)
        return Result("work")

    monkeypatch.setattr(cli, "grade", grade)
    with pytest.raises(SystemExit) as ended:
        cli.main(["grade", "--submitted", "2027-01-15T23:59:00+01:00"])
    assert (ended.value.code, [request.submitted for request in asked]) == (
        0, [datetime.datetime.fromisoformat("2027-01-15T22:59:00+00:00")]
    )  # fmt: skip
