"""The one way in which all commands print."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH_ELSEWHERE = 100  # of tables in files and pipes


def make_console() -> Console:
    """Numbers and words are not coloured by guesswork; only what the text itself marks."""
    width = None if sys.stdout.isatty() else WIDTH_ELSEWHERE
    return Console(highlight=False, width=width)
