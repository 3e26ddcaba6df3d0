"""Watches how much memory a program and all that it started use together.

The kernel's own limits do not fit: address space (RLIMIT_AS) cannot be limited under AddressSanitizer,
which reserves terabytes, and an ordinary user may not use control groups everywhere.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Dict, Iterator, List, Optional

PAUSE = 0.05  # seconds between two looks: a program fills some 100 MiB in that time

_PAGE = os.sysconf("SC_PAGE_SIZE")


class MemoryGuard:
    def __init__(self, pid: int, limit: Optional[int]) -> None:
        """`limit`: in bytes; None: there is none."""
        self.pause = PAUSE if limit is not None else float("inf")
        self.is_over = False
        self._pid = pid
        self._limit = limit
        self._next = time.monotonic() + self.pause

    def looks_again(self) -> bool:
        """True once the limit is passed. Cheap between the looks."""
        if self._limit is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + self.pause
            family = list(_family(self._pid))
            self.is_over = sum(map(_resident, family)) + _in_files(family) > self._limit
        return self.is_over


def _family(pid: int) -> Iterator[int]:
    """A process and what it started, and so on; not what has left for another parent."""
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        yield one
        try:
            for thread in os.listdir(f"/proc/{one}/task"):  # each has the children that it started
                children = Path(f"/proc/{one}/task/{thread}/children").read_text(encoding="ascii")
                waiting += map(int, children.split())
        except OSError:
            continue


def _in_files(pids: List[int]) -> int:
    """What is in files without a name (memfd_create), whoever has them open."""
    sizes: Dict[int, int] = {}
    for path in (path for pid in pids for path in _descriptors(pid)):
        with contextlib.suppress(OSError):  # closed by now
            if os.readlink(path).startswith("/memfd:"):
                status = os.stat(path)
                sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _descriptors(pid: int) -> List[str]:
    """None of a process that has ended, or lets nobody look."""
    try:
        return [f"/proc/{pid}/fd/{name}" for name in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return []


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0
