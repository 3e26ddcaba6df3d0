"""What a server's exit code and its last words say about its death."""

from __future__ import annotations

import signal
from typing import Optional

from .sanitizer_report import find_report, is_of_leaks, last_words, short_report
from .server_process import SANITIZER_EXIT
from .verdicts import CheckFailed, MachineFault, Status

NOT_IMPLEMENTED_EXIT = 78
WORDS_QUOTED = 500


def cause_of_death(exit_code: int, errors: str) -> Optional[CheckFailed]:
    """Why a server died; None if it ended in an orderly way, whatever its exit code means."""
    if exit_code == NOT_IMPLEMENTED_EXIT:
        return CheckFailed(_what_is_missing(errors), status=Status.NOT_IMPLEMENTED)
    if "LeakSanitizer has encountered a fatal error" in errors:
        raise MachineFault("LeakSanitizer cannot work here: it must not be traced")
    report = find_report(errors)
    if report:
        return _from_report(report, last_words(errors)[:WORDS_QUOTED])
    said = errors.strip()[-WORDS_QUOTED:]
    if exit_code < 0:
        name = signal.Signals(-exit_code).name
        text = f"the server was killed by {name}{_quoted(said)}"
        return CheckFailed(text, status=Status.CRASHED)
    if exit_code == SANITIZER_EXIT:
        return CheckFailed(f"a sanitizer ended the server{_quoted(said)}", status=Status.CRASHED)
    return None


def _what_is_missing(errors: str) -> str:
    """The stub's own sentence; the server may have written others before."""
    missing = [line for line in errors.splitlines() if " is not implemented yet" in line]
    return missing[-1] if missing else "not implemented yet"


def _quoted(words: str) -> str:
    return f"\nit wrote: {words}" if words else ""


def _from_report(report: str, said: str) -> CheckFailed:
    text = "\n".join(short_report(report))
    if is_of_leaks(report):
        return CheckFailed(
            f"the server left memory behind:\n{text}",
            status=Status.LEAKED,
            hint="at one of the ways in which its use can end, nobody frees it",
        )
    return CheckFailed(f"the server crashed:\n{text}{_quoted(said)}", status=Status.CRASHED)
