"""What is exact: instructions and system calls. So a hot path that grows is found by a count, not by a time.

A program is run twice, with fewer and with more operations; what the second took more, for each operation
more, is what one of them takes. Instructions are counted by cachegrind, and are those of the process, not of
the kernel.
"""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Mapping, Sequence

from grader.bench.building import Programs
from grader.bench.peers import OURS
from grader.exit_codes import KitFailed
from grader.processes import clean_environment, describe_exit, run_program

_SECONDS = 120.0
_FEWER, _MORE = 1000, 3000  # messages


@dataclasses.dataclass(frozen=True)
class Counted:
    """Two runs of a program, and how many operations lie between them."""

    bench: str
    fewer: Sequence[str]
    more: Sequence[str]
    operations: int


def _calls_of_fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n + 1):
        a, b = b, a + b
    return 2 * a - 1


COUNTED: Mapping[str, Counted] = {
    "yield": Counted("switch", ("100", "100"), ("100", "300"), 100 * 200),
    "spawn": Counted("spawn", ("10",), ("30",), 20 * 1000),
    "await": Counted("await", ("children", "10000"), ("children", "30000"), 20000),
    "await, recursive": Counted(
        "await", ("fibonacci", "15"), ("fibonacci", "19"), _calls_of_fibonacci(19) - _calls_of_fibonacci(15)
    ),
    "sleep, 1,000 asleep": Counted(
        "timers", ("virtual", "1000", "10", "10000"), ("virtual", "1000", "30", "10000"), 20 * 1000
    ),
    "sleep, 32,000 asleep": Counted(
        "timers", ("virtual", "32000", "2", "320000"), ("virtual", "32000", "4", "320000"), 2 * 32000
    ),
}
MESSAGE = "echoed message, 64 B"
GROWTH = ("sleep, 1,000 asleep", "sleep, 32,000 asleep", 1.5)  # log 32,000 / log 1,000


# ---- Instructions


def count_instructions(programs: Programs, who: str = OURS) -> Dict[str, float]:
    """For one of each of which there is a program of `who`; of an echoed message, for ours."""
    found = {}
    for name, counted in COUNTED.items():
        program = programs.command(counted.bench, who)
        if program is not None:
            fewer, more = (_instructions([*program, *a]) for a in (counted.fewer, counted.more))
            found[name] = round((more - fewer) / counted.operations, 1)
    server = programs.command("echo", who)
    if who == OURS and server is not None:
        fewer, more = (_instructions_of_server(programs, server, n) for n in (_FEWER, _MORE))
        found[MESSAGE] = round((more - fewer) / (_MORE - _FEWER), 1)
    return found


def _instructions(command: Sequence[str]) -> int:
    with tempfile.NamedTemporaryFile(prefix="lab-bench-") as log:
        ended = run_program(
            [*_cachegrind(log.name), *command], seconds=_SECONDS, environment=clean_environment()
        )
        if ended.timed_out or ended.returncode != 0:
            what = "not done in time" if ended.timed_out else describe_exit(ended.returncode)
            raise KitFailed(f"{Path(command[0]).name} under valgrind: {what}\n{ended.output}")
        return _references(log.name)


def _instructions_of_server(programs: Programs, server: Sequence[str], messages: int) -> int:
    with tempfile.NamedTemporaryFile(prefix="lab-bench-") as log:
        exchange(programs, [*_cachegrind(log.name), *server], messages)
        return _references(log.name)


def _cachegrind(log: str) -> List[str]:
    options = ["--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={log}"]
    return ["valgrind", "--tool=cachegrind", *options]


def _references(log: str) -> int:
    found = re.search(r"I\s+refs:\s+([\d,]+)", Path(log).read_text(encoding="utf-8"))
    if found is None:
        raise KitFailed("cachegrind has counted nothing")
    return int(found[1].replace(",", ""))


# ---- System calls


def count_system_calls(programs: Programs, who: str) -> Dict[str, float]:
    """For one message, by name; who: ours, or the floor."""
    server = programs.command("echo", who) or []
    fewer, more = (_calls(programs, server, n) for n in (_FEWER, _MORE))
    each = {
        name: round((more[name] - fewer.get(name, 0)) / (_MORE - _FEWER), 2) for name in sorted(more)
    }
    return {name: count for name, count in each.items() if count > 0}


def _calls(programs: Programs, server: Sequence[str], messages: int) -> Dict[str, int]:
    with tempfile.NamedTemporaryFile(prefix="lab-bench-") as table:
        exchange(programs, ["strace", "-f", "-c", "-o", table.name, *server], messages)
        rows = Path(table.name).read_text(encoding="utf-8").splitlines()
    found = {}
    for row in rows:
        columns = row.split()
        if len(columns) >= 5 and columns[0][0].isdigit() and columns[-1] != "total":
            found[columns[-1]] = int(columns[3])
    return found


def exchange(programs: Programs, server: Sequence[str], messages: int) -> None:
    """Starts a server, sends it so many messages over one connection, and ends it by SIGTERM."""
    process = subprocess.Popen(
        list(server),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environment(),
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        port = process.stdout.readline().decode().strip().rpartition(":")[2]
        arguments = ["count", port, str(process.pid), "1", "1", "64", str(messages)]
        ended = run_program([str(programs.load), *arguments], seconds=_SECONDS)
        if ended.timed_out or ended.returncode != 0:
            raise KitFailed(f"the load: {ended.output.strip() or 'not done in time'}")
        _end(process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The server itself, which may be a child of what counts its calls."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    target = int(children[0]) if children else process.pid
    try:
        os.kill(target, signal.SIGTERM)
        process.wait(timeout=_SECONDS)
    except (ProcessLookupError, subprocess.TimeoutExpired) as error:
        raise KitFailed(f"the server does not end: {error}") from error

