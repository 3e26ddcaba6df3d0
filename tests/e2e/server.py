"""Starting an echo server, talking to its process, and seeing to it that it ends."""

from __future__ import annotations

import ipaddress
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from . import process_facts, server_process
from .clients import Address
from .enclosure import Enclosure
from .postmortem import cause_of_death
from .verdicts import CheckFailed, Status, TimedOut, expect, expect_equal

LISTENING_LINE = re.compile(rb"listening on (?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):([0-9]{1,5})\n")
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
OUTPUT_LIMIT = 64 * 1024


@dataclass(frozen=True)
class Finished:
    """A server that has ended by itself."""

    exit_code: int
    output: str
    errors: str


def _is_here(host: str) -> bool:
    """An address of this machine, at which a server of ours can be reached."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


class EchoServer:
    """One server process, in a session of its own. `patience` bounds every wait, in seconds."""

    def __init__(
        self,
        program: Path,
        options: list[str],
        patience: float,
        sanitizer: str,
        enclosure: Enclosure,
    ) -> None:
        self.options = options
        self.patience = patience
        self.output = b""
        self.address = Address("", 0)
        self._asked_to_stop = False
        self._expected_exit: Optional[int] = None
        self._errors = tempfile.TemporaryFile()
        self._process = server_process.launch(program, options, self._errors, sanitizer, enclosure)
        self.session = self._process.session

    @property
    def pid(self) -> int:
        """Once it listens."""
        return self._process.pid

    # ---- starting --------------------------------------------------------------------------------

    def wait_until_listening(self) -> None:
        """Reads the line that says where it listens: the only sign that it is ready."""
        end = time.monotonic() + self.patience
        while b"\n" not in self.output:
            if not self._read_output(end - time.monotonic()):
                self._explain_silence()
        line = LISTENING_LINE.fullmatch(self.output)
        if line is None:
            raise CheckFailed(
                "the first line on standard output\n"
                "expected: listening on ADDRESS:PORT\n"
                f"actual:   {self.output.decode(errors='replace').rstrip()}"
            )
        expect(int(line[3]) != 0, "the line gives port 0, not the port that the kernel chose")
        host = (line[1] or line[2]).decode()
        expect(_is_here(host) and int(line[3]) < 65536, f"nobody can listen on {host}:{int(line[3])}")
        self.address = Address(host, int(line[3]))

    def _explain_silence(self) -> None:
        """There is no line, and there will be none."""
        if self.wait_for_exit(1.0) is None:
            raise TimedOut(
                f"no line on standard output within {self.patience:g} s\n"
                "expected: listening on ADDRESS:PORT",
                hint="is the line flushed, and printed before the loop runs?",
            )
        self.raise_if_dead()

    # ---- while it runs ---------------------------------------------------------------------------

    def signal(self, number: int) -> None:
        """Sends a signal; it is a failure if the server is no longer there."""
        self.raise_if_dead()
        self._asked_to_stop = self._asked_to_stop or number in STOP_SIGNALS
        os.kill(self.pid, number)

    def stop(self) -> float:
        """Asks it to stop, with SIGTERM, and returns when that was, on the monotonic clock."""
        moment = time.monotonic()
        self.signal(signal.SIGTERM)
        return moment

    def raise_if_dead(self) -> None:
        """Raises what killed it, if it has ended, but should still be there."""
        code = self._process.poll()
        if code is None:
            return
        found = cause_of_death(code, self.errors())
        if found is None and self._asked_to_stop:
            found = CheckFailed(
                "the server has ended too early after the stop\n"
                f"expected: it still waits for a client\nactual:   exit code {code}"
            )
        raise found or CheckFailed(
            f"the server ended by itself, with exit code {code}{self._quoted_errors()}",
            status=Status.EARLY_EXIT,
        )

    def errors(self) -> str:
        """What it has written to standard error so far."""
        return os.pread(self._errors.fileno(), OUTPUT_LIMIT, 0).decode(errors="replace")

    def descriptors(self) -> int:
        """How many descriptors it has open."""
        return len(process_facts.open_descriptors(self.pid))

    def is_stopped(self) -> bool:
        """True once SIGSTOP has taken effect."""
        return process_facts.is_stopped(self.pid)

    def expect_descriptors(self, at_most: int) -> None:
        """Waits until it has given back all but so many descriptors."""
        end = time.monotonic() + self.patience
        while self.descriptors() > at_most:
            if time.monotonic() > end:
                raise CheckFailed(
                    "descriptors that the server has open, after the connections have ended\n"
                    f"expected: {at_most}\n"
                    f"actual:   {self.descriptors()}, {self.patience:g} s later",
                    status=Status.LEAKED,
                )
            time.sleep(0.005)

    # ---- its end ---------------------------------------------------------------------------------

    def wait_for_exit(self, seconds: float) -> Optional[int]:
        """Its exit code, or minus the signal that killed it; None if it still runs."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def expect_exit(self, expected: int, hint: str = "") -> None:
        """Waits for its end, which must come with this exit code and nothing wrong on the way."""
        code = self.wait_for_exit(self.patience)
        if code is None:
            raise TimedOut(
                f"the server still runs {self.patience:g} s later\nexpected: exit code {expected}",
                hint=hint,
            )
        self._expected_exit = code
        found = cause_of_death(code, self.errors())
        if found is not None:
            raise found
        what = f"exit code of the server{self._quoted_errors()}"
        expect_equal(what, expected, code, hint=hint)

    def finish(self) -> Finished:
        """Waits for a server that is to end by itself, and hands out all that it printed."""
        code = self.wait_for_exit(self.patience)
        self._read_rest()
        if code is None:
            shown = self.output.decode(errors="replace").strip() or "nothing"
            raise TimedOut(
                f"echo-server {' '.join(self.options)} still runs {self.patience:g} s later\n"
                f"expected: it ends at once\nactual:   it printed: {shown}"
            )
        self._expected_exit = code
        found = cause_of_death(code, self.errors())
        if found is not None:
            raise found
        return Finished(code, self.output.decode(errors="replace"), self.errors())

    def close_down(self) -> None:
        """After a test that passed: ends it as P10 says, and checks that all is well with it."""
        if self._expected_exit is None:
            self.raise_if_dead()
            self.stop()
            self.expect_exit(0, "all clients have gone: nothing is left to wait for (P10)")
        self._read_rest()
        if self.address.port and not LISTENING_LINE.fullmatch(self.output):
            shown = self.output.decode(errors="replace").partition("\n")[2][:200]
            raise CheckFailed(
                f"more than one line on standard output\nexpected: nothing more\nactual:   {shown}"
            )
        found = cause_of_death(0, self.errors())
        if found is not None:
            raise found

    def why_it_died(self, seconds: float) -> Optional[CheckFailed]:
        """After a test that failed: whether the server's death explains that."""
        if self._expected_exit is None:
            code = self.wait_for_exit(seconds)
            if code is None:
                return None
            if not self._asked_to_stop:
                return self._found_dead()
            return cause_of_death(code, self.errors())
        return cause_of_death(0, self.errors())

    def _found_dead(self) -> Optional[CheckFailed]:
        try:
            self.raise_if_dead()
        except CheckFailed as found:
            return found
        return None

    def kill(self) -> None:
        """Ends it whatever it does, and everything that it has left behind."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    # ---- output ----------------------------------------------------------------------------------

    def _read_output(self, seconds: float) -> bool:
        """Reads what comes on standard output within so many seconds; False if nothing did."""
        ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, seconds))
        data = os.read(self._process.stdout.fileno(), OUTPUT_LIMIT) if ready else b""
        self.output += data
        return bool(data)

    def _read_rest(self) -> None:
        while len(self.output) < OUTPUT_LIMIT and self._read_output(0):
            pass

    def _quoted_errors(self) -> str:
        errors = self.errors().strip()
        return f"\nit wrote: {errors[:500]}" if errors else ""
