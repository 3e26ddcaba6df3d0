"""What one client sends, it gets back (P3, P4)."""

from __future__ import annotations

import time

from .checks import check
from .clients import fill
from .conftest import Connector
from .exchange import Exchange, echo, run_exchanges
from .launcher import Launcher
from .payload import ALL_BYTES, make_payload
from .steps import Steps
from .verdicts import expect_equal

MIB = 1024 * 1024
SIZES = [0, 1, 4096, 65537, 4 * MIB]


@check(
    points=0.5,
    level_points=0.25,
    own=True,
    rule="P3",
    title="One client gets back 0, 1, 4096, 65537 bytes and 4 MiB, whatever their values",
    hint="write says how much it took: it may be less than was asked; and data are not strings",
)
def test_one_client(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    for size in SIZES:
        steps(f"a new client sends {size} bytes, all byte values, and reads them back")
        client = connect(server, f"the client of {size} bytes")
        echo(client, make_payload(size, size), half_close=size == 0)
    steps("one more client sends all these messages on one connection, then half-closes")
    pieces = [make_payload(size, -size) for size in SIZES]
    run_exchanges([Exchange(connect(server), pieces, half_close=True)])


@check(
    points=0.25,
    rule="P3",
    title="Bytes that come one at a time are echoed one at a time",
    hint="answer what has come; waiting for a full buffer or for a line waits for ever",
)
def test_byte_at_a_time(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    client = connect(server)
    steps("send each of the 256 byte values alone, and wait for it before the next one")
    for value in ALL_BYTES:
        client.send(bytes([value]))
        client.receive_rest()
    steps("send 4,096 bytes in 4,096 segments without waiting")
    data = make_payload(4096)
    run_exchanges([Exchange(client, (data[i : i + 1] for i in range(4096)), half_close=True)])


@check(
    points=0.25,
    rule="P3",
    title="A short message after a long one comes back short",
    hint="how much is sent does not depend on how much has come",
)
def test_short_after_long(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    client = connect(start_server())
    for size in (100_000, 1, 5_000, 2, 64 * 1024, 3):
        steps(f"send {size} bytes, read {size} back; nothing more may come")
        client.send(make_payload(size, size))
        client.receive_rest()
    steps("send a zero byte between two others, then half-close")
    client.send(b"a\0b")
    client.finish_sending()
    client.expect_end()


@check(
    points=0.5,
    rule="P3",
    title="A client that reads slowly gets everything: 8 MiB through a small window",
    hint="a write that took a part, or nothing just now, is taken for something else",
)
def test_slow_reader_gets_all(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    client = connect(start_server(), "the slow client", receive_buffer=8192)
    steps("send up to 8 MiB until nothing more is taken, and read nothing meanwhile")
    fill([client], 8 * MIB)
    steps(f"{client.sent} bytes were taken; read them 1,000 at a time, with small pauses")
    pauses = 0
    while client.received < min(client.sent, MIB):
        client.pull_some(1000)
        if client.received > pauses * 64 * 1024:
            pauses += 1
            time.sleep(0.005)
    steps("send the rest of the 8 MiB while reading")
    echo(client, make_payload(8 * MIB - client.sent), half_close=True)


@check(
    points=0.5,
    level_points=0.25,
    own=True,
    rule="P4",
    title="A client that half-closes after 1 MiB gets all bytes, then end-of-file",
    hint="end-of-file on reading says that nothing more comes, not that nothing more is to be sent",
)
def test_half_close(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    before = server.descriptors()
    steps("send 1 MiB and half-close; read while sending")
    echo(connect(server), make_payload(MIB), half_close=True)
    steps("half-close without having sent anything")
    empty = connect(server)
    empty.finish_sending()
    empty.expect_end()
    expect_equal("bytes that came before end-of-file", 0, empty.received)
    steps("the clients still have their sockets, but the server must have closed its own")
    server.expect_descriptors(before)


@check(
    points=0.25,
    rule="P4",
    title="A client that half-closes before it reads gets all bytes, then end-of-file",
    hint="the end of the input ends the session before its output is out",
)
def test_half_close_before_reading(
    start_server: Launcher, connect: Connector, steps: Steps
) -> None:
    server = start_server()
    for window in (4096, 0):
        client = connect(server, receive_buffer=window)
        steps("send until nothing more is taken, at most 4 MiB; read nothing")
        fill([client], 4 * MIB)
        steps(f"{client.sent} bytes were taken: half-close, and only then read")
        client.finish_sending()
        client.expect_end()
