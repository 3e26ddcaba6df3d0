"""What the shells offer at <Tab>, asked from the shells themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import List

import click
import pytest
from click.testing import CliRunner

from grader import cli_student
from grader.completion import answer, complete_tests, script


@click.group()
def lab() -> None:
    pass


@lab.command("test")
@click.argument("names", nargs=-1, shell_complete=complete_tests)
@click.option("--base", type=click.Choice(["own", "reference"]))
@click.option("--watch", is_flag=True)
def run_command(names: List[str], base: str, watch: bool) -> None:
    pass


@lab.command("grade")
@click.argument("submission", type=click.Path())
def grade_command(submission: str) -> None:
    pass


for one in cli_student.COMMANDS:
    lab.add_command(one)


def offered(*words: str) -> List[str]:
    return answer(lab, words)


def test_commands_and_options() -> None:
    assert offered("") == [f"plain,{n}" for n in ("completion", "grade", "hint", "status", "test")]
    assert offered("st") == ["plain,status"]
    assert offered("test", "--w") == ["plain,--watch"]
    assert offered("test", "--base", "") == ["plain,own", "plain,reference"]
    assert offered("completion", "") == ["plain,bash", "plain,zsh"]


def test_milestones_first_then_tests() -> None:
    groups = ["m1", "m2", "m3", "m4", "m5", "x1", "x2", "m5.e2e", "m5.own"]
    assert offered("test", "") == [f"plain,{name}" for name in groups]
    assert offered("test", "m1", "m3.never") == ["plain,m3.never_early"]
    assert offered("hint", "m1.take_") == ["plain,m1.take_moves_ownership"]
    assert offered("hint", "m5.e2e.crowd") == ["plain,m5.e2e.crowd", "plain,m5.e2e.crowd.level"]
    assert offered("test", "m1")[:2] == ["plain,m1", "plain,m1.create_runs_nothing"]
    assert offered("test", "x9") == []


def test_files_are_left_to_the_shell() -> None:
    assert offered("grade", "subm") == ["file,subm"]


def test_the_command_prints_the_script_or_an_answer() -> None:
    def run(*arguments: str) -> str:
        return str(CliRunner().invoke(lab, arguments, catch_exceptions=False).output)

    assert run("completion", "bash") == script("bash")
    assert run("completion", "bash", "--", "sta") == "plain,status\n"
    assert run("completion", "zsh", "--", "test", "--base", "r") == "plain,reference\n"


# ---- In the shells: `lab` is a program that answers with its arguments


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "two words" / "lab"
    path.parent.mkdir()
    path.write_text('#!/bin/sh\nprintf "plain,%s|\\n" "$#" "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def bash(program: Path, words: str, more: str = "") -> List[str]:
    code = f"""
        COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        {more}
        _lab_completion
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    ended = subprocess.run(
        ["bash", "--norc", "-eu", "-c", script("bash") + code],
        cwd=program.parent, env={"HOME": str(program.parent), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


def test_bash_asks_with_the_words_up_to_the_cursor(program: Path) -> None:
    asked = ["5|", "completion|", "bash|", "--|", "test|", "m1 x|"]
    assert bash(program, "./lab test 'm1 x'") == asked
    assert bash(program, "./lab test 'm1 x' m2", more="COMP_CWORD=2") == asked
    assert bash(program, "./lab ''") == ["4|", "completion|", "bash|", "--|", "|"]
    assert bash(program, "'~/lab' ''")[0] == "4|"


def test_bash_does_files_itself(program: Path) -> None:
    program.write_text("#!/bin/sh\necho file,x\necho dir,x\n", encoding="utf-8")
    called = 'compopt() { COMPREPLY+=("compopt $*"); }'
    said = bash(program, "./lab grade x", more=called)
    assert said == ["compopt -o default", "compopt -o dirnames"]


def test_bash_is_quiet_about_a_program_that_is_gone(program: Path) -> None:
    program.unlink()
    assert bash(program, "./lab x") == [""]


def test_bash_uses_it_for_every_path_to_lab() -> None:
    code = script("bash") + "complete -p lab"
    ended = subprocess.run(
        ["bash", "--norc", "-c", code], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "complete -o nosort -F _lab_completion lab\n"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_asks_with_the_words_up_to_the_cursor(program: Path) -> None:
    """Its functions for completion work on a terminal only; these stand in for them."""
    code = """
        compdef() { print -r -- "compdef $*" }
        compadd() { shift 3; print -rl -- "$@" }
        _files() { print -r -- "files $*" }
    """ + script("zsh") + """
        words=(./lab test 'm1 x' m2) CURRENT=3
        _lab
    """  # fmt: skip
    ended = subprocess.run(
        ["zsh", "-f", "-c", code], cwd=program.parent, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    asked = ["5|", "completion|", "zsh|", "--|", "test|", "m1 x|"]
    assert (ended.stdout.splitlines(), ended.stderr) == (["compdef _lab lab", *asked], "")


def test_the_help_says_how_to_install_it() -> None:
    said = CliRunner().invoke(cli_student.completion_command, ["--help"]).output
    for part in ("source <(./lab completion bash)", "completions/lab", "fpath+=~/.zfunc"):
        assert part in said
