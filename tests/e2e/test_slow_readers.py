"""Clients that do not read: the server stops reading from them, and serves the others (P5)."""

from __future__ import annotations

from . import process_facts
from .checks import check
from .clients import fill
from .conftest import Connector
from .exchange import Exchange, echo, run_exchanges
from .launcher import Launcher
from .payload import make_payload
from .server_process import NO_QUARANTINE
from .steps import Steps
from .verdicts import CheckFailed, Status

KIB = 1024
MIB = 1024 * KIB


@check(
    points=0.5,
    level_points=0.25,
    rule="P5",
    title="A client that never reads does not stall the rest, and still gets its own bytes at last",
    hint="while one connection waits to write, something that it needs is used by others",
)
def test_never_reads(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    steps("2 clients send until nothing more is taken, at most 64 MiB, and read nothing")
    sluggish = [connect(server, f"sluggish client {n}", receive_buffer=8192) for n in (1, 2)]
    fill(sluggish, 64 * MIB)
    for client in sluggish:
        if client.sent >= 64 * MIB:
            raise CheckFailed(
                "a client sent 64 MiB without reading a byte, and the server took it all\n"
                "expected: it stops reading until the client reads (back-pressure)",
            )
    steps("20 other clients echo 100 KB each, other bytes than the first two")
    others = connect.crowd(server, 20)
    run_exchanges([Exchange(c, [make_payload(100_000, c.name)], half_close=True) for c in others])
    steps("then the two read: each gets its own bytes, all of them, and end-of-file")
    run_exchanges([Exchange(client, [b"the end"], half_close=True) for client in sluggish])


@check(
    points=0.25,
    rule="P5",
    title="Clients that never read cost one buffer of 64 KiB each, no more",
    hint="the server reads what it cannot get rid of: where does back-pressure come from?",
)
def test_memory_of_slow_readers(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server(sanitizer=NO_QUARANTINE)
    echo(connect(server), make_payload(MIB), half_close=True)
    before = process_facts.reserved_memory(server.pid)
    count, limit = 8, 8 * MIB
    steps(f"{count} clients send until nothing more is taken, at most 8 MiB, and read nothing")
    clients = [connect(server, receive_buffer=4096) for _ in range(count)]
    fill(clients, limit)
    growth = process_facts.reserved_memory(server.pid) - before
    allowed = count * 2 * 64 * KIB + MIB
    steps(f"the server's memory grew by {growth // KIB} KiB, {allowed // KIB} KiB are allowed")
    if growth > allowed:
        raise CheckFailed(
            f"memory for {count} clients that do not read\n"
            f"expected: {64 * KIB} bytes each; measured with room to spare: {allowed}\n"
            f"actual:   {growth} bytes, {growth // count} each"
        )


@check(
    points=0.25,
    rule="P5, P9",
    title="500 idle connections hold no buffers",
    hint="a buffer is held for longer than something is under way",
)
def test_idle_holds_no_buffer(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server(sanitizer=NO_QUARANTINE)
    echo(connect(server), make_payload(MIB), half_close=True)
    before = process_facts.anonymous_memory(server.pid)
    count = 500
    steps(f"{count} clients echo 128 KiB each, one after another, and stay connected")
    clients = []
    data = make_payload(128 * KIB)
    for _ in range(count):
        clients.append(connect(server))
        echo(clients[-1], data)
    growth = process_facts.anonymous_memory(server.pid) - before
    allowed = count * 8 * KIB
    steps(f"the server's memory grew by {growth // KIB} KiB, {allowed // KIB} KiB are allowed")
    if growth > allowed:
        raise CheckFailed(
            f"memory of {count} idle connections\n"
            f"expected: next to nothing each, at most {allowed // count} bytes\n"
            f"actual:   {growth // count} bytes each",
            status=Status.LEAKED,
        )
    steps("they are all still served")
    run_exchanges([Exchange(client, [b"still there?"], half_close=True) for client in clients])
