"""Whom the reference is measured beside, and which of them are here."""

from __future__ import annotations

import dataclasses
import platform
import shutil
import subprocess
import sys
from typing import Dict, List, Optional, Sequence

OURS = "ours"
FLOOR = "floor"  # by hand, without any abstraction


@dataclasses.dataclass(frozen=True)
class Peer:
    id: str
    title: str
    package: str = ""  # of Debian and Ubuntu, which tells its version; "": the kit's own
    has_stacks: bool = False  # its coroutines have stacks of their own


PEERS: Dict[str, Peer] = {
    peer.id: peer
    for peer in (
        Peer(OURS, "this kit"),
        Peer(FLOOR, "by hand (floor)"),
        Peer("cpp20", "plain C++20", "g++"),
        Peer("libuv", "libuv", "libuv1-dev"),
        Peer("libev", "libev", "libev-dev"),
        Peer("libevent", "libevent", "libevent-dev"),
        Peer("asio", "Boost.Asio", "libboost-dev"),
        Peer("coroutine2", "Boost.Coroutine2", "libboost-context-dev", has_stacks=True),
        Peer("ucontext", "ucontext", "libc6-dev", has_stacks=True),
        Peer("pth", "GNU Pth", "libpth-dev", has_stacks=True),
        Peer("go", "Go", "golang-go"),
        Peer("python", "Python asyncio", "python3"),
    )
}
STACKFUL = tuple(peer.id for peer in PEERS.values() if peer.has_stacks)


def title_of(who: str) -> str:
    return PEERS[who].title


def versions(present: Sequence[str]) -> Dict[str, str]:
    """By title."""
    return {PEERS[who].title: _version(PEERS[who]) for who in present if PEERS[who].package}


def missing(wanted: Sequence[str], present: Sequence[str]) -> List[Peer]:
    """Those that could not be built here."""
    return [PEERS[who] for who in dict.fromkeys(wanted) if who not in present]


def _version(peer: Peer) -> str:
    if peer.id == "python":
        return platform.python_version()
    return package_version(peer.package) or "version unknown"


def package_version(package: str) -> Optional[str]:
    """As the package manager tells it."""
    if shutil.which("dpkg-query") is None:
        return None
    command = ["dpkg-query", "--show", "--showformat=${Version}", package]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or None


def python_command() -> List[str]:
    return [sys.executable]
