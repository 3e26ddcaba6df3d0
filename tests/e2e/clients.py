"""A client that compares every byte that comes back with what it has sent."""

from __future__ import annotations

import errno
import select
import socket
import struct
import time
import zlib
from dataclasses import dataclass
from typing import Optional

from .payload import describe_difference, make_payload
from .verdicts import CheckFailed, MachineFault, TimedOut

BLOCK = 256 * 1024

# Where all clients read into, one at a time. New memory for every read would cost more than the read.
read_block = memoryview(bytearray(BLOCK))

# What connect(2) says of an address that is no address of this machine.
NOT_OURS = (
    errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EINVAL, errno.EACCES,
    errno.ENETDOWN, errno.EAFNOSUPPORT,
)  # fmt: skip


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    @property
    def family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET


class Client:
    """One connection. `patience` bounds every wait, in seconds without progress."""

    def __init__(
        self, address: Address, name: str, patience: float, receive_buffer: int = 0
    ) -> None:
        self.name = name
        self.patience = patience
        self.sent = 0  # bytes
        self.received = 0  # so many of them have come back
        self._pieces: list[memoryview] = []  # all that was sent: no copies, for it may be much
        self._next_piece = 0  # whose echo comes next, ...
        self._echoed = 0  # ... and so many of its bytes have come back
        self.ended = False  # end-of-file was read
        self.socket = socket.socket(address.family, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if receive_buffer:  # before connecting, so that the window is small from the start
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(patience)
        try:
            self.socket.connect((address.host, address.port))
        except (ConnectionRefusedError, ConnectionResetError):
            self.socket.close()
            raise
        except socket.timeout:
            self.socket.close()
            raise TimedOut(f"{name} could not connect within {patience:g} s") from None
        except OSError as fault:
            self.socket.close()
            if fault.errno in NOT_OURS:
                raise CheckFailed(
                    f"{name} cannot connect to the address that the server printed\n"
                    "expected: one of this machine's own, where somebody listens\n"
                    f"actual:   {address}: {fault.strerror}"
                ) from fault
            raise MachineFault(f"{name} cannot connect to {address}: {fault}") from fault
        self.socket.setblocking(False)

    # ---- without waiting -------------------------------------------------------------------------

    def push(self, data: memoryview) -> int:
        """Hands the kernel as much of `data` as it takes now."""
        try:
            count = self.socket.send(data)
        except BlockingIOError:
            return 0
        except (ConnectionResetError, BrokenPipeError) as error:
            raise self._cut_off(error) from None
        self._pieces.append(data[:count])
        self.sent += count
        return count

    def pull(self, size: int = BLOCK) -> Optional[int]:
        """Reads and verifies what is there: how many bytes; 0 at the end; None if nothing yet."""
        try:
            count = self.socket.recv_into(read_block, size)
        except BlockingIOError:
            return None
        except (ConnectionResetError, BrokenPipeError) as error:
            raise self._cut_off(error) from None
        self.verify(read_block[:count])
        return count

    def verify(self, data: memoryview) -> None:
        """Takes `data` as the next part of the echo; empty: the end."""
        start = self.received
        if self._match(data):
            difference = describe_difference(b"".join(self._pieces), start, bytes(data))
            raise CheckFailed(f"{self.name}: {difference}")
        self.ended = self.ended or not data

    def _match(self, data: memoryview) -> memoryview:
        """Notes as received what of `data` is as it was sent; returns what is left."""
        while data and self._next_piece < len(self._pieces):
            piece = self._pieces[self._next_piece]
            expected = piece[self._echoed : self._echoed + len(data)]
            if expected.tobytes() != data[: len(expected)].tobytes():
                break
            self.received += len(expected)
            self._echoed += len(expected)
            if self._echoed == len(piece):
                self._next_piece, self._echoed = self._next_piece + 1, 0
            data = data[len(expected) :]
        return data

    # ---- waiting ---------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Sends all of `data` and reads nothing meanwhile."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.push(rest) :]
            if rest and not self.wait_for(select.POLLOUT, self.patience):
                raise TimedOut(f"{self.name} could send {self.progress()}, then no more")

    def receive(self, count: int) -> None:
        """Reads until `count` bytes in all have come back."""
        while self.received < count:
            self.pull_some()
            if self.ended:
                raise CheckFailed(
                    f"the server closed the connection of {self.name} too early\n"
                    f"expected: {count} bytes of echo\nactual:   end-of-file after {self.received}"
                )

    def receive_rest(self) -> None:
        """Reads until everything sent so far has come back."""
        self.receive(self.sent)

    def finish_sending(self) -> None:
        """Half-close: the server reads end-of-file, this client goes on reading."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise self._cut_off(error) from None

    def expect_end(self) -> None:
        """Reads the rest of the echo and end-of-file after its last byte, no sooner, no later."""
        while not self.ended:
            self.pull_some()
        if self.received != self.sent:
            raise CheckFailed(
                f"the end of the echo of {self.name} is missing\n"
                f"expected: {self.sent} bytes, then end-of-file\n"
                f"actual:   end-of-file after {self.received} bytes"
            )

    def pull_some(self, size: int = BLOCK) -> int:
        """Waits for the next bytes, or the end, and reads them."""
        while True:
            count = self.pull(size)
            if count is not None:
                return count
            if not self.wait_for(select.POLLIN, self.patience):
                raise TimedOut(
                    f"{self.name} waits for more of its echo: it has {self.progress()}, "
                    f"and in {self.patience:g} s came neither a byte nor end-of-file"
                )

    def hears_within(self, seconds: float) -> bool:
        """True if something (data, the end, a reset) can be read within so many seconds."""
        return self.wait_for(select.POLLIN, seconds)

    def wait_for(self, events: int, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.socket, events)
        return bool(poll.poll(max(0.0, seconds) * 1000))

    # ---- ending ----------------------------------------------------------------------------------

    def reset(self) -> None:
        """Closes with a reset instead of an orderly end; whatever is under way is lost."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self) -> None:
        self.socket.close()

    def progress(self) -> str:
        return f"{self.received} of {self.sent} bytes back"

    def _cut_off(self, error: OSError) -> CheckFailed:
        return CheckFailed(
            f"the connection of {self.name} was cut off: {error.strerror}\n"
            f"expected: the echo, or an orderly end\nactual:   a reset, with {self.progress()}"
        )


def fill(clients: list[Client], limit: int) -> None:
    """Sends on every connection, reading nothing, until for 0.25 s none takes a byte more, or each
    has taken `limit` bytes. Then client, kernel and server hold all that they are willing to."""
    block = memoryview(make_payload(64 * 1024, "fill"))
    last_progress = time.monotonic()
    while time.monotonic() - last_progress < 0.25:
        open_ones = [client for client in clients if client.sent < limit]
        if not open_ones:
            return
        taken = sum(client.push(_next_block(block, client, limit)) for client in open_ones)
        if taken:
            last_progress = time.monotonic()
        else:
            time.sleep(0.01)


def _next_block(block: memoryview, client: Client, limit: int) -> memoryview:
    """A part of `block` that does not begin as the one before did: lost or doubled parts show."""
    sent = client.sent
    start = (sent // 7 + zlib.crc32(client.name.encode())) % 4099
    return block[start : start + limit - sent]
