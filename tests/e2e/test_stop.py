"""Stopping: what was sent is echoed to the last byte, and then the server ends (P10, P11, P12)."""

from __future__ import annotations

import errno
import os
import signal
import socket
import time

from .checks import check
from .clients import Client, fill
from .conftest import Connector
from .exchange import Exchange, echo, run_exchanges
from .launcher import Launcher
from .payload import make_payload
from .server import EchoServer
from .steps import Steps
from .talking import talk
from .verdicts import CheckFailed
from .waits import expect_not_before, wait_until

KIB = 1024
MIB = 1024 * KIB
QUIET = 0.25  # seconds, by P10
LONG_DRAIN = ("--drain-timeout", "60")  # longer than any wait here: nothing ends because of it


@check(
    points=0.5,
    own=True,
    rule="P10",
    title="SIGTERM with data in flight loses no byte, and the exit code is 0",
    hint="a connection is given up while its client is still owed something",
)
def test_stop_with_data(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server(*LONG_DRAIN)
    steps("4 clients send until nothing more is taken, at most 4 MiB; 8 send 64 KiB; none reads")
    clients = [connect(server, f"full client {n}", receive_buffer=8192) for n in range(4)]
    fill(clients, 4 * MIB)
    for number in range(8):
        clients.append(connect(server, f"small client {number}"))
        clients[-1].send(make_payload(64 * KIB, number))
    steps("SIGTERM")
    server.stop()
    steps("the clients send no more: they read, and must get all, then end-of-file")
    run_exchanges([Exchange(client, []) for client in clients])
    for client in clients:
        client.expect_end()
        client.close()
    steps("the last connection has ended: exit code 0")
    server.expect_exit(0)


@check(
    points=0.25,
    level_points=0.25,
    rule="P10",
    title="After SIGTERM, connects are refused, and a client that goes on is served to its end",
    hint="what the stop ends is the listener or the connections, as if they were one thing",
)
def test_stop_goes_on(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    for attempt in range(1, 6):
        server = start_server(*LONG_DRAIN)
        client = connect(server, "the client that talks")
        stuck = connect(server, "the client that does not read", receive_buffer=4096)
        fill([stuck], 8 * MIB)
        steps(f"SIGTERM while one client talks; it goes on for 1 s (attempt {attempt})")
        echo(client, b"before")
        server.stop()
        has_talked = talk(client, 1.0, QUIET)
        steps("a new client must be refused, while the server waits for the others")
        wait_until_refused(server)
        steps("the first one half-closes, the one that does not read begins to: both get all")
        client.finish_sending()
        client.expect_end()
        echo(stuck, b"the end", half_close=True)
        server.expect_exit(0)
        if has_talked:
            return
    steps.not_tried("this machine is too busy to keep a client talking")


@check(
    points=0.25,
    rule="P10",
    title="SIGTERM with idle clients: end-of-file for each after 250 ms, then exit code 0",
    hint="a client that never speaks must not keep the server: see the quiet rule",
)
def test_stop_idle_clients(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server(*LONG_DRAIN)
    steps("10 clients are served and then idle; 10 never say a word")
    clients = connect.crowd(server, 20)
    run_exchanges([Exchange(client, [make_payload(1000)]) for client in clients[:10]])
    run_exchanges([Exchange(client, [b"x"]) for client in clients[10:11]])
    steps("SIGTERM; all must get end-of-file, but none before 250 ms")
    moment = server.stop()
    steps("a client that speaks right after its end-of-file must not be reset for that")
    speaks_late = clients.pop()
    speaks_late.expect_end()
    _expect_no_reset(speaks_late, moment + 2 * QUIET)
    for client in clients:
        client.expect_end()
        expect_not_before(moment + QUIET, f"{client.name} got end-of-file")
    steps("half of them close, the others stay: the server must end, with exit code 0")
    for client in clients[::2]:
        client.close()
    server.expect_exit(0, "after another 250 ms the server closes whatever the client does")


@check(
    points=0.25,
    rule="P11",
    title="When the drain time-out has passed, what is under way is cut, and the exit code is 1",
    hint="nothing ends what is under way when the time is over, or nobody counts it as cut",
)
def test_drain_timeout(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server("--drain-timeout", "0.6")
    steps("with --drain-timeout 0.6, a client sends until nothing more is taken, and does not read")
    stuck = connect(server, receive_buffer=4096)
    fill([stuck], 64 * MIB)
    steps("SIGTERM: the server must end with exit code 1, and not before 0.6 s")
    moment = server.stop()
    server.expect_exit(1, "this client never reads: nothing but the drain time-out ends that")
    expect_not_before(moment + 0.6, "the server ended")


@check(
    points=0.25,
    rule="P12",
    title="A second signal ends the server at once, with exit code 1",
    hint="main.c aborts the server at the second signal: who goes on in spite of that?",
)
def test_second_signal(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    for first, second in ((signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)):
        server = start_server("--drain-timeout", "0")
        steps("without a drain time-out, a client sends all that is taken, and does not read")
        stuck = connect(server, receive_buffer=4096)
        fill([stuck], 64 * MIB)
        steps(f"{first.name}: the server stops listening, and waits for the client")
        server.signal(first)
        wait_until_refused(server)
        steps(f"{second.name}: it must end at once, with exit code 1")
        server.signal(second)
        server.expect_exit(1)


@check(
    points=0.25,
    rule="P10",
    title="The server stops without clients, and while accepting pauses; and SIGINT does it, too",
    hint="the accept loop waits in several places; one of them does not hear of the stop",
)
def test_stop_while_waiting(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        steps(f"{number.name} before anybody has connected")
        server = start_server(*LONG_DRAIN)
        server.signal(number)
        server.expect_exit(0, "with no client there is nothing to wait for")

    steps("with --max-connections 1, one client has data under way, and another one waits: SIGINT")
    server = start_server("--max-connections", "1", *LONG_DRAIN)
    client = connect(server, receive_buffer=4096)
    fill([client], 8 * MIB)
    connect(server, "the client in the queue")
    server.signal(signal.SIGINT)
    steps("connects are refused at once; the one that is served gets all")
    wait_until_refused(server)
    echo(client, b"the end", half_close=True)
    server.expect_exit(0)


@check(
    points=0.25,
    rule="P10",
    title="A server can be restarted on the same port at once",
    hint="the port of a connection that was closed here first stays taken for a while",
)
def test_restart(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    # Between the two servers another process may get the port: no fault of the server's.
    for attempt in range(1, 4):
        steps(f"stop a server that has to close the connection first (attempt {attempt})")
        server = start_server()
        client = connect(server)
        echo(client, b"hello")
        server.stop()
        client.expect_end()
        client.close()
        server.expect_exit(0)
        port = server.address.port
        steps(f"start it again on port {port}")
        try:
            echo(connect(start_server(port=port)), b"hello again")
            return
        except CheckFailed:
            if attempt == 3:
                raise


def _expect_no_reset(client: Client, until: float) -> None:
    """Sends, after end-of-file, what nobody will echo. Before `until` the server has not closed,
    so this is no error; later it may be one, and says nothing."""
    try:
        client.socket.send(b"too late")
        error = client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    except ConnectionError as refused:
        error = refused.errno or errno.ECONNRESET
    if error != 0 and time.monotonic() < until:
        raise CheckFailed(
            f"{client.name} had read end-of-file, and then sent 8 bytes at once\n"
            "expected: the server reads them, without echoing, and closes later\n"
            f"actual:   {os.strerror(error)}",
            hint="what does the kernel send when a socket is closed whose input nobody has read?",
        )


def wait_until_refused(server: EchoServer) -> None:
    """Waits until nobody can connect any more."""

    def is_refused() -> bool:
        try:
            Client(server.address, "a late client", server.patience).close()
        except (ConnectionRefusedError, ConnectionResetError):
            return True
        return False

    wait_until(is_refused, server.patience, "connects to be refused after the stop")
