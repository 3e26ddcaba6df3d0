"""echo_clients.py PROGRAM: several clients at once get their own bytes back, one that breaks off disturbs nobody;
SIGTERM ends the server when those who are connected have left."""

from __future__ import annotations

import random
import signal
import socket
import struct
import subprocess
import sys
import threading
from typing import List

_SECONDS = 30
_CLIENTS = 20
_BYTES = 300_000  # more than the sockets' buffers take at once


def main() -> None:
    server = subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        first_line = server.stdout.readline().decode()
        assert first_line.startswith("listening on 127.0.0.1:"), first_line
        _talk_to(server, int(first_line.rpartition(":")[2]))
    finally:
        server.kill()
        server.wait()


def _talk_to(server: "subprocess.Popen[bytes]", port: int) -> None:
    with _connection(port) as patient:
        patient.sendall(b"hello")
        assert _received(patient, 5) == b"hello"
        _break_off(port)
        wrong: List[int] = []
        threads = [threading.Thread(target=_client, args=(port, n, wrong)) for n in range(_CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [], f"clients {wrong} did not get back what they sent"
        server.send_signal(signal.SIGTERM)
        _require_refused(port)
        patient.sendall(b"still here")
        assert _received(patient, 10) == b"still here"
        assert server.poll() is None, "it did not wait for the client"
    assert server.wait(_SECONDS) == 0, f"exit code {server.returncode}"


def _connection(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), _SECONDS)


def _break_off(port: int) -> None:
    with _connection(port) as rude:
        rude.sendall(b"x" * 1000)
        rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset


def _client(port: int, number: int, wrong: List[int]) -> None:
    wrong.append(number)
    sent = random.Random(number).randbytes(_BYTES)
    with _connection(port) as client:
        sender = threading.Thread(target=client.sendall, args=(sent,))
        sender.start()
        received = _received(client, len(sent))
        sender.join()
    if received == sent:
        wrong.remove(number)


def _received(client: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length and (chunk := client.recv(65536)):
        received += chunk
    return received


def _require_refused(port: int) -> None:
    for _ in range(_SECONDS * 100):
        try:
            _connection(port).close()
        except ConnectionRefusedError:
            return
        threading.Event().wait(0.01)
    raise AssertionError("it still listens")


main()
