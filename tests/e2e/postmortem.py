"""What a server's exit code and its last words say about its death."""

from __future__ import annotations

import re
import signal
from typing import Optional

from .server_process import SANITIZER_EXIT
from .verdicts import CheckFailed, MachineFault, Status

NOT_IMPLEMENTED_EXIT = 78
QUOTED_LINES = 12

_REPORT = re.compile(
    r"^.*(ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:).*$", re.MULTILINE
)


def cause_of_death(exit_code: int, errors: str) -> Optional[CheckFailed]:
    """Why a server died; None if it ended in an orderly way, whatever its exit code means."""
    if exit_code == NOT_IMPLEMENTED_EXIT:
        return CheckFailed(errors.strip() or "not implemented yet", status=Status.NOT_IMPLEMENTED)
    if "LeakSanitizer has encountered a fatal error" in errors:
        raise MachineFault("LeakSanitizer cannot work here: it must not be traced")
    report = _REPORT.search(errors)
    if report is not None:
        return _from_report(errors[report.start() :])
    if exit_code < 0:
        name = signal.Signals(-exit_code).name
        said = f"\nit wrote: {errors.strip()[:500]}" if errors.strip() else ""
        return CheckFailed(f"the server was killed by {name}{said}", status=Status.CRASHED)
    if exit_code == SANITIZER_EXIT:
        return CheckFailed(f"a sanitizer ended the server: {errors[:500]}", status=Status.CRASHED)
    return None


def _from_report(report: str) -> CheckFailed:
    lines = [line.rstrip() for line in report.splitlines() if line.strip() and "====" not in line]
    quoted = "\n".join(lines[:QUOTED_LINES])
    if "LeakSanitizer" in lines[0]:
        return CheckFailed(f"the server left memory behind:\n{quoted}", status=Status.LEAKED)
    return CheckFailed(f"the server crashed:\n{quoted}", status=Status.CRASHED)
