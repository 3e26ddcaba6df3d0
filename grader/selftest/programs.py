"""Programs as a newcomer uses them: the README's server, and well-known clients."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Iterator, List

from grader.kit import MILESTONES
from grader.processes import clean_environment
from grader.selftest.tester import CheckFailed, Tester, require
from grader.selftest.workshop import Workshop

_SECONDS = 20.0
_IDLE_SECONDS = 5


def check_readme(workshop: Workshop, tester: Tester) -> None:
    """The README's echo server compiles and echoes as it stands there."""
    source = workshop.folder / "readme.c"
    program = workshop.folder / "readme"
    with tester.check("README.md has one C program"):
        source.write_text(_readme_program(workshop), encoding="utf-8")
    with tester.check("it compiles without a warning, against the reference"):
        workshop.run(_compile_command(workshop, source, program), seconds=120)
    with tester.check("it gives back what a client sends"):
        with _running([str(program), "0"]) as process:
            port = _listening_port(process)
            require(_echo(port, b"hello\n") == b"hello\n", "the answer is not what was sent")


def _readme_program(workshop: Workshop) -> str:
    text = (workshop.kit.root / "README.md").read_text(encoding="utf-8")
    fences = re.findall(r"^```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found = [fence for fence in fences if re.search(r"\bint main\b", fence)]
    require(len(found) == 1, f"{len(found)} fences ```c with a main in README.md")
    return str(found[0])


def _compile_command(workshop: Workshop, source: Path, program: Path) -> List[str]:
    kit = workshop.kit
    folders = [f"-I{kit.milestones / milestone.folder}" for milestone in MILESTONES]
    layers = [str(kit.solutions / milestone.path) for milestone in MILESTONES]
    clock = str(kit.milestones / "m3-sleep" / "clock.c")
    flags = "-std=gnu17 -D_GNU_SOURCE -g -Wall -Wextra -Wshadow -Wconversion -Werror".split()
    flags.append("-fsanitize=address,undefined")
    return ["gcc", *flags, *folders, str(source), *layers, clock, "-o", str(program)]


def check_tools(workshop: Workshop, tester: Tester) -> None:
    """nc and socat get their bytes back; an idle server makes no system call."""
    with tester.check("printf hello | nc -N"):
        with _echo_server(workshop) as (_, port):
            _check_client(workshop, f"printf hello | nc -N 127.0.0.1 {port}")
    with tester.check("printf hello | socat"):
        with _echo_server(workshop) as (_, port):
            _check_client(workshop, f"printf hello | socat -t 5 - TCP:127.0.0.1:{port}")
    with tester.check(f"strace -c of an idle server for {_IDLE_SECONDS} s shows no call"):
        with _echo_server(workshop) as (process, port):
            with socket.create_connection(("127.0.0.1", port), _SECONDS):
                time.sleep(0.5)  # until it has accepted
                calls = _traced_calls(workshop, process.pid)
            require(calls == [], "\n".join(calls))


def _check_client(workshop: Workshop, shell: str) -> None:
    ended = workshop.run(["sh", "-c", shell], seconds=_SECONDS)
    require(ended.output == "hello", f"{shell} gives {ended.output!r}")


def _traced_calls(workshop: Workshop, pid: int) -> List[str]:
    """The rows of strace's table; it prints none if there was no call."""
    table = workshop.folder / "strace.txt"
    command = ["timeout", "--signal=INT", str(_IDLE_SECONDS)]
    command += ["strace", "-f", "-c", "-o", str(table), "-p", str(pid)]
    ended = workshop.run(command, seconds=_IDLE_SECONDS + 20, expect=124)
    require("attached" in ended.output, f"strace did not attach: {ended.output}")
    rows = table.read_text(encoding="utf-8").splitlines()
    return [row for row in rows if re.match(r"\s*\d", row) and not row.rstrip().endswith("total")]


@contextlib.contextmanager
def _echo_server(workshop: Workshop) -> "Iterator[tuple[subprocess.Popen[bytes], int]]":
    program = workshop.build(workshop.kit.solutions) / "milestones" / "echo-server"
    with _running([str(program), "--port", "0"]) as process:
        line = _first_line(process)
        match = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
        if match is None:
            raise CheckFailed(f"the server's first line is {line!r}")
        yield process, int(match.group(1))


@contextlib.contextmanager
def _running(command: List[str]) -> "Iterator[subprocess.Popen[bytes]]":
    """Starts a server and ends it; what it says at its end, a sanitizer's report say, is a failure."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=clean_environment(), start_new_session=True, bufsize=0,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            _, errors = process.communicate()
    require(b"Sanitizer" not in errors and b"runtime error" not in errors, errors.decode())


def _first_line(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], _SECONDS)
    require(bool(ready), "the server prints nothing")
    return process.stdout.readline().decode()


def _listening_port(process: "subprocess.Popen[bytes]") -> int:
    """The port on which a process listens, whether it says so or not."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        ports = _ports_of(process.pid)
        if ports:
            return ports[0]
        time.sleep(0.05)
    raise CheckFailed(f"it does not listen; exit code {process.poll()}")


def _ports_of(pid: int) -> List[int]:
    sockets = set()
    with contextlib.suppress(OSError):
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            sockets.add(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
    ports = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:  # LISTEN
                ports.append(int(fields[1].rpartition(":")[2], 16))
    return ports


def _echo(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), _SECONDS) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := client.recv(65536):
            answer += chunk
    return answer
