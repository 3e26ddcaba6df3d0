"""With --threads, a server is what it is with one: to its clients, and in its counters and limits."""

from __future__ import annotations

import re
import socket
import time
from contextlib import closing
from pathlib import Path
from typing import Dict

import pytest

from tests.e2e.exchange import Exchange, echo, run_exchanges
from tests.e2e.launcher import Launcher
from tests.e2e.payload import cut_randomly, make_payload
from tests.e2e.seed import make_random
from tests.e2e.server import EchoServer
from tests.e2e.waits import expect_asleep, wait_until

from .conftest import PATIENCE
from .connecting import (
    Crowd,
    connections,
    has_thread_sanitizer,
    listeners,
    threads,
    wait_for_connections,
)

MANY = 40  # that they are all on one thread happens once in 2 ** 39 times
KIB = 1024


def counters(server: EchoServer) -> Dict[str, int]:
    """Of a server that has ended."""
    return {name: int(number) for name, number in re.findall(r"^(\S+) (\d+)$", server.errors(), re.M)}


def test_every_byte_comes_back_and_the_counters_are_sums(
    two_threads: EchoServer, crowd: Crowd
) -> None:
    chance = make_random("several threads")
    exchanges, size = [], 0
    for number in range(MANY):
        data = make_payload(chance.randint(1, 64 * KIB), number)
        client = crowd.connect(two_threads)
        exchanges.append(Exchange(client, cut_randomly(data, chance, 8 * KIB), half_close=True))
        size += len(data)
    run_exchanges(exchanges)
    two_threads.stop()
    two_threads.expect_exit(0)
    found = counters(two_threads)
    assert (found["accepted"], found["bytes"], found["active"]) == (MANY, size, 0)
    assert (found["errors"], found["cut"]) == (0, 0)


def test_each_thread_has_some_of_the_connections(two_threads: EchoServer, crowd: Crowd) -> None:
    crowd.served(two_threads, MANY)
    found = wait_for_connections(two_threads, MANY)
    assert len(found) == 2 and min(found) > 0, found
    assert listeners(two_threads) == 2


def test_one_thread_is_as_it_was(start_server: Launcher, crowd: Crowd) -> None:
    """No other thread, nobody may share the port, and no descriptor more."""
    plain, one = start_server(), start_server("--threads", "1")
    crowd.served(plain, 3)
    crowd.served(one, 3)
    for server in (plain, one):
        assert len(threads(server)) == 1
        assert (wait_for_connections(server, 3), listeners(server)) == ([3], 1)
        with closing(socket.socket()) as other, pytest.raises(OSError, match="in use"):
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            other.bind((server.address.host, server.address.port))
    # The standard ones; the loop's two; signals; the listener; three clients.
    assert (plain.descriptors(), one.descriptors()) == (10, 10)


def test_idle_threads_do_nothing(
    program: Path, two_threads: EchoServer, crowd: Crowd
) -> None:
    if has_thread_sanitizer(program):
        pytest.skip("ThreadSanitizer has a thread of its own, which looks round now and then")
    crowd.served(two_threads, MANY)
    for thread in threads(two_threads):
        expect_asleep(thread, 1.0, PATIENCE)


def test_level_triggered_and_ipv6(start_server: Launcher, crowd: Crowd) -> None:
    server = start_server("--threads", "3", "--level-triggered", "--host", "::1")
    assert server.address.host == "::1"
    for client in crowd.served(server, MANY):
        echo(client, b"and again", half_close=True)


def test_a_name_means_one_place(start_server: Launcher, crowd: Crowd) -> None:
    server = start_server("--threads", "4", "--host", "localhost")
    crowd.served(server, MANY)
    assert len(wait_for_connections(server, MANY)) == 4


def test_each_thread_has_its_share_of_the_limit(start_server: Launcher, crowd: Crowd) -> None:
    """Three on two threads are two and one. Who waits for his thread is served when there is room."""
    server = start_server("--threads", "2", "--max-connections", "3")
    wait_for_connections(server, 0)
    clients = [crowd.connect(server) for _ in range(MANY)]
    wait_until(lambda: connections(server) == [2, 1], PATIENCE, "both threads to be full")
    time.sleep(0.3)
    assert connections(server) == [2, 1]
    run_exchanges([Exchange(client, [b"my turn"], half_close=True) for client in clients])


def test_it_can_start_again_on_its_port(start_server: Launcher, crowd: Crowd) -> None:
    server = start_server("--threads", "2")
    clients = crowd.served(server, MANY)
    server.stop()
    server.expect_exit(0)
    again = start_server("--threads", "2", port=server.address.port)
    for client in clients:
        client.expect_end()
    crowd.served(again, MANY)
