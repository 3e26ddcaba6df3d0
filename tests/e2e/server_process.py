"""The process of a server: its surroundings, its limits, and that nothing of it stays."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import IO, Callable, Optional

from . import process_facts
from .enclosure import EnclosedProcess, Enclosure

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
CAP_NET_BIND_SERVICE = 10
LAST_MOMENT = 0.5  # seconds
LARGEST_FILE = 16 * 1024 * 1024  # of messages on standard error

SANITIZER_EXIT = 99  # told from the exit codes 0, 1 and 2 of the protocol
SANITIZER_OPTIONS = f"exitcode={SANITIZER_EXIT}:detect_leaks=1:allocator_may_return_null=1"

# AddressSanitizer keeps freed blocks for a while (256 MiB by default) and rounds up what it gives
# out, by a quarter at most for a block of 64 KiB. With the first switched off, what is left is a
# factor below 2, which the bounds on memory allow for.
NO_QUARANTINE = "quarantine_size_mb=0:thread_local_quarantine_size_kb=0"

_libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Makes this process the parent of what servers leave behind, wherever it hides."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def keep_out_of_sight() -> None:
    """A server of the same user may then neither trace this process nor use its descriptors. (To
    keep it from the records, too, hand them over as a pipe: --records /dev/fd/N.)"""
    _libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def launch(
    program: Path, options: list[str], errors: IO[bytes], sanitizer: str, enclosure: Enclosure
) -> EnclosedProcess:
    """Starts a server in a session of its own, with nothing open but the three standard files."""
    started = subprocess.Popen(
        [*enclosure.command, str(program), *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        bufsize=0,
        env=_environment(sanitizer),
        start_new_session=True,
        preexec_fn=_preparation(enclosure),
    )
    return EnclosedProcess(started, enclosure)


def leftovers(sessions: list[int]) -> list[int]:
    """Processes that are still there of servers that have ended. Wherever they hide, the kernel has
    made them children of this process, which has no others while no server runs. A sandbox needs a
    moment to end."""
    end = time.monotonic() + LAST_MOMENT
    while True:
        found = process_facts.processes_of(sessions, os.getpid())
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.01)


def end_leftovers(sessions: list[int]) -> None:
    """Kills them, each by its number."""
    for pid in leftovers(sessions):
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def _environment(sanitizer: str) -> dict[str, str]:
    """The same on every machine: no option of the caller's changes what is measured."""
    options = ":".join(filter(None, [SANITIZER_OPTIONS, sanitizer]))
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "RES_OPTIONS": "timeout:1 attempts:1",  # an unknown host is found out soon
        "ASAN_OPTIONS": options,
        "LSAN_OPTIONS": f"exitcode={SANITIZER_EXIT}",
        "UBSAN_OPTIONS": f"exitcode={SANITIZER_EXIT}:print_stacktrace=1",
        "TSAN_OPTIONS": f"exitcode={SANITIZER_EXIT}",
    }


def _preparation(enclosure: Enclosure) -> Optional[Callable[[], None]]:
    """None inside a sandbox, which sees to all of it: subprocess can then use vfork(2), where a fork
    of this process would cost more than most servers."""
    if enclosure.is_sandbox:
        return None
    return _prepare if enclosure.command else _prepare_unenclosed


def _prepare() -> None:
    """In the child, before the program: it dies with this process, leaves no core, and is an
    ordinary user where ports below 1024 are concerned."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    _libc.prctl(PR_CAPBSET_DROP, CAP_NET_BIND_SERVICE, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def _prepare_unenclosed() -> None:
    """And it fills no disk."""
    _prepare()
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
