"""Starting the servers of one test, and seeing to it that nothing of them stays."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from . import server_process
from .enclosure import Enclosure
from .server import EchoServer, Finished
from .verdicts import CheckFailed, MachineFault


class Launcher:
    """Starts the servers of one test, and ends them all."""

    def __init__(
        self, program: Path, patience: float, mode: list[str], enclosure: Enclosure
    ) -> None:
        self.servers: list[EchoServer] = []
        self._program = program
        self._patience = patience
        self._mode = mode
        self._enclosure = enclosure

    def __call__(self, *options: str, sanitizer: str = "", port: int = 0) -> EchoServer:
        """A server that listens. `sanitizer`: more options for AddressSanitizer."""
        server = self._launch([*self._mode, "--port", str(port), *options], sanitizer)
        server.wait_until_listening()
        return server

    def run(self, *options: str) -> Finished:
        """A server that is to end by itself, with just these options."""
        return self._launch(list(options), "").finish()

    def close_down(self) -> None:
        for server in self.servers:
            server.close_down()
        left = server_process.leftovers([server.session for server in self.servers])
        if left:
            raise CheckFailed(f"the server ended, but left {len(left)} process(es) behind")

    def why_one_died(self) -> Optional[CheckFailed]:
        """A crash needs a moment to be reported in full."""
        for server in self.servers:
            found = server.why_it_died(1.0)
            if found is not None:
                return found
        return None

    def kill(self) -> None:
        for server in self.servers:
            server.kill()
        server_process.end_leftovers([server.session for server in self.servers])

    def _launch(self, options: list[str], sanitizer: str) -> EchoServer:
        try:
            server = EchoServer(
                self._program, options, self._patience, sanitizer, self._enclosure
            )
        except OSError as fault:
            raise MachineFault(f"cannot start {self._program}: {fault}") from fault
        self.servers.append(server)
        return server
