"""A client that keeps talking, where the server may close only clients that are quiet."""

from __future__ import annotations

import time

from .clients import Client
from .verdicts import CheckFailed, TimedOut

PAUSE = 0.03  # seconds between two words


def talk(client: Client, seconds: float, quiet_limit: float) -> bool:
    """Sends a word, waits for its echo, pauses, for so many seconds. The server must not end that
    before the client has been quiet for `quiet_limit`. On a machine so busy that this client itself
    pauses for so long, it may; then the result is False, and nothing has been shown."""
    end = time.monotonic() + seconds
    last_word = time.monotonic()
    while time.monotonic() < end:
        now = time.monotonic()
        try:
            client.send(b"word")
            client.receive_rest()
        except TimedOut:
            raise
        except CheckFailed as problem:
            quiet_for = time.monotonic() - last_word
            if quiet_for >= quiet_limit:
                return False
            raise CheckFailed(
                f"{client.name} was cut {quiet_for:.2f} s after its last word\n"
                f"expected: not before it is quiet for {quiet_limit} s\nactual:   {problem.message}"
            ) from None
        last_word = now
        time.sleep(PAUSE)
    return True
