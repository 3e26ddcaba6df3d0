"""A text without what differs from run to run, or whenever a line is added above: so that two can be
compared."""

from __future__ import annotations

import re

_CHANGES = (
    # Line numbers: of a file, and of callers in the same one.
    (re.compile(r"(\.[chp]y?):\d+"), r"\1:LINE"),
    (re.compile(r"\(line \d+\)"), "(line LINE)"),
    # A loop is interrupted wherever it happens to be.
    (re.compile(r"^  it was in .*\n(  called from .*\n)?", re.MULTILINE), "  it was in PLACE\n"),
    (re.compile(r"(\n  it was in PLACE\n(?:  .*\n)*?  the test:     ).*"), r"\1PLACE"),
    # The debugger's command for the server is there if `./lab test` has built one.
    (re.compile(r"^  debug: .*echo-server.*\n.*nc 127\.0\.0\.1 7007\)\n", re.MULTILINE), ""),
    # A client reads as much of what should not be there as has come by then.
    (re.compile(r"^(  actual:   )\d+ more: ", re.MULTILINE), r"\1N more: "),
    (re.compile(r"0x[0-9a-f]{4,}"), "ADDRESS"),
    (re.compile(r"\bfd \d+"), "fd N"),
    (re.compile(r"\bseed \d+"), "seed N"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


def normal(text: str) -> str:
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return text
