"""Many transfers at a time, in one thread: each client sends its pieces and verifies its echo."""

from __future__ import annotations

import selectors
import time
from typing import Callable, Iterable, Iterator, Optional, Union

from .clients import Client
from .verdicts import CheckFailed, TimedOut

Progress = Callable[[int], None]


class Exchange:
    """What one client has to send. It has finished when all of it has come back, and, if it ends
    with a half-close, end-of-file after it."""

    def __init__(self, client: Client, pieces: Iterable[Union[bytes, memoryview]], half_close: bool = False) -> None:
        self.client = client
        self.half_close = half_close
        self.finished = False
        self.last_progress = time.monotonic()
        self._pieces: Iterator[Union[bytes, memoryview]] = iter(pieces)
        self._piece = memoryview(b"")
        self._all_sent = False
        self._next_piece()
        self._note_the_end()

    def wanted_events(self) -> int:
        return selectors.EVENT_READ | (0 if self._all_sent else selectors.EVENT_WRITE)

    def move(self, events: int) -> int:
        """Sends and reads what is possible now; returns how many bytes came back."""
        received = 0
        if events & selectors.EVENT_WRITE:
            self._send_piece()
        if events & selectors.EVENT_READ:
            received = self._receive()
        self._note_the_end()
        return received

    def _send_piece(self) -> None:
        count = self.client.push(self._piece)
        if count:
            self.last_progress = time.monotonic()
        self._piece = self._piece[count:]
        if not self._piece:
            self._next_piece()

    def _next_piece(self) -> None:
        while not self._piece and not self._all_sent:
            piece = next(self._pieces, None)
            if piece is not None:
                self._piece = memoryview(piece)
                continue
            self._all_sent = True
            if self.half_close:
                self.client.finish_sending()

    def _receive(self) -> int:
        count = self.client.pull()
        if count is not None:
            self.last_progress = time.monotonic()
        return count or 0

    def _note_the_end(self) -> None:
        client = self.client
        is_complete = self._all_sent and client.received == client.sent
        if client.ended and not (is_complete and self.half_close):
            raise CheckFailed(
                f"the server closed the connection of {client.name} too early\n"
                f"expected: all of the echo, {'then' if self.half_close else 'no'} end-of-file\n"
                f"actual:   end-of-file with {client.progress()}"
            )
        self.finished = is_complete and (client.ended or not self.half_close)


def run_exchanges(exchanges: list[Exchange], on_progress: Optional[Progress] = None) -> None:
    """Runs all to their end. `on_progress` is called with the bytes that have come back so far."""
    total = 0
    with selectors.DefaultSelector() as selector:
        for exchange in exchanges:
            if not exchange.finished:
                exchange.last_progress = time.monotonic()
                selector.register(exchange.client.socket, exchange.wanted_events(), exchange)
        while selector.get_map():
            for key, events in selector.select(0.5):
                total += _turn(selector, key.data, events)
                if on_progress is not None:
                    on_progress(total)
            _check_progress(exchanges)


def echo(client: Client, data: bytes, half_close: bool = False) -> None:
    """One client sends `data`, reading meanwhile, until all has come back."""
    run_exchanges([Exchange(client, [data], half_close)])


def _turn(selector: selectors.BaseSelector, exchange: Exchange, events: int) -> int:
    wanted = exchange.wanted_events()
    received = exchange.move(events)
    if exchange.finished:
        selector.unregister(exchange.client.socket)
    elif exchange.wanted_events() != wanted:
        selector.modify(exchange.client.socket, exchange.wanted_events(), exchange)
    return received


def _check_progress(exchanges: list[Exchange]) -> None:
    now = time.monotonic()
    stuck = [
        exchange.client
        for exchange in exchanges
        if not exchange.finished and now - exchange.last_progress > exchange.client.patience
    ]
    if stuck:
        client = stuck[0]
        raise TimedOut(
            f"{len(stuck)} of {len(exchanges)} clients wait in vain; {client.name}: "
            f"{client.progress()}, and nothing moves for {client.patience:g} s"
        )
