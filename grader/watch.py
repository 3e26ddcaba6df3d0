"""`./lab test --watch`: runs again whenever a file is saved.

Looks at the files' times three times a second. inotify would save these looks, of two
milliseconds each, and would see nothing where many students work: on folders that a virtual machine,
WSL or a container shares with the system around it, and on network drives.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from rich.console import Console
from rich.markup import escape

from grader.exit_codes import ExitCode

Snapshot = Dict[Path, Tuple[int, int, int]]  # inode (for who saves by renaming), size, time

PAUSE = 0.3
_SETTLED = 0.1
_MOST_LOOKS = 20  # until a file that comes and goes is taken as it is
_SUFFIXES = (".c", ".h", ".def", ".txt", ".py")


def watch(
    look: Callable[[], Snapshot],
    run: Callable[[], ExitCode],
    console: Console,
    pause: float = PAUSE,
) -> ExitCode:
    """Until ^C: then what the last whole run returned. A save during a run counts after it."""
    last: Optional[ExitCode] = None
    changed: List[Path] = []
    try:
        while True:
            seen = _settled(look)
            if console.is_terminal:
                console.clear()
            if changed:
                console.print(f"Saved: {escape(', '.join(path.name for path in changed))}")
            last = run()
            console.print("\nWaiting for the next save; ^C ends ...")
            changed = _wait_for_change(look, seen, pause)
    except KeyboardInterrupt:
        if last is None:
            raise
        console.print()
        return last


def look_at(folders: Sequence[Path]) -> Snapshot:
    """The sources in `folders` and the folders in them; not what editors and builds leave there."""
    found: Snapshot = {}
    for folder in folders:
        for parent in [folder, *_subfolders(folder)]:
            for name in _names(parent):
                if name.endswith(_SUFFIXES) and not name.startswith((".", "#")):
                    _note(parent / name, found)
    return found


def _note(path: Path, found: Snapshot) -> None:
    try:
        known = path.stat()
    except OSError:  # gone since, or a link to nowhere
        return
    found[path] = (known.st_ino, known.st_size, known.st_mtime_ns)


def _subfolders(folder: Path) -> List[Path]:
    return [folder / name for name in _names(folder) if (folder / name).is_dir()]


def _names(folder: Path) -> List[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _wait_for_change(look: Callable[[], Snapshot], seen: Snapshot, pause: float) -> List[Path]:
    while True:
        now = look()
        if now != seen:
            return sorted(p for p in {*now, *seen} if now.get(p) != seen.get(p))
        time.sleep(pause)


def _settled(look: Callable[[], Snapshot]) -> Snapshot:
    """Editors write in several steps: the old file is renamed, the new one appears, grows, ..."""
    before = look()
    for _ in range(_MOST_LOOKS):
        time.sleep(_SETTLED)
        now = look()
        if now == before:
            break
        before = now
    return before
