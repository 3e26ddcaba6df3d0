"""Fixtures of the tests of `echo-server --threads N`, which are the kit's own and give no points.

The program is the one that LAB_ECHO_SERVER names; `./lab selftest threads` builds it with each sanitizer.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

from tests.e2e import server_process
from tests.e2e.enclosure import Enclosure
from tests.e2e.launcher import Launcher
from tests.e2e.server import EchoServer

from .connecting import Crowd

PATIENCE = 20.0  # seconds; ThreadSanitizer is slow


def pytest_configure(config: pytest.Config) -> None:
    server_process.adopt_orphans()


@pytest.fixture
def program() -> Path:
    named = os.environ.get("LAB_ECHO_SERVER", "")
    if not named:
        pytest.skip("LAB_ECHO_SERVER does not name the program")
    return Path(named).resolve()


@pytest.fixture
def start_server(program: Path) -> Iterator[Launcher]:
    """At the end each server is stopped, and must end with 0, if the test has not seen to its end."""
    launcher = Launcher(program, PATIENCE, [], Enclosure())
    try:
        yield launcher
        launcher.close_down()
    finally:
        launcher.kill()


@pytest.fixture
def crowd() -> Iterator[Crowd]:
    made = Crowd(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def two_threads(start_server: Launcher) -> EchoServer:
    return start_server("--threads", "2", "--stats")
