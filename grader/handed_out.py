"""What was in a copy of the kit when it was handed out, and what has changed since.

The list is a file of that copy, in the format of sha256sum. The instructor's kit has none.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

LIST_NAME = "handout.sha256"

_MADE_AGAIN = {".lab", "build", "__pycache__"}  # folders that come and go, and are nobody's work


def list_of(folder: Path) -> str:
    """What belongs into the list of `folder`."""
    paths = sorted(path for path in _files_below(folder) if path != Path(LIST_NAME))
    return "".join(f"{_digest(folder / path)}  {path}\n" for path in paths)


def read_list(folder: Path) -> Optional[Dict[str, str]]:
    """Digest by path; None if `folder` was not handed out."""
    try:
        text = (folder / LIST_NAME).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return {line[66:]: line[:64] for line in text.splitlines() if len(line) > 66}


def changes(folder: Path, listed: Dict[str, str]) -> List[Tuple[str, str]]:
    """What differs: paths, and "changed", "added" or "removed"."""
    found = {str(path) for path in _files_below(folder)} - {LIST_NAME}
    kinds = {path: "added" for path in found - listed.keys()}
    kinds.update({path: "removed" for path in listed.keys() - found})
    for path in found & listed.keys():
        if _digest(folder / path) != listed[path]:
            kinds[path] = "changed"
    return sorted(kinds.items())


def _files_below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _MADE_AGAIN]
        for name in files:
            yield (Path(parent) / name).relative_to(folder)


def _digest(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return "-"
    return hashlib.sha256(path.read_bytes()).hexdigest()
