"""Zip archives that depend on nothing but the files' names, modes and bytes: not on when, where or
by which version of a library they were made."""

from __future__ import annotations

import io
import zipfile
from typing import Iterable, Tuple

Entry = Tuple[str, bytes, bool]  # name, content, executable

_UNIX = 3
_FIRST_TIME = (1980, 1, 1, 0, 0, 0)  # that a zip can tell
_FILE = 0o100000


def make_zip(entries: Iterable[Entry]) -> bytes:
    """Not compressed, for that differs between versions of zlib."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content, executable in sorted(entries):
            info = zipfile.ZipInfo(name, _FIRST_TIME)
            info.create_system = _UNIX
            info.external_attr = (_FILE | (0o755 if executable else 0o644)) << 16
            archive.writestr(info, content)
    return buffer.getvalue()
