"""Waiting for what can only be observed. Every wait has an upper bound."""

from __future__ import annotations

import time
from typing import Callable

from . import process_facts
from .verdicts import CheckFailed, TimedOut

POLL_SECONDS = 0.005


def wait_until(condition: Callable[[], bool], limit: float, what: str, hint: str = "") -> None:
    """Returns as soon as `condition` holds; fails, naming `what`, after `limit` seconds."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise TimedOut(f"waited {limit:g} s for {what}, in vain", hint=hint)
        time.sleep(POLL_SECONDS)


def wait_until_asleep(pid: int, limit: float) -> None:
    """Waits until the process has done what was left to do: 0.3 s without being scheduled."""
    end = time.monotonic() + limit
    quiet_since, before = time.monotonic(), process_facts.context_switches(pid)
    while time.monotonic() - quiet_since < 0.3:
        time.sleep(0.05)
        now = process_facts.context_switches(pid)
        if now != before:
            quiet_since, before = time.monotonic(), now
        if time.monotonic() > end:
            raise CheckFailed(
                f"nobody sends anything, but the server does not go to sleep in {limit:g} s"
            )


def expect_asleep(pid: int, seconds: float, limit: float) -> None:
    """Fails if the process runs at all for so long, once it has gone to sleep."""
    wait_until_asleep(pid, limit)
    switches, cpu = process_facts.context_switches(pid), process_facts.cpu_seconds(pid)
    time.sleep(seconds)
    woken = process_facts.context_switches(pid) - switches
    used = process_facts.cpu_seconds(pid) - cpu
    if woken or used:
        raise CheckFailed(
            f"nobody sends anything for {seconds:g} s\n"
            "expected: the server sleeps in the kernel, without being woken\n"
            f"actual:   it ran {woken} times and used {used:.2f} s of processor time"
        )


def expect_no_spinning(pid: int, seconds: float) -> None:
    """Fails if the process uses more than a tenth of a processor. A few attempts are allowed."""
    cpu = process_facts.cpu_seconds(pid)
    time.sleep(seconds)
    used = process_facts.cpu_seconds(pid) - cpu
    if used > seconds / 10:
        raise CheckFailed(
            f"processor time used in {seconds:g} s of waiting\n"
            f"expected: next to nothing (at most {seconds / 10:.2f} s)\n"
            f"actual:   {used:.2f} s"
        )


def expect_not_before(moment: float, what: str) -> None:
    """A strict lower bound: fails if it is not yet `moment` on the monotonic clock."""
    early = moment - time.monotonic()
    if early > 0:
        raise CheckFailed(f"{what} {early:.3f} s before its time")
