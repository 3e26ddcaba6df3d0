"""Nothing to do: the server sleeps; and --idle-timeout (P9)."""

from __future__ import annotations

import time

from .checks import check
from .clients import fill
from .conftest import Connector
from .exchange import Exchange, echo, run_exchanges
from .launcher import Launcher
from .payload import make_payload
from .steps import Steps
from .talking import talk
from .verdicts import CheckFailed
from .waits import expect_asleep, expect_not_before

IDLE = 0.8  # seconds


@check(
    points=0.25,
    rule="P9",
    title="A server without clients sleeps: no processor time, not woken once",
    hint="the server looks around now and then, though nobody has spoken",
)
def test_idle_server(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    steps("nobody has ever connected: watch the process for 1 s")
    expect_asleep(server.pid, 1.0, server.patience)
    steps("after a client has come and gone, and one has reset: watch it again")
    echo(connect(server), make_payload(100_000), half_close=True)
    client = connect(server)
    client.send(b"!")
    client.reset()
    expect_asleep(server.pid, 0.7, server.patience)


@check(
    points=0.25,
    level_points=0.25,
    rule="P9",
    title="A server whose clients are idle sleeps, too",
    hint="the kernel is asked to report something for which nobody waits",
)
def test_idle_clients(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    steps("50 clients echo 100 KB each, then say nothing; one has never said anything")
    clients = connect.crowd(server, 50)
    run_exchanges([Exchange(client, [make_payload(100_000, client.name)]) for client in clients])
    connect(server, "the silent client")
    steps("one more has sent all that is taken, and does not read")
    stuck = connect(server, "the client that does not read", receive_buffer=4096)
    fill([stuck], 32 * 1024 * 1024)
    steps("watch the process for 1 s")
    expect_asleep(server.pid, 1.0, server.patience)
    steps("all are still served")
    run_exchanges([Exchange(c, [b"still there?"], half_close=True) for c in [*clients, stuck]])


@check(
    points=0.25,
    rule="--idle-timeout",
    title="--idle-timeout closes connections on which no byte moves, and no others",
    hint="something is not taken for a byte that has moved, or is, though none has",
)
def test_idle_timeout(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server("--idle-timeout", str(IDLE))
    before = server.descriptors()
    steps(f"with --idle-timeout {IDLE}, a silent client must get end-of-file, but not before that")
    moment = time.monotonic()
    connect(server, "the silent client").expect_end()
    expect_not_before(moment + IDLE, "the silent client was closed")
    steps("one client sends all that is taken and does not read; another one goes on talking")
    stuck = connect(server, "the client that does not read", receive_buffer=4096)
    moment = time.monotonic()
    try:
        fill([stuck], 32 * 1024 * 1024)
    except CheckFailed:  # on a slow machine the kernel still takes bytes when the server may close
        if time.monotonic() < moment + IDLE:
            raise
    if not talk(connect(server, "the client that talks"), 2 * IDLE, IDLE):
        steps.not_tried("this machine is too busy to keep a client talking")
    steps("then the last one is silent, too: the server must close them all")
    server.expect_descriptors(before)
