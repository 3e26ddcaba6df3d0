"""The commands that pages show are really run: what fails, or says something else, is found."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from typing import Tuple

import pytest
from conftest import KIT_ROOT
from rich.console import Console

from grader.kit import Kit
from grader.selftest import commands, tester
from grader.selftest.command_list import EXPECTED, Expected
from grader.selftest.commands import GDB_FAILED, Shown, Typing
from grader.selftest.reader import Reader
from grader.selftest.workshop import Workshop

SERVER = """\
#!{python} -S
import signal, socket, sys
open("/proc/self/comm", "w").write("echo-server")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
listener = socket.create_server(("127.0.0.1", 7000))
while True:
    client = listener.accept()[0]
    client.sendall(client.recv(100){fault})
    client.close()
"""


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(Workshop(Kit(KIT_ROOT), tmp_path), tmp_path)


def typed(reader: Reader, *shown: str) -> Tuple[int, int, str]:
    """How many passed, how many failed, and what is said."""
    said = io.StringIO()
    counting = tester.Tester(Console(file=said, width=200))
    Typing(counting, reader).all([Shown("page.md", n, text) for n, text in enumerate(shown, 1)])
    return counting.passed, counting.failed, said.getvalue()


def test_a_new_command_is_run(reader: Reader) -> None:
    passed, failed, said = typed(reader, "echo made > file", "cat file", "cat gone", "frobnicate x")
    assert (passed, failed) == (2, 2)
    assert "page.md:3: cat gone" in said and "No such file" in said
    assert "page.md:4: frobnicate x" in said


def test_what_it_should_say_is_looked_for(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXPECTED, "echo no", Expected(output="^yes$"))
    monkeypatch.setitem(EXPECTED, "echo yes", Expected(output="^yes$"))
    monkeypatch.setitem(EXPECTED, "false", Expected(exit_code=1))
    assert typed(reader, "echo no", "echo yes", "false")[:2] == (2, 1)


def test_commands_of_one_kind_are_run_together(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "TOGETHER", ("echo x ",))
    passed, failed, said = typed(reader, "echo x --out a", "echo x --out a --html b", "echo xy")
    assert (passed, failed) == (2, 0)
    assert "2 times echo x ...: --out a, --html b" in said


@pytest.mark.parametrize("fault, failures", [("", 0), ("[1:]", 1)])
def test_a_server_is_talked_to_and_ended(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, fault: str, failures: int
) -> None:
    if not all(map(shutil.which, ("nc", "ss", "pgrep"))):
        pytest.skip("needs nc, ss and pgrep")
    server = reader.folder / "echo-server"
    server.write_text(SERVER.format(python=sys.executable, fault=fault), encoding="utf-8")
    server.chmod(0o755)
    assert typed(reader, "./echo-server --port 7000")[1] == failures


@pytest.mark.parametrize(
    "said, failed",
    [
        ('No symbol "x" in current context.', True),
        ('Function "gone" not defined.', True),
        ("build/x: No such file or directory.", True),
        ('No frame for function "f".', True),
        ("There is no member named waiter.", True),
        ("30\t../sysdeps/unix/epoll_wait.c: No such file or directory.", False),
        ("$1 = 7", False),
    ],
)
def test_what_gdb_does_not_find(said: str, failed: bool) -> None:
    assert (GDB_FAILED.search(f"first\n{said}\nlast") is not None) == failed
