"""The seed of all random data and sizes of a run: LAB_SEED from the environment, or a new one each
time, so that no server can know beforehand what its clients send."""

from __future__ import annotations

import os
import random
from functools import lru_cache

LARGEST = 2**32 - 1  # the C tests take it for a number of 32 bits


class BadSeed(ValueError):
    """LAB_SEED is not a seed."""


@lru_cache(maxsize=None)
def run_seed() -> int:
    """The seed of this run."""
    given = os.environ.get("LAB_SEED", "")
    if not given:
        return random.SystemRandom().randrange(LARGEST + 1)
    if not (given.isascii() and given.isdigit() and int(given) <= LARGEST):
        raise BadSeed(f"LAB_SEED must be a number from 0 to {LARGEST}, not {given!r}")
    return int(given)


def make_random(purpose: object) -> random.Random:
    """Random numbers for one purpose: the same ones whenever the seed of the run is the same."""
    _uses.append(purpose)
    return random.Random(f"{run_seed()} {purpose}")


def begin_test() -> None:
    """From here on it is asked for whether random data are used."""
    _uses.clear()


def how_to_repeat() -> str:
    """A line for the report of a failure; empty if nothing was random."""
    return f"for the same random data again: LAB_SEED={run_seed()}" if _uses else ""


_uses: list[object] = []
