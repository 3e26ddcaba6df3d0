"""A stop reaches all threads, and the program ends when the last of them has."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Iterator

import pytest

from tests.e2e.clients import Client, fill
from tests.e2e.enclosure import Enclosure
from tests.e2e.exchange import Exchange, echo, run_exchanges
from tests.e2e.launcher import Launcher
from tests.e2e.server import EchoServer
from tests.e2e.waits import expect_not_before, wait_until

from .conftest import PATIENCE
from .connecting import Crowd, connections, wait_for_connections
from .test_starting import strace

MANY = 16  # that all are on one thread happens once in 2 ** 15 times
KIB = 1024
LONG_DRAIN = ("--drain-timeout", "60")
BOTH = pytest.mark.parametrize("number", [0, 1])


def wait_until_refused(server: EchoServer) -> None:
    def is_refused() -> bool:
        try:
            Client(server.address, "a late client", PATIENCE).close()
        except (ConnectionRefusedError, ConnectionResetError):
            return True
        return False

    wait_until(is_refused, PATIENCE, "connects to be refused")


def test_what_is_under_way_comes_back_from_all_threads(start_server: Launcher, crowd: Crowd) -> None:
    server = start_server("--threads", "2", *LONG_DRAIN)
    clients = [crowd.connect(server, receive_buffer=8 * KIB) for _ in range(MANY)]
    fill(clients, 4 * 1024 * KIB)
    assert min(connections(server)) > 0
    server.stop()
    wait_until_refused(server)
    run_exchanges([Exchange(client, []) for client in clients])
    for client in clients:
        client.expect_end()
    server.expect_exit(0)


@pytest.mark.parametrize("signals", [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)])
@BOTH
def test_a_second_signal_ends_all_at_once(
    signals: "tuple[signal.Signals, signal.Signals]", number: int, start_server: Launcher, crowd: Crowd
) -> None:
    """The client that does not read is on one thread; the other one has drained long since."""
    server = start_server("--threads", "2", "--drain-timeout", "0")
    fill([crowd.on_thread(server, number)], 64 * 1024 * KIB)
    server.signal(signals[0])
    wait_until_refused(server)
    assert server.wait_for_exit(0.7) is None, "it waits for the client"
    server.signal(signals[1])
    server.expect_exit(1)


@BOTH
def test_what_is_cut_on_any_thread_counts(number: int, start_server: Launcher, crowd: Crowd) -> None:
    server = start_server("--threads", "2", "--drain-timeout", "0.6", "--stats")
    fill([crowd.on_thread(server, number)], 64 * 1024 * KIB)
    moment = server.stop()
    server.expect_exit(1)
    expect_not_before(moment + 0.6, "the server ended")
    assert re.search(r"^cut 1$", server.errors(), re.M)


@BOTH
def test_the_last_thread_is_waited_for(number: int, start_server: Launcher, crowd: Crowd) -> None:
    """One thread drains at once, the client of the other one goes on: it is served to its end."""
    server = start_server("--threads", "2", *LONG_DRAIN)
    stuck = crowd.on_thread(server, number)
    fill([stuck], 8 * 1024 * KIB)
    server.stop()
    wait_until_refused(server)
    assert server.wait_for_exit(0.7) is None
    echo(stuck, b"the end", half_close=True)
    server.expect_exit(0)


def test_idle_and_without_clients(start_server: Launcher, crowd: Crowd) -> None:
    start_server("--threads", "4", *LONG_DRAIN)  # stopped as it is
    server = start_server("--threads", "4", *LONG_DRAIN)
    clients = crowd.served(server, MANY)
    moment = server.stop()
    for client in clients:
        client.expect_end()
        expect_not_before(moment + 0.25, f"{client.name} got end-of-file")
    server.expect_exit(0)


def test_signals_right_after_the_start(start_server: Launcher) -> None:
    """Threads that have hardly begun hear of it; two signals may both come before the first is read."""
    for second in (False, True) * 10:
        server = start_server("--threads", "4", *LONG_DRAIN)
        server.signal(signal.SIGTERM)
        if second and server.wait_for_exit(0) is None:
            server.signal(signal.SIGINT)
        code = server.wait_for_exit(PATIENCE)
        assert code == 0 or (second and code == 1)
        server.expect_exit(code)


@pytest.fixture
def start_failing(program: Path, tmp_path: Path) -> Iterator[Launcher]:
    """The kernel refuses a thread's third accept: the first has found nobody, the second a client."""
    around = strace(tmp_path, "inject=accept4:error=EINVAL:when=3")
    launcher = Launcher(program, PATIENCE, [], Enclosure(around))
    try:
        yield launcher
        launcher.close_down()
    finally:
        launcher.kill()


def test_a_server_that_ends_by_itself_takes_the_others_with_it(
    start_failing: Launcher, crowd: Crowd
) -> None:
    for _ in range(4):  # it may be the first thread, or another one
        server = start_failing("--threads", "3", "--stats", sanitizer="detect_leaks=0")
        wait_for_connections(server, 0)
        client = crowd.connect(server)
        echo(client, b"hello")
        client.expect_end()
        server.expect_exit(1)
        assert server.errors().count("cannot accept: Invalid argument") == 1
        assert "\naccepted 1\n" in "\n" + server.errors()
