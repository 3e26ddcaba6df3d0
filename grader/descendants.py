"""Ends everything that a program has left running, `setsid` grandchildren and daemons included.

A process that has called `adopt_orphans` becomes the parent of every orphan among its descendants
(prctl(2), PR_SET_CHILD_SUBREAPER). So whatever a program does, what it started is found among this
process' children once the program itself has ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path
from typing import List

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LIMIT = 10.0  # seconds; a fork bomb is over in a fraction of that

_adopting_pid = 0  # of the process that has called adopt_orphans: a fork of it adopts nothing


def adopt_orphans() -> None:
    """For a process that has no children but those it runs with run_program."""
    global _adopting_pid
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    _adopting_pid = os.getpid()


def end_with_parent() -> None:
    """This process gets SIGTERM when the one that started it has gone."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def end_descendants() -> None:
    """Kills and reaps all children, and theirs, which become ours. Does nothing where orphans are
    not adopted."""
    if _adopting_pid != os.getpid():
        return
    deadline = time.monotonic() + _LIMIT
    while _has_children() and time.monotonic() < deadline:
        for child in children_of(os.getpid()):
            _kill_and_reap(child)


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def children_of(parent: int) -> List[int]:
    children = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and _parent_of(int(entry)) == parent:
            children.append(int(entry))
    return children


def _parent_of(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def _kill_and_reap(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass
