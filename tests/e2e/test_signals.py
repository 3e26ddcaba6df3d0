"""Signals that are no reason to stop do not disturb a transfer (P13)."""

from __future__ import annotations

import signal

from .checks import check
from .conftest import Connector
from .exchange import Exchange, run_exchanges
from .launcher import Launcher
from .payload import make_payload
from .steps import Steps
from .waits import wait_until

KIB = 1024
MIB = 1024 * KIB


@check(
    points=0.25,
    rule="P13",
    title="Resizing the terminal (SIGWINCH) during a transfer loses nothing",
    hint="a call that a signal has interrupted is taken for one that has ended",
)
def test_window_resize(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    steps("4 clients echo 2 MiB each; the server gets SIGWINCH every 64 KiB")
    signals = 0

    def resize(progress: int) -> None:
        nonlocal signals
        if progress > signals * 64 * KIB:
            server.signal(signal.SIGWINCH)
            signals += 1

    clients = connect.crowd(server, 4)
    run_exchanges(
        [Exchange(client, [make_payload(2 * MIB, client.name)], True) for client in clients], resize
    )
    steps("and once more while it waits for clients")
    server.signal(signal.SIGWINCH)
    run_exchanges([Exchange(connect(server), [b"still there?"], half_close=True)])


@check(
    points=0.25,
    rule="P13",
    title="Stopping and continuing the process during a transfer loses nothing",
    hint="a call that a signal has interrupted is taken for one that has ended",
)
def test_stop_and_continue(start_server: Launcher, connect: Connector, steps: Steps) -> None:
    server = start_server()
    steps("4 clients echo 4 MiB each; five times the server is stopped (SIGSTOP) and continued")
    rounds = 0

    def stop_and_continue(progress: int) -> None:
        nonlocal rounds
        if rounds < 5 and progress > rounds * 2 * MIB:
            server.signal(signal.SIGSTOP)
            wait_until(server.is_stopped, server.patience, "the server to stop")
            server.signal(signal.SIGCONT)
            rounds += 1

    clients = connect.crowd(server, 4)
    run_exchanges(
        [Exchange(client, [make_payload(4 * MIB, client.name)], True) for client in clients],
        stop_and_continue,
    )
    steps("and once more while it waits for clients")
    server.signal(signal.SIGSTOP)
    wait_until(server.is_stopped, server.patience, "the server to stop")
    server.signal(signal.SIGCONT)
    run_exchanges([Exchange(connect(server), [b"still there?"], half_close=True)])
