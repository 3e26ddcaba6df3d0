"""What the kernel knows about a process: /proc/PID, read from outside, so it cannot be forged."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from grader.other_user import as_user


def open_descriptors(pid: int) -> set[int]:
    """The numbers of its open descriptors."""
    return {int(name) for name in os.listdir(f"/proc/{pid}/fd")}


def limit_free_descriptors(pid: int, free: int) -> int:
    """Lowers the soft limit so that just `free` more descriptors fit. Returns the limit before."""
    used = open_descriptors(pid)
    limit = 0
    while free > 0 or any(number >= limit for number in used):
        if limit not in used:
            free -= 1
        limit += 1
    before = _descriptor_limit(pid)
    set_descriptor_limit(pid, limit)
    return before


def set_descriptor_limit(pid: int, limit: int) -> None:
    """The soft limit. In a sandbox the process may be another user's, who alone may change it."""
    owner = Path(f"/proc/{pid}").stat().st_uid
    other = None if owner == os.getuid() else owner
    command = ["prlimit", "--pid", str(pid), f"--nofile={limit}:"]
    subprocess.run(as_user(other, command), check=True)


def _descriptor_limit(pid: int) -> int:
    for line in _told(f"/proc/{pid}/limits").splitlines():
        if line.startswith("Max open files"):
            return int(line.split()[3])
    raise OSError(f"/proc/{pid}/limits does not give the number of open files")


def cpu_seconds(pid: int) -> float:
    """Processor time used so far, user and system, of all its threads."""
    fields = _stat_fields(pid)
    ticks = int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def context_switches(pid: int) -> int:
    """How often its threads have been switched to: this stands still while the process sleeps."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in _told(f"{task}/status").splitlines():
            if "voluntary_ctxt_switches:" in line:
                total += int(line.split()[1])
    return total


def anonymous_memory(pid: int) -> int:
    """Bytes of heap, stack and the like that have been used; program files are not counted."""
    return _status_field(pid, "RssAnon")


def reserved_memory(pid: int) -> int:
    """Bytes that it has asked for, used or not: a large buffer shows, however little it holds."""
    return _status_field(pid, "VmData")


def is_stopped(pid: int) -> bool:
    """True once SIGSTOP has taken effect."""
    return _stat_fields(pid)[0] == "T"


def processes_of(sessions: list[int], parent: int) -> list[int]:
    """Living processes of these sessions, and children of `parent`, itself not counted."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fields = _stat_fields(int(name))
        except OSError:
            continue  # it has just ended
        is_alive = fields[0] not in "ZX"
        if is_alive and (int(fields[3]) in sessions or int(fields[1]) == parent):
            found.append(int(name))
    return found


def _status_field(pid: int, name: str) -> int:
    for line in _told(f"/proc/{pid}/status").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/{pid}/status does not give {name}")


def _stat_fields(pid: int) -> list[str]:
    """The fields after the command's name, which may itself contain spaces and brackets."""
    return _told(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _told(path: str) -> str:
    """A process' name, which is in some of these files, may be any bytes."""
    return Path(path).read_text(encoding="utf-8", errors="replace")
