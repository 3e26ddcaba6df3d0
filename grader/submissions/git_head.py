"""Which commit a repository or a bundle is about: read here, so that git need not see its files."""

from __future__ import annotations

import re
from typing import IO, Dict, Optional

from grader.submissions.folder import NotReadable, list_folder, read_file
from grader.submissions.intake import Intake

BUNDLE_MAGIC = (b"# v2 git bundle\n", b"# v3 git bundle\n")
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # SHA-1 or SHA-256
_LINES = 100_000  # references
_FALLBACK = ("refs/heads/main", "refs/heads/master")


def is_bare_repository(root: int) -> bool:
    try:
        names = set(list_folder(root, ()))
    except NotReadable:
        return False
    return {"HEAD", "objects"} <= names and not names.isdisjoint({"refs", "packed-refs"})


def head_of_repository(root: int, intake: Intake) -> str:
    """What HEAD names, or else main or master."""
    head = _read_line(root, "HEAD", intake)
    if head is not None and _OBJECT.fullmatch(head):
        return head
    packed = _packed_references(root, intake)
    named = [head[len("ref: ") :].strip()] if head and head.startswith("ref: ") else []
    for reference in (*named, *_FALLBACK):
        found = _read_line(root, reference, intake) or packed.get(reference) or ""
        if _OBJECT.fullmatch(found):
            return found
    raise intake.error("is a git repository without a commit: nothing is at HEAD, main or master")


def _packed_references(root: int, intake: Intake) -> Dict[str, str]:
    try:
        text = read_file(root, ("packed-refs",), intake).decode("utf-8", "replace")
    except (OSError, NotReadable):
        return {}
    lines = [line.split(" ", 1) for line in text.split("\n")]
    return {line[1]: line[0] for line in lines if len(line) == 2}


def _read_line(root: int, name: str, intake: Intake) -> Optional[str]:
    parts = tuple(name.split("/"))
    if not name or "\0" in name or not {"", ".", ".."}.isdisjoint(parts):
        return None
    try:
        return read_file(root, parts, intake).decode("utf-8", "replace").strip()
    except (OSError, NotReadable):
        return None


def head_of_bundle(file: IO[bytes], intake: Intake) -> str:
    """Reads the header up to where the pack begins."""
    file.readline(100)
    references: Dict[str, str] = {}
    for _ in range(_LINES):
        line = file.readline(5000).decode("utf-8", "surrogateescape")
        intake.check_time()
        if line == "\n":
            break
        if line.startswith("-"):
            raise intake.error("is a git bundle of a part of a history: make one of all of it")
        if not line.endswith("\n"):
            raise intake.error("is damaged: the header of the bundle ends too early")
        if not line.startswith("@"):
            found, _, name = line.rstrip("\n").partition(" ")
            references[name] = found
    for name in ("HEAD", *_FALLBACK):
        if _OBJECT.fullmatch(references.get(name, "")):
            return references[name]
    raise intake.error("is a git bundle without HEAD, main or master")
