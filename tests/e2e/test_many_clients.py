"""Many clients at a time: each gets its own bytes, and none keeps the others waiting (P3, P7)."""

from __future__ import annotations

import random
import signal
import time
from typing import Iterator

from .arrivals import record_arrivals
from .checks import check
from .clients import Client, fill
from .conftest import Connector
from .exchange import Exchange, echo, run_exchanges
from .launcher import Launcher
from .payload import cut_randomly, make_payload
from .seed import make_random, run_seed
from .steps import Steps
from .verdicts import CheckFailed
from .waits import wait_until

KIB = 1024
MIB = 1024 * KIB
UNFAIR = 2 * MIB  # 32 full buffers of one client while another one waits for its first byte


@check(
    points=0.5,
    level_points=0.25,
    own=True,
    rule="P3",
    title="200 clients at once, each with different data, get each their own back",
    hint="what belongs to a connection (buffer, counts, state) must live in that connection",
)
def test_crowd(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    steps("connect 200 clients")
    clients = connect.crowd(server, 200)
    steps("all send different data at once: 100 bytes to 60 KB, in pieces of 7,000 bytes")
    exchanges = []
    for number, client in enumerate(clients):
        data = make_payload(100 + 300 * number, f"client {number}")
        pieces = [data[i : i + 7000] for i in range(0, len(data), 7000)]
        exchanges.append(Exchange(client, pieces, half_close=number % 2 == 0))
    run_exchanges(exchanges)


@check(
    points=0.75,
    rule="P3, P4",
    title="A random workload of 80 clients comes back byte by byte",
    hint="one of these ways to come, talk and go disturbs another connection, or loses its tail",
)
def test_random_workload(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    chance = make_random("workload")
    steps(f"80 clients with random sizes, cuts, half-closes and resets: LAB_SEED={run_seed()}")
    server = start_server()
    before = server.descriptors()
    waiting = [connect(server, f"client {number}") for number in range(80)]
    while waiting:
        group, waiting = waiting[:20], waiting[20:]
        victims = [client for client in group if chance.random() < 0.15]
        for victim in victims:
            victim.push(memoryview(make_payload(chance.randrange(100_000), victim.name)))
        exchanges = [
            _random_exchange(client, chance) for client in group if client not in victims
        ]
        for victim in victims:
            victim.reset()
        run_exchanges(exchanges)
        returning = [exchange.client for exchange in exchanges if not exchange.half_close]
        run_exchanges([_random_exchange(client, chance) for client in returning])
        for client in group:
            client.close()
    steps("all have gone: the server gives back their descriptors")
    server.expect_descriptors(before)


@check(
    points=0.25,
    rule="P7",
    title="A flood of connects does not keep an established client waiting",
    hint="the accept loop goes on as long as somebody comes, or waits for one of the clients",
)
def test_connect_flood(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    client = connect(server, "the established client")
    steps("400 clients connect and never say a word; one that was there before goes on talking")
    for number in range(400):
        connect(server, f"silent client {number}")
        if number % 4 == 0:
            echo(client, make_payload(100, number))
    steps("while the server is stopped (SIGSTOP), 100 more connect; then it goes on")
    server.signal(signal.SIGSTOP)
    late_ones = connect.crowd(server, 100)
    client.send(make_payload(1000))
    server.signal(signal.SIGCONT)
    client.receive_rest()
    steps("a new client among them all is served, too, and so are the silent ones at last")
    echo(connect(server), b"anybody there?", half_close=True)
    run_exchanges([Exchange(late, [make_payload(10, late.name)]) for late in late_ones])


@check(
    points=0.25,
    rule="P7",
    title="A client that always has data does not keep a slow typist waiting",
    hint="a session goes on for as long as it finds something to do",
)
def test_greedy_client(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    greedy, typist = connect(server, "the greedy client"), connect(server, "the typist")
    with record_arrivals(greedy) as greedy_arrivals, record_arrivals(typist) as typist_arrivals:
        steps("the greedy client echoes 16 MiB, so that the kernel gives it large buffers")
        echo(typist, b"ready")
        run_exchanges([Exchange(greedy, _mebibytes(16))])
        steps("stop the server (SIGSTOP); the greedy client sends all that the kernel takes")
        server.signal(signal.SIGSTOP)
        wait_until(server.is_stopped, server.patience, "the server to stop")
        start = greedy.sent
        fill([greedy], start + 64 * MIB)
        waiting = greedy.sent - start
        steps(f"that is {waiting // KIB} KiB; the typist sends one byte, and the server goes on")
        typist.send(b"x")
        server.signal(signal.SIGCONT)
        end = time.monotonic() + server.patience
        while typist.received < typist.sent and time.monotonic() < end:
            greedy_arrivals.pull()
            typist_arrivals.pull()
        greedy_arrivals.pull()
    typist.receive_rest()
    early = greedy_arrivals.bytes_before(typist_arrivals.last)
    steps(f"before the typist's byte came back, {early // KIB} KiB of the greedy client's did")
    if waiting < 2 * UNFAIR or not typist_arrivals.last:
        steps.not_tried("the kernel buffers too little here to see who is served first")
    elif early > UNFAIR:
        raise CheckFailed(
            "bytes that the greedy client got back before the other client got its single one\n"
            f"expected: at most {UNFAIR}\nactual:   {early} of the {waiting} that waited"
        )
    greedy.receive_rest()
    steps("the greedy client sends and reads on, 32 MiB; the typist types meanwhile")
    _type_while_busy(greedy, typist)


def _random_exchange(client: Client, chance: random.Random) -> Exchange:
    size = chance.randint(0, 2 ** chance.randint(0, 18))
    data = make_payload(size, f"{client.name} {chance.random()}")
    largest = chance.choice((16, 1500, 64 * KIB, MIB))
    if size > 50_000:
        largest = max(largest, 1500)
    return Exchange(client, cut_randomly(data, chance, largest), chance.random() < 0.5)


def _mebibytes(count: int) -> Iterator[memoryview]:
    """So many, each another part of the same bytes: to make new ones would cost more than to send them."""
    block = memoryview(make_payload(MIB + 4099 * count))
    return (block[4099 * number :][:MIB] for number in range(count))


def _type_while_busy(greedy: Client, typist: Client) -> None:
    """Each key is typed when the one before has come back."""

    def type_a_key(_: int) -> None:
        if typist.received == typist.sent:
            typist.push(memoryview(b"k"))
        typist.pull()

    run_exchanges([Exchange(greedy, _mebibytes(32))], type_a_key)
    typist.receive_rest()
