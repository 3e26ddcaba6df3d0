"""The command line: exit codes, and what is said of wrong use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Dict, List, Optional

import pytest
from click.testing import CliRunner
from conftest import KIT_ROOT
from report_results import usual

from grader import cli
from grader.exit_codes import WrongUse
from grader.plan import PlannedTest
from grader.selection import select_tests

LAB = KIT_ROOT / "lab"
TESTS = [
    PlannedTest(id, id, 1.0)
    for id in ("m1.value", "m1.resume_after_done", "m2.yield", "m5.only", "m5.e2e.hello")
]


def lab(
    *arguments: str,
    environment: Optional[Dict[str, str]] = None,
    folder: Path = Path("/"),
    program: Path = LAB,
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(program), *arguments],
        env=environment, cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["tset"], "No such command 'tset'"),
        (["grade", "--nonsense"], "No such option: --nonsense"),
        (["grade", "/nowhere"], "lab: there is no /nowhere"),
        (["grade", "/dev/null"], "lab: /dev/null is neither a folder nor a zip or tar archive"),
        (["grade", "/usr/bin"], "lab: none of the lab's files is in it: m1-task/task.c"),
        (["grade", "--json", "/nowhere/r.json"], "cannot write /nowhere/r.json: there is no folder"),
        (["test", "--base", "other"], "Invalid value for '--base'"),
        (["test", "m9"], "lab: no milestone m9"),
        (["selftest", "referense"], "no part referense; did you mean reference?"),
    ],
)
def test_wrong_use_is_2(arguments: List[str], message: str) -> None:
    ended = lab(*arguments)
    assert message in ended.stderr
    assert (ended.returncode, ended.stdout) == (2, "")


def test_reports_are_written_though_nobody_reads_the_terminals_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def into_a_closed_pipe(console: object, result: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(cli, "grade", lambda request, watcher: usual())
    monkeypatch.setattr(cli, "print_result", into_a_closed_pipe)
    page = tmp_path / "page.html"
    arguments = ["grade", str(KIT_ROOT / "solutions"), "--html", str(page)]
    CliRunner().invoke(cli.lab, arguments)
    assert "3.5" in page.read_text(encoding="utf-8")


def test_help_lists_only_what_exists() -> None:
    ended = lab("--help")
    commands = [line.split()[0] for line in ended.stdout.split("Commands:\n")[1].splitlines()]
    known = "autograder batch bench completion docs doctor grade handout hint selftest setup status submit test trace".split()
    assert (ended.returncode, commands) == (0, known)


def test_bare_environment() -> None:
    bare = {"PATH": "/usr/bin:/bin", "HOME": "/tmp"}
    assert lab("--help", environment=bare).returncode == 0
    assert lab("--help", environment={}).returncode == 0


def test_through_a_relative_link_in_a_folder_with_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    os.symlink(KIT_ROOT, folder / "the kit")
    os.symlink("the kit/lab", folder / "first")
    os.symlink("first", folder / "second")
    ended = lab("selftest", "--list", folder=tmp_path, program=Path("two words/second"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "reference" in ended.stdout.splitlines()


def test_modules_of_the_current_folder_are_not_imported(tmp_path: Path) -> None:
    for name in ("grader.py", "click.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')", encoding="utf-8")
    assert lab("--help", folder=tmp_path).returncode == 0


def test_without_anything_it_says_what_to_install(tmp_path: Path) -> None:
    """No apt-get, no tools: exit 3, and the packages by name."""
    for tool in ("sh", "readlink", "dirname", "id"):
        os.symlink(f"/usr/bin/{tool}", tmp_path / tool)
    ended = lab("doctor", environment={"PATH": str(tmp_path), "HOME": "/tmp"})
    assert ended.returncode == 3
    assert "no Debian or Ubuntu" in ended.stderr and "cmake ninja-build gcc" in ended.stderr


def ids(*names: str) -> List[str]:
    return [test.id for test in select_tests(TESTS, names)]


def test_selection() -> None:
    assert ids() == [test.id for test in TESTS]
    assert ids("m5", "m1.value") == ["m1.value", "m5.only", "m5.e2e.hello"]
    assert ids("m5.e2e") == ["m5.e2e.hello"]
    assert ids("m1", "m1.value") == ["m1.value", "m1.resume_after_done"]


@pytest.mark.parametrize(
    "name, message",
    [
        ("m1.valu", "no test m1.valu; did you mean m1.value?\nKnown: m1.value, m1.resume_after_done"),
        ("m7", "no milestone m7\nKnown: m1, m2, m3, m4, m5, m5.e2e, m5.own"),
        ("m1.resume_afterdone", "did you mean m1.resume_after_done?"),
        ("frobnicate", "no milestone frobnicate\nKnown: m1, m2, m3, m4, m5, m5.e2e, m5.own"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    with pytest.raises(WrongUse) as raised:
        ids(name)
    assert message in str(raised.value)
