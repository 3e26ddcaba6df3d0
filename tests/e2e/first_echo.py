"""What all other checks rest on: one client, five bytes. A server that cannot do that is not tried
any further; it would cost a time-out for each check, and say nothing new."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Optional

from .clients import Client
from .enclosure import Enclosure
from .exchange import echo
from .launcher import Launcher
from .verdicts import CheckFailed, NoFirstEcho


def require_first_echo(
    program: Path, patience: float, mode: tuple[str, ...], enclosure: Enclosure
) -> None:
    """Raises why the server does not get so far. Tried once in a run and mode."""
    problem = _first_problem(program, patience, mode, enclosure)
    if problem is not None:
        raise NoFirstEcho(problem.message, status=problem.status, hint=problem.hint)


@lru_cache(maxsize=None)
def _first_problem(
    program: Path, patience: float, mode: tuple[str, ...], enclosure: Enclosure
) -> Optional[CheckFailed]:
    launcher = Launcher(program, patience, list(mode), enclosure)
    try:
        server = launcher()
        client = Client(server.address, "the very first client", patience)
        try:
            echo(client, b"hello")
        finally:
            client.close()
    except CheckFailed as problem:
        return launcher.why_one_died() or problem
    except ConnectionRefusedError:
        return launcher.why_one_died() or CheckFailed("nobody listens at the address it printed")
    finally:
        launcher.kill()
    return None
