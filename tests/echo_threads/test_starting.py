"""A server that can't be had on all its threads is none, and leaves nothing."""

from __future__ import annotations

import resource
import select
import shutil
import signal
import socket
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Callable, List, Optional, Tuple

import pytest

from tests.e2e.launcher import Launcher
from tests.e2e.server import Finished

from .conftest import PATIENCE
from .connecting import has_thread_sanitizer

Ended = Tuple[int, str, List[str]]  # exit code, standard output, lines on standard error


def refused(finished: Finished) -> str:
    """The line that says why."""
    lines = finished.errors.splitlines()
    assert (finished.exit_code, finished.output, len(lines)) == (2, "", 1), finished
    return lines[0]


@pytest.mark.parametrize("number", ["0", "-1", "1025", "4294967297", "two", "2x", ""])
def test_bad_numbers_of_threads(number: str, start_server: Launcher) -> None:
    line = refused(start_server.run("--port", "0", "--threads", number))
    assert "--threads" in line and "from 1 to 1024" in line


def test_more_threads_than_connections(start_server: Launcher) -> None:
    line = refused(start_server.run("--port", "0", "--max-connections", "3", "--threads", "4"))
    assert "--threads 4" in line and "--max-connections" in line


def test_a_port_where_somebody_listens(start_server: Launcher) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert port in refused(start_server.run("--port", port, "--threads", "2"))


def test_a_port_that_others_share(start_server: Launcher) -> None:
    """Two programs would take each other's clients, and neither would know."""
    with closing(socket.socket()) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert port in refused(start_server.run("--port", port, "--threads", "2"))
    server = start_server("--threads", "2")
    for count in ("1", "2"):
        port = str(server.address.port)
        assert port in refused(start_server.run("--port", port, "--threads", count))


def test_too_few_descriptors(program: Path) -> None:
    """Whichever descriptor is the first that is not to be had, it is refused."""
    codes = []
    for limit in range(5, 40):
        code, _, lines = run(program, before=descriptors(limit))
        assert code == 0 or (code == 2 and len(lines) == 1), (limit, code, lines)
        codes.append(code)
    assert codes == sorted(codes, reverse=True), "and with more it starts"
    assert codes.count(2) > 10 and codes[-1] == 0, codes


def test_no_thread_to_be_had(program: Path) -> None:
    """No address space has room for such a stack."""

    def huge_stacks() -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_STACK)
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 47, hard))

    if has_thread_sanitizer(program):
        pytest.skip("ThreadSanitizer has no room for it either, and does not begin")
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("stacks are limited here")
    code, output, lines = run(program, before=huge_stacks)
    assert (code, output) == (2, "")
    assert len(lines) == 1 and "cannot start thread 2 of 4" in lines[0], lines


def test_the_third_thread_is_not_to_be_had(program: Path, tmp_path: Path) -> None:
    """The second one runs already; it is ended."""
    second = 3 if has_thread_sanitizer(program) else 2  # after ThreadSanitizer's own
    fault = f"inject=clone3:error=EAGAIN:when={second}"
    code, output, lines = run(program, around=strace(tmp_path, fault))
    assert (code, output) == (2, "")
    assert len(lines) == 1 and "cannot start thread 3 of 4" in lines[0], lines


def test_output_that_is_not_to_be_had(program: Path) -> None:
    """It listens on all threads, and nobody hears of it."""
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [str(program), "--port", "0", "--threads", "4"], stdout=full, stderr=subprocess.PIPE,
            timeout=PATIENCE,
        )  # fmt: skip
    lines = ended.stderr.decode().splitlines()
    assert (ended.returncode, len(lines)) == (2, 1) and "standard output" in lines[0], lines


# ---- Programs in surroundings of their own


def run(
    program: Path, *, before: Optional[Callable[[], None]] = None, around: Tuple[str, ...] = ()
) -> Ended:
    """Four threads. Who listens is asked to stop."""
    with subprocess.Popen(
        [*around, str(program), "--port", "0", "--threads", "4"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=before,
        env={"PATH": "/usr/bin:/bin", "ASAN_OPTIONS": f"exitcode=99:detect_leaks={int(not around)}",
             "TSAN_OPTIONS": "exitcode=99"},
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        try:
            ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
            assert ready, "neither a line nor an end"
            output = process.stdout.readline()
            if output:
                process.send_signal(signal.SIGTERM)
            rest, errors = process.communicate(timeout=PATIENCE)
        except BaseException:
            process.kill()
            raise
    return process.returncode, (output + rest).decode(), errors.decode().splitlines()


def descriptors(limit: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def strace(folder: Path, fault: str) -> Tuple[str, ...]:
    """Goes before a command, whose process is then the program's own (-D)."""
    calls = fault.split("=", 1)[1].split(":")[0]
    files = ("-o", str(folder / "calls"))
    command = ("strace", "-D", "-f", "-qq", *files, "-e", f"trace={calls}", "-e", fault)
    if shutil.which("strace") is None or subprocess.run([*command, "true"]).returncode != 0:
        pytest.skip("strace does not work here")
    return command
