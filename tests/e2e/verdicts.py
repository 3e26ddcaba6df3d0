"""What can come of a check, and the exceptions that say so."""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """How a check ended, in the words of the score file."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    EARLY_EXIT = "early-exit"
    LEAKED = "leaked"
    NOT_IMPLEMENTED = "not-implemented"
    ERROR = "error"


class CheckFailed(AssertionError):
    """The server did not do what it promises. `message` is for the student."""

    def __init__(self, message: str, *, status: Status = Status.FAILED, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.hint = hint


class TimedOut(CheckFailed):
    """Something that must come did not come in time."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, status=Status.TIMEOUT, hint=hint)


class NoFirstEcho(CheckFailed):
    """The server does not get as far as one echo: found once, and said again by each check."""


class MachineFault(Exception):
    """The check could not be tried: not the server's fault, and never scored as one."""


def expect(condition: bool, message: str) -> None:
    """Fails with this message unless the condition holds."""
    if not condition:
        raise CheckFailed(message)


def expect_equal(what: str, expected: object, actual: object, *, hint: str = "") -> None:
    """Fails with both values unless they are equal."""
    if expected != actual:
        raise CheckFailed(f"{what}\nexpected: {expected}\nactual:   {actual}", hint=hint)
