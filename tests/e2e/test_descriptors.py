"""Descriptors and memory: given back, and what happens when there are none left (P8, P9)."""

from __future__ import annotations

import select
import time

from . import process_facts
from .checks import check
from .clients import Client
from .conftest import Connector
from .exchange import Exchange, echo, run_exchanges
from .launcher import Launcher
from .payload import make_payload
from .server import EchoServer
from .server_process import NO_QUARANTINE
from .steps import Steps
from .verdicts import CheckFailed, Status, TimedOut
from .waits import expect_no_spinning

KIB = 1024


@check(
    points=0.5,
    rule="P9",
    title="2,000 connects and closes leave no descriptor and no memory behind",
    hint="one of the ways in which a connection can end does not give everything back",
)
def test_connects_and_closes(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server(sanitizer=NO_QUARANTINE)
    descriptors = server.descriptors()
    steps("500 connects: closed at once, reset, after an echo, or after a half-close")
    _connect_and_close(server, connect, 500)
    server.expect_descriptors(descriptors)
    before = process_facts.anonymous_memory(server.pid)
    steps("1,500 more")
    _connect_and_close(server, connect, 1500)
    server.expect_descriptors(descriptors)
    growth = process_facts.anonymous_memory(server.pid) - before
    allowed = 256 * KIB  # 175 bytes a connection: less than any frame
    steps(f"the server's memory grew by {growth // KIB} KiB, {allowed // KIB} KiB are allowed")
    if growth > allowed:
        raise CheckFailed(
            "memory after 1,500 more connections, all of them closed\n"
            f"expected: as before, within {allowed} bytes\n"
            f"actual:   {growth} bytes more, {growth // 1500} for each connection",
            status=Status.LEAKED,
        )


@check(
    points=0.5,
    level_points=0.25,
    rule="P8",
    title="With no descriptor left, accepting pauses, without spinning, and goes on later",
    hint="accept fails for want of a descriptor: what does the loop do then, what ends its pause?",
)
def test_full_descriptor_table(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    steps("leave the server room for three more descriptors (RLIMIT_NOFILE)")
    before = process_facts.limit_free_descriptors(server.pid, 3)
    steps("three clients connect, and are served")
    served = connect.crowd(server, 3)
    run_exchanges([Exchange(client, [make_payload(1000, client.name)]) for client in served])
    steps("five more connect, and send 10 bytes; they wait in the kernel's queue")
    waiting = connect.crowd(server, 5)
    for client in waiting:
        client.send(make_payload(10, client.name))
    steps("for 1 s the server must not spin, and must go on serving the three")
    expect_no_spinning(server.pid, 1.0)
    run_exchanges([Exchange(client, [make_payload(1000, client.name)]) for client in served])
    _expect_silence(waiting)
    steps("each time that a client leaves, one of those who wait must be served")
    _serve_as_others_leave(served, waiting, server.patience)
    steps("with room again, and all of them gone, a new client is served")
    process_facts.set_descriptor_limit(server.pid, before)
    for client in [*served, *waiting]:
        client.close()
    echo(connect(server), b"all well?", half_close=True)


@check(
    points=0.25,
    rule="P8",
    title="With --max-connections 2, a third client waits until one has left",
    hint="the limit is not looked at, or not looked at again when a connection has ended",
)
def test_max_connections(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server("--max-connections", "2")
    steps("two clients are served")
    served = connect.crowd(server, 2)
    run_exchanges([Exchange(client, [b"hello"]) for client in served])
    descriptors = server.descriptors()
    steps("six more connect, and send: they must wait, and cost no processor time")
    waiting = connect.crowd(server, 6)
    for client in waiting:
        client.send(make_payload(10, client.name))
    expect_no_spinning(server.pid, 0.5)
    _expect_silence(waiting)
    if server.descriptors() > descriptors:
        raise CheckFailed(
            "descriptors of the server while clients wait\n"
            f"expected: {descriptors}, as before: those clients are not accepted\n"
            f"actual:   {server.descriptors()}"
        )
    steps("each time that a client leaves, one of those who wait must be served")
    _serve_as_others_leave(served, waiting, server.patience)


def _connect_and_close(server: EchoServer, connect: Connector, count: int) -> None:
    for start in range(0, count, 20):
        clients = connect.crowd(server, min(20, count - start))
        groups = [clients[way::4] for way in range(4)]
        talking = [Exchange(client, [make_payload(3000)]) for client in groups[0]]
        talking += [Exchange(client, [make_payload(500)], half_close=True) for client in groups[1]]
        run_exchanges(talking)
        for client in groups[2]:
            client.push(memoryview(make_payload(2000)))
            client.reset()
        for client in clients:
            client.close()


def _expect_silence(waiting: list[Client]) -> None:
    for client in waiting:
        if client.hears_within(0):
            client.pull()  # says so, if it was cut off
            raise CheckFailed(
                f"{client.name} connected when the server had reached its limit\n"
                "expected: it waits in the kernel's queue\n"
                f"actual:   {'end-of-file' if client.ended else 'it is served'}"
            )


def _serve_as_others_leave(served: list[Client], waiting: list[Client], patience: float) -> None:
    """Closes one after another, in several ways, until all have been served."""
    served, waiting = list(served), list(waiting)
    while waiting:
        leaver = served.pop(0)
        if len(waiting) % 2:
            leaver.reset()
        else:
            leaver.finish_sending()
            leaver.expect_end()
        lucky = _next_served(waiting, patience)
        waiting.remove(lucky)
        lucky.receive_rest()
        served.append(lucky)


def _next_served(waiting: list[Client], patience: float) -> Client:
    poll = select.poll()
    for client in waiting:
        poll.register(client.socket, select.POLLIN)
    end = time.monotonic() + patience
    while time.monotonic() < end:
        for number, _ in poll.poll(100):
            return next(client for client in waiting if client.socket.fileno() == number)
    raise TimedOut(
        f"{len(waiting)} clients wait, and one that was served has left; "
        f"but within {patience:g} s none of them is served",
        hint="nobody tells the accept loop that there is room again",
    )
