"""What ninja and the compiler said, sorted by what it concerns.

Ninja prints the output of each step after a status line. With NINJA_STATUS set to STATUS_LINE each
step's part is found again:

    \x1e[12/40] Building C object ...
    FAILED: path/of/the/object.o
    the command
    what it printed
"""

from __future__ import annotations

import dataclasses
import re
from typing import List

STATUS_LINE = "\x1e[%f/%t] "

_WARNING = re.compile(r"^(?P<where>[^\s:][^:]*:\d+):\d+: warning: (?P<text>.*)$", re.MULTILINE)
_ERROR = re.compile(r"error:|Error:|undefined reference|multiple definition")


# The name of a temporary file, another one each time.
_TEMPORARY = re.compile(r"\S*\bcc\w{6}\.s\b")


@dataclasses.dataclass(frozen=True)
class Warning_:
    where: str  # file:line
    text: str


@dataclasses.dataclass(frozen=True)
class FailedStep:
    output: str  # the file that could not be made
    text: str  # what the compiler or linker printed

    @property
    def message(self) -> str:
        """The first error, with file and line; never empty."""
        said = _TEMPORARY.sub("(assembler code)", self.text).splitlines()
        lines = [s for s in said if s.strip() and not s.endswith(": Assembler messages:")]
        for line in lines:
            if _ERROR.search(line):
                return line
        return lines[0] if lines else f"{self.output} could not be made"


def failed_steps(ninja_output: str) -> List[FailedStep]:
    steps = []
    for part in ninja_output.split("\x1e")[1:]:
        lines = part.split("ninja: build stopped")[0].rstrip().splitlines()[1:]
        if lines and lines[0].startswith("FAILED: "):
            output = re.sub(r"^FAILED: (\[code=\d+\] )?", "", lines[0]).split()[0]
            steps.append(FailedStep(output, "\n".join(lines[2:])))
    return steps


def warnings(ninja_output: str) -> List[Warning_]:
    return [Warning_(m["where"], m["text"]) for m in _WARNING.finditer(ninja_output)]
