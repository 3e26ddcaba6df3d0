"""Keepers: a few processes that each run one program at a time, and end all that it leaves.

Each keeper adopts the orphans of what it runs (descendants.py). One process cannot do that for
several programs at once: it could not tell whose orphan is whose.
"""

from __future__ import annotations

import concurrent.futures
import concurrent.futures.process
import multiprocessing
import os
import signal
from types import FrameType
from typing import Any, Callable, Optional, TypeVar

from grader.descendants import adopt_orphans, end_descendants, end_with_parent

T = TypeVar("T")


class Keepers:
    """`with Keepers(2) as keepers: keepers.submit(function, ...)`: a function that can be pickled."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = concurrent.futures.ProcessPoolExecutor(
            count, mp_context=multiprocessing.get_context("fork"), initializer=_become_keeper
        )

    def submit(
        self, function: Callable[..., T], *arguments: Any
    ) -> "concurrent.futures.Future[T]":
        return self._pool.submit(function, *arguments)

    def __enter__(self) -> "Keepers":
        return self

    def __exit__(self, error: Optional[type], *_: object) -> None:
        if error is not None:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
        self._pool.shutdown(cancel_futures=True)


KeeperLost = concurrent.futures.process.BrokenProcessPool


def available_cores() -> int:
    return len(os.sched_getaffinity(0))


def _become_keeper() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's ^C: the grader will end us
    signal.signal(signal.SIGTERM, _leave)
    end_with_parent()
    adopt_orphans()


def _leave(number: int, frame: Optional[FrameType]) -> None:
    end_descendants()
    os._exit(128 + number)
