"""What the launcher says where the kit cannot work: at once, and what to do instead."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Dict, Tuple

import pytest
from conftest import KIT_ROOT

LAB = KIT_ROOT / "lab"


def lab_on(folder: Path, system: str, release: str, *arguments: str) -> "Tuple[int, str]":
    """With a uname of our own, and nothing else that could be found or installed."""
    for tool in ("sh", "readlink", "dirname", "id", "cat"):
        (folder / tool).symlink_to(f"/usr/bin/{tool}")
    fake = f"#!/bin/sh\ncase $1 in -s) echo '{system}' ;; -r) echo '{release}' ;; esac\n"
    (folder / "uname").write_text(fake, encoding="utf-8")
    (folder / "uname").chmod(0o755)
    environment: Dict[str, str] = {"PATH": str(folder), "HOME": "/nowhere"}
    ended = subprocess.run(
        [str(LAB), *arguments],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.stdout == ""
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(
    "system, release, parts",
    [
        (
            "Darwin",
            "23.5.0",
            ["this is macOS", "epoll", ".devcontainer", "task.c, scheduler.c and timers.c"],
        ),
        ("Linux", "4.4.0-19041-Microsoft", ["this is WSL 1", "wsl --set-version", "wsl -l -v"]),
        ("MINGW64_NT-10.0-19045", "3.4.10", ["this is MINGW64_NT", "WSL 2"]),
        ("FreeBSD", "14.0-RELEASE", ["this is FreeBSD", "virtual machine"]),
    ],
)
@pytest.mark.parametrize("command", ["test", "doctor", "--help", "completion"])
def test_where_it_cannot_work(
    tmp_path: Path, command: str, system: str, release: str, parts: "list[str]"
) -> None:
    code, said = lab_on(tmp_path, system, release, command)
    assert code == 3 and said.startswith("lab: this kit needs Linux")
    assert [part for part in parts if part not in said] == []
    assert "apt-get" not in said and "Please install" not in said
    assert max(len(line) for line in said.splitlines()) <= 100


@pytest.mark.parametrize("release", ["6.1.0-18-amd64", "5.15.153.1-microsoft-standard-WSL2"])
def test_where_it_works(tmp_path: Path, release: str) -> None:
    """Here it goes on to what is missing, which in this folder is everything."""
    code, said = lab_on(tmp_path, "Linux", release, "doctor")
    assert code == 3 and "no Debian or Ubuntu" in said and "needs Linux" not in said


def test_a_system_that_does_not_tell_its_name_is_taken_for_linux(tmp_path: Path) -> None:
    code, said = lab_on(tmp_path, "", "", "doctor")
    assert code == 3 and "no Debian or Ubuntu" in said


@pytest.mark.parametrize("command, installs", [("completion", False), ("test", True)])
def test_nothing_is_installed_to_complete_a_word(
    tmp_path: Path, command: str, installs: bool
) -> None:
    """It is asked at every <Tab>, whose errors nobody sees. Here root asks, and has no Python."""
    text = LAB.read_text(encoding="utf-8").replace("/usr/bin/python3", "/nowhere/python3")
    (tmp_path / "lab").write_text(text, encoding="utf-8")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("dirname", "env", "mktemp", "tail", "rm"):
        (tools / tool).symlink_to(f"/usr/bin/{tool}")
    for name, body in (("id", "echo 0"), ("apt-get", 'echo "$@" >>"$0.called"')):
        (tools / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    ended = subprocess.run(
        ["/bin/sh", str(tmp_path / "lab"), command, "bash", "--", "te"],
        env={"PATH": str(tools), "HOME": "/nowhere"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (3, "")
    assert (tools / "apt-get.called").exists() == installs
