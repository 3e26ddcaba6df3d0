"""Options, fixtures, and the score sheet of the end-to-end checks.

    /usr/bin/python3 -m pytest tests/e2e [--echo-server PATH] [--records FILE] [--share I/N] [--own-stack]
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional

import pytest

from grader.patience import MUCH_HANGS, SHORTER

from . import scoresheet, seed, server_process
from .checks import check_of
from .clients import Client
from .enclosure import read_enclosure
from .first_echo import require_first_echo
from .hooks import wraps_hook
from .launcher import Launcher
from .server import EchoServer
from .steps import Steps
from .verdicts import TimedOut

LONGEST_TEST = 90  # seconds: the last resort; every single wait has a bound of its own
BUILT_SERVER = Path(__file__).parents[2] / "build/student/milestones/echo-server"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("echo server")
    group.addoption("--echo-server", type=Path, help="the program to check")
    group.addoption("--enclosure", type=Path, help="what goes around it, see enclosure.py")
    group.addoption("--records", type=Path, help="append one JSON line per check to this file")
    group.addoption("--share", default="1/1", help="I/N: of each N checks the I-th")
    group.addoption("--own-stack", action="store_true", help="the checks of one's own stack only")
    group.addoption("--plan-only", action="store_true", help="write the plan, check nothing")
    group.addoption("--patience", type=float, default=10, help="bound of each wait, in seconds")


def pytest_configure(config: pytest.Config) -> None:
    named: Optional[Path] = config.getoption("echo_server")
    if named is not None and not named.is_file():
        raise pytest.UsageError(f"there is no echo server at {named}")
    try:
        seed.run_seed()
    except seed.BadSeed as problem:
        raise pytest.UsageError(str(problem)) from None
    config.addinivalue_line("markers", "check(check): a check worth points, see checks.py")
    config.pluginmanager.register(scoresheet.ScoreSheet(config), "echo-server-scores")
    server_process.adopt_orphans()
    server_process.keep_out_of_sight()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a check in both modes of epoll, if it is worth points in both."""
    marker = metafunc.definition.get_closest_marker("check")
    has_levels = marker is not None and marker.args[0].level_points > 0
    if has_levels and not metafunc.config.getoption("own_stack"):
        metafunc.parametrize("trigger", ["edge", "level"], indirect=True)


@pytest.fixture
def trigger(request: pytest.FixtureRequest) -> str:
    """How the server uses epoll in this test: "edge" or "level"."""
    return str(getattr(request, "param", "edge"))


@pytest.fixture
def steps(request: pytest.FixtureRequest) -> Steps:
    """What the test does, sentence by sentence."""
    return scoresheet.steps_of(request.node)


@pytest.fixture
def start_server(request: pytest.FixtureRequest, trigger: str) -> Iterator[Launcher]:
    """Starts servers; at the end of the test they are stopped, and checked for a clean end."""
    program: Path = request.config.getoption("echo_server") or BUILT_SERVER
    if not program.exists():
        pytest.skip(f"no echo server: {program} is not built; name one with --echo-server")
    mode = ["--level-triggered"] if trigger == "level" else []
    enclosure = read_enclosure(request.config.getoption("enclosure"))
    check = check_of(request.node)
    if check is not None and check.needs_echo:
        whole_patience = float(request.config.getoption("patience"))
        require_first_echo(program.resolve(), whole_patience, tuple(mode), enclosure)
    launcher = Launcher(program.resolve(), _patience(request.config), mode, enclosure)
    try:
        yield launcher
        if scoresheet.has_failed(request.node):
            found = launcher.why_one_died()
            if found is not None:
                raise found
        else:
            launcher.close_down()
    finally:
        launcher.kill()


def _patience(config: pytest.Config) -> float:
    """Bound of each wait, in seconds."""
    share = SHORTER if scoresheet.time_outs(config) >= MUCH_HANGS else 1.0
    return share * float(config.getoption("patience"))


class Connector:
    """Makes the clients of one test, and closes them all."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._clients: list[Client] = []

    def __call__(self, server: EchoServer, name: str = "", receive_buffer: int = 0) -> Client:
        name = name or f"client {len(self._clients) + 1}"
        try:
            client = Client(server.address, name, self._patience, receive_buffer)
        except (ConnectionRefusedError, ConnectionResetError) as error:
            server.raise_if_dead()
            raise TimedOut(f"{name} cannot connect: {error.strerror}") from None
        self._clients.append(client)
        return client

    def crowd(self, server: EchoServer, count: int) -> list[Client]:
        return [self(server) for _ in range(count)]

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture
def connect(request: pytest.FixtureRequest, start_server: Launcher) -> Iterator[Connector]:
    """Connects clients; they are closed before the servers are stopped."""
    connector = Connector(_patience(request.config))
    yield connector
    connector.close()


@wraps_hook
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with _alarm_clock(LONGEST_TEST):
        yield


@contextmanager
def _alarm_clock(seconds: int) -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise TimedOut(f"the whole check took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

