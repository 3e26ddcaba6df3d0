"""Writes a score file so that a reader, or a crash, never meets half of one."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from grader.exit_codes import WrongUse
from grader.model import Result, to_json


def write_score_file(path: Path, result: Result) -> None:
    text = json.dumps(to_json(result), indent=2, ensure_ascii=False) + "\n"
    replace_file(path, text.encode("utf-8", "replace"))


def replace_file(path: Path, content: bytes) -> None:
    """Writes beside `path`, then renames: the old content stays until the new one is whole."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), 0o644 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def check_writable(path: Path) -> None:
    """Before minutes of grading, not after."""
    if path.is_dir():
        raise WrongUse(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise WrongUse(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise WrongUse(f"cannot write {path}: no permission to write in {path.parent}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
