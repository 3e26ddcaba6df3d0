"""The client of the end-to-end checks finds whatever does not come back as it was sent."""

from __future__ import annotations

import random
import socket
from typing import Iterator, Sequence

import pytest

from tests.e2e.clients import Address, Client
from tests.e2e.verdicts import CheckFailed

A, B = random.Random(1).randbytes(1000), random.Random(2).randbytes(1000)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def answered(listener: socket.socket, sent: Sequence[bytes], echo: Sequence[bytes]) -> Client:
    """A client that has sent this, in pieces, and has read all of that, which came in pieces as well."""
    client = Client(Address("127.0.0.1", listener.getsockname()[1]), "client", patience=10)
    server, _ = listener.accept()
    try:
        for piece in sent:
            client.send(piece)
        for piece in echo:
            server.sendall(piece)
            client.pull_some()
    finally:
        client.close()
        server.close()
    return client


@pytest.mark.parametrize("echo", [[A + B], [A, B], [A[:500], A[500:] + B[:10], B[10:]], [(A + B)[:999]]])
def test_pieces_need_not_be_the_same(listener: socket.socket, echo: Sequence[bytes]) -> None:
    client = answered(listener, [A, B], echo)
    assert (client.sent, client.received, client.ended) == (2000, sum(map(len, echo)), False)


@pytest.mark.parametrize(
    "echo, said",
    [
        ([A, B[:5] + bytes(30)], ["offset 1005 of 2000 sent", "[00] 00 00", "never sent these bytes"]),
        ([A[:300] + B], ["offset 300 of", "sent at offset 1000: 700 bytes got lost before them"]),
        ([A, A[500:]], ["offset 1000 of", "sent at offset 500: they came back a second time"]),
        ([A + B, b"xyz"], ["longer than what was sent (2000 bytes)", "3 more: [78] 79 7a"]),
        ([A + B + b"xyz"], ["longer than what was sent (2000 bytes)", "3 more:", "[78] 79 7a"]),
    ],
)
def test_what_is_wrong_is_said_and_where(
    listener: socket.socket, echo: Sequence[bytes], said: Sequence[str]
) -> None:
    with pytest.raises(CheckFailed) as caught:
        answered(listener, [A, B], echo)
    assert [part for part in said if part not in caught.value.message] == []
