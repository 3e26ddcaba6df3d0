"""build/latest: a link to the folder of the last build, for editors, which want one name for it. In
there are its compile_commands.json, and the test programs that a debugger is to run."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

NAME = "latest"


def point_to(folder: Path) -> None:
    """To a folder beside it. Only editors miss the link, so errors are ignored."""
    link, new = folder.with_name(NAME), folder.with_name(f".{NAME}.{os.getpid()}")
    if not folder.is_dir() or (link.exists() and not link.is_symlink()):
        return
    with contextlib.suppress(OSError):
        new.symlink_to(folder.name)
        new.replace(link)
