"""What grades a student's repository: the workflow for GitHub Actions, Classroom 50's script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest
from conftest import KIT_ROOT

from grader.autograder.classroom50 import make_classroom50
from grader.handout.manifest import read_manifest
from grader.kit import Kit

NAME = ".github/workflows/grade.yml"


@pytest.fixture(scope="module")
def workflow() -> Dict[Any, Any]:
    yaml: Any = pytest.importorskip("yaml", reason="python3-yaml reads the workflow")
    text = read_manifest(KIT_ROOT)[NAME].read_text(encoding="utf-8")
    loaded: Dict[Any, Any] = yaml.safe_load(text)
    return loaded


def steps(workflow: Dict[Any, Any]) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = workflow["jobs"]["grade"]["steps"]
    return found


def test_it_may_do_little(workflow: Dict[Any, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in workflow["jobs"]["grade"]
    assert set(workflow[True]) == {"push", "workflow_dispatch"}  # `on` is a truth value in YAML
    assert workflow["concurrency"]["cancel-in-progress"] is True
    assert 0 < workflow["jobs"]["grade"]["timeout-minutes"] <= 60
    text = read_manifest(KIT_ROOT)[NAME].read_text(encoding="utf-8")
    assert "secrets" not in text and "GITHUB_TOKEN" not in text
    assert steps(workflow)[0]["with"] == {"persist-credentials": False}


def test_actions_are_githubs_own_and_pinned(workflow: Dict[Any, Any]) -> None:
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert [re.sub(r"\d+$", "N", one) for one in used] == [
        "actions/checkout@vN", "actions/upload-artifact@vN"
    ]  # fmt: skip


def test_no_value_of_others_gets_into_a_shell(workflow: Dict[Any, Any]) -> None:
    assert not any("${{" in step.get("run", "") for step in steps(workflow))


def run_steps(workflow: Dict[Any, Any], folder: Path, **variables: str) -> List[str]:
    """Runs the shell's parts as the runner does; which commands were run."""
    log = folder / "log"
    for name, program in (("lab", folder / "lab"), ("sudo", folder / "bin/sudo")):
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\necho {name} "$@" >>"{log}"\n', encoding="utf-8")
        program.chmod(0o755)
    path = f"{folder}/bin:/usr/bin:/bin"
    environment = {"PATH": path, "GITHUB_STEP_SUMMARY": "/summary", **variables}
    for step in steps(workflow):
        if "run" in step:
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            subprocess.run(command, cwd=folder, env=environment, timeout=60, check=True)
    return log.read_text(encoding="utf-8").splitlines()


def test_it_installs_allows_the_sandbox_and_grades(
    workflow: Dict[Any, Any], tmp_path: Path
) -> None:
    assert run_steps(workflow, tmp_path) == [
        "lab setup",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        "lab grade --json reports/result.json --junit reports/junit.xml --html reports/result.html"
        " --markdown /summary",
    ]
    assert (tmp_path / "reports").is_dir()


def test_classroom50_is_told_where_it_runs(workflow: Dict[Any, Any], tmp_path: Path) -> None:
    last = run_steps(workflow, tmp_path, CLASSROOM="os27")[-1]
    assert last.endswith("--html reports/result.html --classroom50 result.json --markdown /summary")


def test_what_was_written_is_kept_whatever_happened(workflow: Dict[Any, Any]) -> None:
    last = steps(workflow)[-1]
    assert last["if"] == "always()"
    assert last["with"]["path"].split() == ["reports/", "result.json"]


# ---- Classroom 50


def test_the_folder_for_classroom50_has_no_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: List[Any] = []
    monkeypatch.setattr(
        "grader.autograder.classroom50.make_handout",
        lambda request, check_works: asked.append((request.folder, request.reference_objects)),
    )
    for _ in range(2):  # the second time, over the first
        make_classroom50(Kit(KIT_ROOT), tmp_path / "lab")
    assert asked == [(tmp_path / "lab/kit", True)] * 2
    assert [path.name for path in (tmp_path / "lab").iterdir()] == ["autograder.py"]


@pytest.mark.parametrize("code", [0, 3])
def test_classroom50s_script_grades_the_checkout_with_the_kit_beside_it(
    tmp_path: Path, code: int
) -> None:
    script, checkout = tmp_path / "bundle/autograder.py", tmp_path / "checkout"
    (tmp_path / "bundle/kit").mkdir(parents=True)
    checkout.mkdir()
    script.write_bytes((KIT_ROOT / "grader/autograder/classroom50_entry.py").read_bytes())
    (tmp_path / "bundle/kit/lab").write_text(f'echo "$@"; exit {code}\n', encoding="utf-8")
    (checkout / "lab").write_text("echo forged\n", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "env"):
        os.symlink(f"/usr/bin/{tool}", tmp_path / "bin" / tool)  # and no sudo
    ended = subprocess.run(
        [sys.executable, str(script)], cwd=checkout, env={"PATH": str(tmp_path / "bin")},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    reports = ["--classroom50", "result.json", "--markdown", "release-body.md"]
    assert (ended.returncode, ended.stdout.split()) == (code, ["grade", str(checkout), *reports])
