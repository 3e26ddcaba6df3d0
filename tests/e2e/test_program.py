"""The program: its line, its options, and what it says when it cannot listen (P1, P2)."""

from __future__ import annotations

import re
import socket
from pathlib import Path


from .checks import check
from .clients import Address
from .conftest import Connector
from .exchange import echo
from .launcher import Launcher
from .payload import make_payload
from .server import Finished
from .steps import Steps
from .verdicts import expect, expect_equal

PRIVILEGED_PORT = 1
UNPRIVILEGED_START = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
ADDRESS_OF_NOBODY_HERE = "192.0.2.1"  # reserved for documentation
OPTIONS = ["host", "port", "max-connections", "idle-timeout", "drain-timeout", "level-triggered"]

BAD_OPTIONS = [
    ["--no-such-option"],
    ["surplus"],
    ["--port"],
    ["--port", ""],
    ["--port", "http"],
    ["--port", "80x"],
    ["--port", "-1"],
    ["--port", "65536"],
    ["--port", "4294967296"],
    ["--max-connections", "-1"],
    ["--max-connections", "many"],
    ["--idle-timeout", "-1"],
    ["--idle-timeout", "soon"],
    ["--idle-timeout", "nan"],
    ["--drain-timeout", "-0.5"],
    ["--drain-timeout", "1s"],
    ["--drain-timeout", "inf"],
]


def expect_refusal(finished: Finished, named: str) -> None:
    """One line on standard error that says which, nothing on standard output, exit code 2."""
    expect_equal("exit code", 2, finished.exit_code)
    expect_equal("standard output", "", finished.output)
    lines = finished.errors.splitlines()
    expect_equal(f"lines on standard error, which were {lines}", 1, len(lines))
    expect(named in lines[0], f"the line does not say which: {lines[0]!r} lacks {named!r}")


@check(
    points=0.25,
    rule="P1",
    title="The first line says on which free port the server listens",
    hint="the port that was asked for is told, not the one that the server has",
)
def test_listening_line(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    steps("start two servers with --port 0")
    first, second = start_server(), start_server()
    expect_equal("address it listens on, by default", "127.0.0.1", first.address.host)
    expect(first.address.port != second.address.port, "both servers name the same port")
    for server in (first, second):
        steps(f"echo 5 bytes through port {server.address.port}")
        echo(connect(server), b"hello")
    steps("stop both: nothing more may be on standard output")


@check(
    points=0.25,
    rule="P1",
    title="The server speaks IPv6, and prints its address in brackets",
    hint="something in the server takes every address for one of IPv4",
)
def test_ipv6(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    if not _can_bind("::1"):
        steps.not_tried("this machine has no IPv6")
        return
    steps("start the server with --host ::1")
    server = start_server("--host", "::1")
    expect_equal("address it listens on", "::1", server.address.host)
    steps("echo 100,000 bytes over IPv6")
    echo(connect(server), make_payload(100_000), half_close=True)


@check(
    points=0.25,
    rule="The program",
    title="--help names the options; --stats counts, on standard error",
    hint="counters go to standard error when the server ends",
)
def test_help_and_stats(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    steps("run echo-server --help")
    finished = start_server.run("--help")
    expect_equal("exit code of --help", 0, finished.exit_code)
    shown = finished.output + finished.errors
    missing = [option for option in OPTIONS if f"--{option}" not in shown]
    expect_equal("options that --help does not name", [], missing)

    steps("with --stats, echo 12,345 bytes to each of three clients, then stop")
    server = start_server("--stats")
    for client in connect.crowd(server, 3):
        echo(client, make_payload(12_345), half_close=True)
    server.stop()
    server.expect_exit(0)
    numbers = re.findall(r"\d+", server.errors())
    for what, number in (("connections", "3"), ("bytes", "37035")):
        expect(number in numbers, f"no {number} ({what}) in the counters: {server.errors()!r}")


@check(
    points=0.25,
    rule="P2",
    title="An address in use is refused with one line and exit code 2",
    hint="the result of a call on the way to the listener is not looked at, or not told",
    needs_echo=False,
)
def test_address_in_use(start_server: Launcher, steps: Steps) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        steps(f"start the server on port {port}, on which somebody else listens")
        expect_refusal(start_server.run("--port", port), port)


@check(
    points=0.25,
    rule="P2",
    title="A bad option or value is refused with one line and exit code 2",
    hint="a number must be read to its end and compared with its bounds",
)
def test_bad_options(start_server: Launcher, steps: Steps) -> None:
    for options in BAD_OPTIONS:
        steps("run echo-server " + " ".join(option or "''" for option in options))
        port_zero = [] if "--port" in options else ["--port", "0"]
        expect_refusal(start_server.run(*port_zero, *options), options[0])


@check(
    points=0.25,
    rule="P2",
    title="A host or port it cannot listen on is refused with one line and exit code 2",
    hint="getaddrinfo and bind fail each in their own way; both must be told",
    needs_echo=False,
)
def test_cannot_listen(start_server: Launcher, steps: Steps) -> None:
    unknown = "x" * 64 + ".invalid"  # no name: a label has 63 characters at most
    for host in (unknown, ADDRESS_OF_NOBODY_HERE):
        steps(f"start the server with --host {host}")
        expect_refusal(start_server.run("--port", "0", "--host", host), host)
    if int(UNPRIVILEGED_START.read_text()) <= PRIVILEGED_PORT:
        steps.not_tried("everybody may use the ports below 1024 here")
        return
    steps(f"start the server with --port {PRIVILEGED_PORT}, as an ordinary user")
    expect_refusal(start_server.run("--port", str(PRIVILEGED_PORT)), str(PRIVILEGED_PORT))


def _can_bind(host: str) -> bool:
    try:
        with socket.socket(Address(host, 0).family) as probe:
            probe.bind((host, 0))
        return True
    except OSError:
        return False


