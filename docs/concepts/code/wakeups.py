"""Counts what an echo server asks of the kernel, edge-triggered and level-triggered.

    python3 docs/concepts/code/wakeups.py build/release/milestones/echo-server

The clients are on the loopback interface, one after the other; needs strace.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import selectors
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, Iterator, Optional, Tuple

MESSAGE = bytes(range(64))
IDLE_CLIENTS = 200
BULK = 16 << 20  # bytes
CHUNK = 131072
WATCHED = "epoll_wait,epoll_ctl,read,recvfrom,sendto,write,poll,accept4"
CALL = re.compile(r"^(\w+)\(.*\) += (-?\d+)", re.MULTILINE)
QUIET = 0.05  # seconds: no call in that time, and the server has done what it had to


class Server:
    """An echo server, and strace's log of it."""

    def __init__(self, log: Path, port: int) -> None:
        self._log = log
        self._port = port

    def connect(self, receive_buffer: Optional[int] = None) -> socket.socket:
        client = socket.socket()
        client.settimeout(20)
        if receive_buffer is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.connect(("127.0.0.1", self._port))
        return client

    def quiet(self) -> int:
        """Waits until the server waits. Returns where in the log that call begins."""
        before, log = b"", self._log.read_bytes()
        while log != before or not log.rpartition(b"\n")[2].startswith(b"epoll_wait("):
            time.sleep(QUIET)
            before, log = log, self._log.read_bytes()
        return log.rfind(b"\n") + 1

    def log_since(self, begin: int) -> str:
        end = self.quiet()
        return self._log.read_bytes()[begin:end].decode()


@contextlib.contextmanager
def running(program: Path, *options: str) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="wakeups-") as folder:
        log = Path(folder) / "log"
        strace = ["strace", "-D", "-qq", "-o", str(log), "-e", f"trace={WATCHED}"]
        server = [str(program.resolve()), "--port", "0", "--drain-timeout", "1", *options]
        with subprocess.Popen([*strace, *server], stdout=subprocess.PIPE, text=True) as process:
            try:
                line = process.stdout.readline() if process.stdout is not None else ""
                if not line.startswith("listening on "):
                    raise SystemExit("the server does not start, or strace may not trace it")
                yield Server(log, int(line.rsplit(":", 1)[1]))
            finally:
                process.terminate()  # with -D, that is the server itself


def echo(client: socket.socket) -> None:
    client.sendall(MESSAGE)
    missing = len(MESSAGE)
    while missing > 0:
        received = len(client.recv(missing))
        if received == 0:
            raise SystemExit("the server has closed the connection")
        missing -= received


# ---- What the clients do. Each gives the log of the part that counts.


def idle(server: Server, rounds: int) -> str:
    """one client, which is silent for a second"""
    with server.connect() as client:
        echo(client)
        begin = server.quiet()
        time.sleep(1)
        return server.log_since(begin)


def ping_pong(server: Server, rounds: int) -> str:
    """one client: 64 bytes there and back, {rounds} times"""
    with server.connect() as client:
        echo(client)
        begin = server.quiet()
        for _ in range(rounds):
            echo(client)
        return server.log_since(begin)


def among_idle(server: Server, rounds: int) -> str:
    """the same, beside 200 silent clients"""
    with contextlib.ExitStack() as clients:
        for _ in range(IDLE_CLIENTS):
            echo(clients.enter_context(server.connect()))
        log = ping_pong(server, rounds)
    return log


def connections(server: Server, rounds: int) -> str:
    """{rounds} clients in turn: connect, 64 bytes there and back, close"""
    begin = server.quiet()
    for _ in range(rounds):
        with server.connect() as client:
            echo(client)
    return server.log_since(begin)


def bulk(server: Server, rounds: int) -> str:
    """one client: 16 MiB there and back, as fast as they go"""
    begin = server.quiet()
    both = selectors.EVENT_READ | selectors.EVENT_WRITE
    sent = received = 0
    with server.connect() as client, selectors.DefaultSelector() as selector:
        client.setblocking(False)
        selector.register(client, both)
        while received < BULK:
            for _, events in selector.select(20):
                if events & selectors.EVENT_READ:
                    received += len(client.recv(65536))
                if events & selectors.EVENT_WRITE and sent < BULK:
                    sent += client.send(bytes(min(65536, BULK - sent)))
            selector.modify(client, both if sent < BULK else selectors.EVENT_READ)
        return server.log_since(begin)


def is_stuck(log: str) -> bool:
    """The last that the server tried is a write, for which there was no room."""
    tries = re.findall(r"^(?:read|sendto)\(.*", log, re.MULTILINE)
    return bool(tries) and tries[-1].startswith("sendto") and "EAGAIN" in tries[-1]


def to_the_deaf(server: Server, rounds: int) -> str:
    """one client that does not read; while the server waits to write, {rounds} messages come"""
    with server.connect(receive_buffer=4096) as client:
        begin = server.quiet()
        while not is_stuck(server.log_since(begin)):
            client.sendall(bytes(CHUNK))
        begin = server.quiet()
        for _ in range(rounds):
            client.sendall(MESSAGE)
            time.sleep(0.002)  # apart, so that the kernel does not report several at once
        return server.log_since(begin)


SCENES: Tuple[Callable[[Server, int], str], ...] = (
    idle,
    ping_pong,
    among_idle,
    connections,
    bulk,
    to_the_deaf,
)
MODES: Dict[str, Tuple[str, ...]] = {"edge": (), "level": ("--level-triggered",)}


def row(log: str) -> Tuple[int, int, int]:
    """Wake-ups, epoll_ctl calls, and all calls."""
    calls = [(name, int(result)) for name, result in CALL.findall(log)]
    wake_ups = sum(name == "epoll_wait" and result > 0 for name, result in calls)
    return wake_ups, sum(name == "epoll_ctl" for name, _ in calls), len(calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path, help="the echo server")
    parser.add_argument("--rounds", type=int, default=1000, help="messages or connections (1000)")
    arguments = parser.parse_args()
    print("| clients | mode | wake-ups | epoll_ctl | all calls |\n|---|---|---|---|---|")
    for scene in SCENES:
        title = (scene.__doc__ or "").format(rounds=arguments.rounds)
        for mode, options in MODES.items():
            with running(arguments.program, *options) as server:
                numbers = row(scene(server, arguments.rounds))
            print(f"| {title} | {mode} | {' | '.join(map(str, numbers))} |", flush=True)
            title = ""


if __name__ == "__main__":
    main()
