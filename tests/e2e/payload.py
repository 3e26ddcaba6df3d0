"""Data that the clients send, and how to say where an echo differs from them."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Iterator, Union

from .seed import make_random

ALL_BYTES = bytes(range(256))
_POOL_SIZE = 4 * 1024 * 1024 + 4099  # no multiple of what a buffer may have: what is repeated is out of place


def make_payload(size: int, name: object = 0) -> bytes:
    """`size` bytes that depend on `name` and the seed of the run; from 256 bytes on, every value is
    among them."""
    start = make_random(f"payload {name}").randrange(_POOL_SIZE)
    pieces: list[Union[bytes, memoryview]] = [ALL_BYTES] if size >= 256 else []
    missing = size - sum(map(len, pieces))
    while missing > 0:
        pieces.append(_pool()[start : start + missing])
        missing -= len(pieces[-1])
        start = 0
    return b"".join(pieces)


@lru_cache(maxsize=None)
def _pool() -> memoryview:
    """Random bytes, of which all payloads are cut: to make new ones takes longer than to echo them."""
    return memoryview(make_random("payloads").randbytes(_POOL_SIZE))


def cut_randomly(data: bytes, chance: random.Random, largest: int) -> Iterator[bytes]:
    """The data in pieces of 1 to `largest` bytes, small ones being as likely as large ones."""
    start = 0
    while start < len(data):
        size = chance.randint(1, 2 ** chance.randint(0, largest.bit_length() - 1))
        yield data[start : start + size]
        start += size


def describe_difference(sent: bytes, offset: int, actual: bytes) -> str:
    """How `actual`, received at `offset` of the echo, differs from what was sent."""
    expected = sent[offset : offset + len(actual)]
    first = next(
        (i for i, pair in enumerate(zip(expected, actual)) if pair[0] != pair[1]), len(expected)
    )
    if offset + first == len(sent):
        extra = len(actual) - first
        return (
            f"the echo is longer than what was sent ({len(sent)} bytes)\n"
            "expected: nothing more\n"
            f"actual:   {extra} more: {_bytes_around(actual, first)}"
        )
    message = (
        f"first wrong byte of the echo: offset {offset + first} of {len(sent)} sent\n"
        f"expected: {_bytes_around(expected, first)}\n"
        f"actual:   {_bytes_around(actual, first)}"
    )
    return message + _displacement(sent, offset + first, actual[first : first + 16])


def _bytes_around(data: bytes, position: int) -> str:
    before = data[max(0, position - 4) : position].hex(" ")
    after = data[position + 1 : position + 8].hex(" ")
    return f"{before} [{data[position]:02x}] {after}".strip()


def _displacement(sent: bytes, offset: int, wrong: bytes) -> str:
    """Where else the wrong bytes were sent, if so: it tells a lost tail from a repeated one."""
    if len(wrong) < 16:
        return ""
    later = sent.find(wrong, offset)
    if later >= 0:
        lost = later - offset
        return f"\nThese bytes were sent at offset {later}: {lost} bytes got lost before them."
    earlier = sent.rfind(wrong, 0, offset)
    if earlier >= 0:
        return f"\nThese bytes were sent at offset {earlier}: they came back a second time."
    return "\nThis client never sent these bytes."
