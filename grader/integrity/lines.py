"""Where in a submission's file something of its object file comes from: its debug information."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from grader.exit_codes import KitFailed
from grader.processes import clean_environment
from grader.sandbox import Sandbox

_SECONDS = 20
_BYTES = 8 << 20  # read of what a tool prints
MOST_PLACES = 200  # looked up in one section


@dataclasses.dataclass(frozen=True)
class Place:
    function: str
    file: str
    line: int


class SourceLines:
    """Of one object file. Its folder is lent to the sandbox."""

    def __init__(self, path: Path, sandbox: Sandbox) -> None:
        self._path = path
        self._sandbox = sandbox
        self._variables: Optional[Dict[str, Place]] = None
        self._answers = True

    def of_code(self, section: str, offsets: Sequence[int]) -> Dict[int, List[Place]]:
        """For each offset the function there; after it, if that is inlined, who called it."""
        asked = sorted(set(offsets))[:MOST_PLACES]
        if not asked:
            return {}
        told = self._tool("addr2line", "-e", str(self._path), "-j", section, "-a", "-i", "-f",
                          *(hex(offset) for offset in asked))  # fmt: skip
        found: Dict[int, List[Place]] = {}
        lines = told.splitlines()
        for number, line in enumerate(lines):
            if re.fullmatch(r"0x[0-9a-f]{16}", line):
                places = found.setdefault(int(line, 16), [])
            elif at := re.fullmatch(r"(.*):(\d+)(?: \(discriminator \d+\))?", line):
                places.append(Place(lines[number - 1], at[1], int(at[2])))
        return found

    def of_variable(self, name: str) -> Optional[Place]:
        if self._variables is None:
            told = self._tool("nm", "--line-numbers", "--defined-only", str(self._path))
            found = re.findall(r"^[0-9a-f]+ \w (.*)\t(.*):(\d+)$", told, re.MULTILINE)
            self._variables = {name: Place(name, file, int(line)) for name, file, line in found}
        return self._variables.get(name)

    def disassembly(self, section: str, begin: int, end: int) -> str:
        """One instruction a line: address, colon, bytes, name and operands, with tabs between."""
        return self._tool("objdump", "-d", "-w", "-j", section, f"--start-address={begin}",
                          f"--stop-address={end}", str(self._path))  # fmt: skip

    def _tool(self, *command: str) -> str:
        """What it prints; nothing, once a tool has not come to an end with this file."""
        if not self._answers:
            return ""
        with tempfile.TemporaryFile() as output:
            try:
                subprocess.run(
                    self._sandbox.command(command, read=[self._path]),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.DEVNULL,
                    env=clean_environment(),
                    timeout=_SECONDS,
                    check=False,
                )
            except OSError as error:
                raise KitFailed(f"cannot run {command[0]}: {error.strerror}") from error
            except subprocess.TimeoutExpired:
                self._answers = False
            output.seek(0)
            return output.read(_BYTES).decode("utf-8", "surrogateescape")
