"""A connection that fails is closed, and no other one notices (P6, P13)."""

from __future__ import annotations

import select
import signal

from .checks import check
from .clients import Client, fill
from .conftest import Connector
from .exchange import Exchange, echo, run_exchanges
from .launcher import Launcher
from .payload import make_payload
from .steps import Steps
from .waits import wait_until

KIB = 1024


@check(
    points=0.5,
    own=True,
    rule="P6",
    title="Resets in mid-transfer leave the other clients alone",
    hint="an error in one connection ends that connection, not the loop and not the process",
)
def test_reset_in_transfer(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    before = server.descriptors()
    steps("8 clients echo 512 KiB each, and stay")
    others = connect.crowd(server, 8)
    _echo_at_once(others, 1)
    steps("16 more send 64 KiB each, and reset their connections without having read it")
    for _ in range(16):
        victim = connect(server)
        victim.push(memoryview(make_payload(64 * KIB)))
        victim.reset()
    steps("the 8 clients echo another 512 KiB, while 8 more reset in between")
    victims = connect.crowd(server, 8)
    fill(victims, 512 * KIB)

    def reset_one(progress: int) -> None:
        if victims and progress > (9 - len(victims)) * 256 * KIB:
            victims.pop().reset()

    exchanges = [Exchange(c, [make_payload(512 * KIB, c.name)], half_close=True) for c in others]
    run_exchanges(exchanges, reset_one)
    steps("a new client is served, and all descriptors are given back")
    echo(connect(server), b"still there?", half_close=True)
    server.expect_descriptors(before)


@check(
    points=0.25,
    rule="P6, P13",
    title="A client that closes while the server writes to it does not kill the server",
    hint="writing to a closed connection raises SIGPIPE, unless it is told not to",
)
def test_close_while_writing(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    before = server.descriptors()
    witness = connect(server, "the witness")
    steps("20 clients, one after another, send 200 KiB, read nothing, and close")
    for round_number in range(20):
        client = connect(server)
        client.push(memoryview(make_payload(200 * KIB)))
        client.close()
        echo(witness, make_payload(100, round_number))
    steps("a client gets an echo that it does not read; while the server is stopped (SIGSTOP), it")
    steps("sends more, half-closes, and closes: when the server goes on, writing fails with EPIPE")
    client = connect(server, "the client that leaves")
    client.send(make_payload(10 * KIB))
    client.wait_for(select.POLLIN, client.patience)
    server.signal(signal.SIGSTOP)
    wait_until(server.is_stopped, server.patience, "the server to stop")
    client.send(make_payload(20 * KIB))
    client.finish_sending()
    client.close()
    server.signal(signal.SIGCONT)
    steps("one that was there before is still served; the descriptors are given back")
    echo(witness, b"still there?", half_close=True)
    server.expect_descriptors(before)


@check(
    points=0.25,
    rule="P6",
    title="Clients that reset at once, before they are accepted or read, do no harm",
    hint="accept may give a connection that is already gone, and read then fails on it",
)
def test_reset_at_once(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    before = server.descriptors()
    witness = connect(server, "the witness")
    steps("100 clients connect and reset at once, every other one after having sent a byte")
    for number in range(100):
        client = connect(server)
        if number % 2:
            client.push(memoryview(b"!"))
        client.reset()
    steps("one that was there before and a new one are served; the descriptors are given back")
    echo(witness, b"still there?", half_close=True)
    echo(connect(server), b"and you?", half_close=True)
    server.expect_descriptors(before)


@check(
    points=0.25,
    rule="P6, P9",
    title="A client that resets while the server waits to write to it is noticed",
    hint="who waits to write does not hear that there is nobody left to write to",
)
def test_gone_while_blocked(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    before = server.descriptors()
    steps("4 clients send until nothing more is taken, and read nothing: the server must wait")
    clients = [connect(server, receive_buffer=4096) for _ in range(4)]
    fill(clients, 64 * KIB * KIB)
    steps("then they reset: the server must close their connections")
    for client in clients:
        client.reset()
    server.expect_descriptors(before)
    steps("a new client is served")
    echo(connect(server), b"still there?", half_close=True)


def _echo_at_once(clients: list[Client], seed: int) -> None:
    size = 512 * KIB
    run_exchanges([Exchange(c, [make_payload(size, f"{c.name} {seed}")]) for c in clients])
