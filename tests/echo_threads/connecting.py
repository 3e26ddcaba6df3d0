"""Clients, and on which thread of the server each of them is.

Nothing tells a client where it is. But each thread has an epoll descriptor of its own, and the kernel says
what is registered there: the listener, and the thread's connections.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Dict, List

from tests.e2e.clients import Client
from tests.e2e.exchange import echo
from tests.e2e.server import EchoServer
from tests.e2e.waits import wait_until


def connections(server: EchoServer) -> List[int]:
    """How many wait on each thread; the first one is the first. -1: it has not begun to listen."""
    return [count - 1 for count in _sockets(server.pid).values()]  # without the listener


def wait_for_connections(server: EchoServer, count: int) -> List[int]:
    """Until so many wait, and no thread is still to begin. A session waits a moment after its echo."""

    def are_there() -> bool:
        found = connections(server)
        return min(found) >= 0 and sum(found) == count

    wait_until(are_there, server.patience, f"{count} connections to wait")
    return connections(server)


def listeners(server: EchoServer) -> int:
    """How many sockets listen on its port."""
    port, found = f":{server.address.port:04X}", 0
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        found += fields[1].endswith(port) and fields[3] == "0A"
    return found


def has_thread_sanitizer(program: Path) -> bool:
    return b"__tsan_init" in program.read_bytes()


def threads(server: EchoServer) -> List[int]:
    return sorted(int(name) for name in os.listdir(f"/proc/{server.pid}/task"))


def _sockets(pid: int) -> Dict[int, int]:
    """Of each epoll descriptor: how many sockets are registered there."""
    found = {}
    for name in sorted(os.listdir(f"/proc/{pid}/fd"), key=int):
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(f"/proc/{pid}/fd/{name}") == "anon_inode:[eventpoll]":
                text = Path(f"/proc/{pid}/fdinfo/{name}").read_text(encoding="ascii")
                found[int(name)] = sum(
                    _is_socket(pid, fd) for fd in re.findall(r"^tfd: *(\d+)", text, re.MULTILINE)
                )
    return found


def _is_socket(pid: int, descriptor: str) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.readlink(f"/proc/{pid}/fd/{descriptor}").startswith("socket:")
    return False


class Crowd:
    """Makes the clients of one test, and closes them all."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._clients: List[Client] = []

    def connect(self, server: EchoServer, receive_buffer: int = 0) -> Client:
        name = f"client {len(self._clients) + 1}"
        self._clients.append(Client(server.address, name, self._patience, receive_buffer))
        return self._clients[-1]

    def served(self, server: EchoServer, count: int) -> List[Client]:
        """Some that have spoken, so that each has been accepted."""
        clients = [self.connect(server) for _ in range(count)]
        for client in clients:
            echo(client, b"hello")
        return clients

    def on_thread(self, server: EchoServer, number: int) -> Client:
        """One that is served by the thread of this number, and does not read much: the others go."""
        for _ in range(64):
            wait_for_connections(server, 0)
            client = self.connect(server, receive_buffer=4096)
            echo(client, b"hello")
            if wait_for_connections(server, 1)[number] == 1:
                return client
            client.close()
        raise AssertionError(f"64 clients, and none of them on thread {number}")

    def close(self) -> None:
        for client in self._clients:
            client.close()
