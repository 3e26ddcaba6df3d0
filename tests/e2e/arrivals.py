"""When bytes arrived, by the kernel's clock: an order of events that no slow reader can blur."""

from __future__ import annotations

import socket
import struct
from contextlib import contextmanager
from typing import Iterator

from .clients import Client, read_block

SO_TIMESTAMPNS = 35  # the socket module does not name it
NS = 1_000_000_000


class Arrivals:
    """Reads for a client, and notes for each part of its echo when it came in."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._parts: list[tuple[int, int]] = []  # nanoseconds, bytes

    @property
    def last(self) -> int:
        """When the last part that was read came in; 0 if the kernel does not tell."""
        return self._parts[-1][0] if self._parts else 0

    def pull(self) -> None:
        """Reads and verifies what is there now."""
        try:
            size, ancillary, _, _ = self._client.socket.recvmsg_into(
                [read_block], socket.CMSG_SPACE(16)
            )
        except BlockingIOError:
            return
        self._client.verify(read_block[:size])
        moment = _moment(ancillary)
        if size and moment:
            self._parts.append((moment, size))

    def bytes_before(self, moment: int) -> int:
        """Bytes whose last one came in before `moment`: rather too few than too many."""
        return sum(size for when, size in self._parts if when < moment)


@contextmanager
def record_arrivals(client: Client) -> Iterator[Arrivals]:
    """Switches the time stamps on for a while. The kernel needs a moment to begin with them."""
    client.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    try:
        yield Arrivals(client)
    finally:
        client.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 0)


def _moment(ancillary: list[tuple[int, int, bytes]]) -> int:
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, nanoseconds = struct.unpack("@ll", data)
            return int(seconds) * NS + int(nanoseconds)
    return 0
