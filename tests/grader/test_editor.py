"""The files for editors and containers: what they name must be there."""

from __future__ import annotations

import json
import re
from typing import Any, List

import pytest
from conftest import KIT_ROOT

from grader.build import TARGETS
from grader.kit import MILESTONES


def read(name: str) -> Any:
    """JSON in which whole lines may be comments."""
    text = (KIT_ROOT / name).read_text(encoding="utf-8")
    return json.loads(re.sub(r"(?m)^\s*//.*$", "", text))


def commands() -> List[str]:
    return [str(task["command"]) for task in read(".vscode/tasks.json")["tasks"]]


def test_the_program_of_each_milestone_can_be_debugged() -> None:
    launch = read(".vscode/launch.json")
    [programs] = [one["options"] for one in launch["inputs"] if one["id"] == "program"]
    expected = [f"{m.folder}/{TARGETS[m.id]}" for m in MILESTONES]
    assert [option["value"] for option in programs] == expected
    [debug] = [one for one in launch["configurations"] if one["name"] == "Debug this test"]
    assert debug["program"] == "${workspaceFolder}/build/latest/tests/${input:program}"
    assert debug["args"] == ["${input:case}", "--no-fork"]


def test_what_the_debugger_relies_on_is_there() -> None:
    text = json.dumps(read(".vscode/launch.json"))
    support = KIT_ROOT / "tests/support"
    assert "test_failed" in text and "test_failed(" in (support / "steps.c").read_text("utf-8")
    assert "--no-fork" in (support / "runner.c").read_text(encoding="utf-8")


def test_inputs_and_tasks_that_are_named_exist() -> None:
    for name in (".vscode/launch.json", ".vscode/tasks.json"):
        content = read(name)
        named = set(re.findall(r"\$\{input:(\w+)\}", json.dumps(content)))
        assert named == {one["id"] for one in content["inputs"]}, name
    labels = {task["label"] for task in read(".vscode/tasks.json")["tasks"]}
    before = {one["preLaunchTask"] for one in read(".vscode/launch.json")["configurations"]}
    assert before <= labels


@pytest.mark.parametrize("command", commands())
def test_tasks_call_commands_that_there_are(command: str) -> None:
    from grader.cli import lab

    called = re.findall(r"\./lab (\w+)((?: --\w+)*)", command)
    assert called
    for name, options in called:
        known = [text for parameter in lab.commands[name].params for text in parameter.opts]
        assert set(options.split()) <= set(known)


def test_the_milestones_to_choose_from_are_the_milestones() -> None:
    [one] = [one for one in read(".vscode/tasks.json")["inputs"] if one["id"] == "milestone"]
    assert one["options"] == [milestone.id for milestone in MILESTONES]


def test_the_container() -> None:
    """What the sanitizers and the sandbox need, each with its reason beside it."""
    container = read(".devcontainer/devcontainer.json")
    assert container["postCreateCommand"] == "./lab setup"
    assert "--cap-add=SYS_PTRACE" in container["runArgs"]
    assert "--security-opt=seccomp=unconfined" in container["runArgs"]
    text = (KIT_ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8")
    for reason in ("LeakSanitizer", "bubblewrap"):
        assert re.search(rf"(?m)^\s*//.*{reason}", text)


def test_extensions_are_the_same_in_and_outside_the_container() -> None:
    inside = read(".devcontainer/devcontainer.json")["customizations"]["vscode"]["extensions"]
    assert read(".vscode/extensions.json")["recommendations"] == inside


def test_where_clangd_finds_the_commands() -> None:
    """latest_build.py makes the link, CMakePresets.json the file."""
    assert "CompilationDatabase: build/latest" in (KIT_ROOT / ".clangd").read_text(encoding="utf-8")
    [student] = [p for p in read("CMakePresets.json")["configurePresets"] if p["name"] == "student"]
    assert student["cacheVariables"]["CMAKE_EXPORT_COMPILE_COMMANDS"] == "ON"
