"""What the exit code of ./lab means, and the errors that lead to one."""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    DONE = 0
    TESTS_FAILED = 1  # of `test` or `selftest`; `grade` exits 0 whenever it could grade
    WRONG_USE = 2
    KIT_FAILED = 3  # the kit or the machine: never scored as a student's zero


class WrongUse(Exception):
    """The user asked for something that does not exist or cannot be read."""


class KitFailed(Exception):
    """The kit or the machine does not do its part."""
