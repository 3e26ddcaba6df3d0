"""What there is to grade in a folder: each thing in it is somebody's submission."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import hashlib
import os
import re
from pathlib import Path
from typing import Dict, List

from grader.exit_codes import WrongUse
from grader.moment import moment

_ENDINGS = re.compile(
    r"\.(zip|tar|tgz|txz|tbz2?|tzst|tar\.(gz|xz|bz2|zst)|git|bundle)$", re.IGNORECASE
)


@dataclasses.dataclass(frozen=True)
class Hand:
    """One submission, not opened yet."""

    path: Path
    name: str  # for people: of the file, without its ending if it is still the only one

    @property
    def slug(self) -> str:
        """A name for files, whatever `name` is made of, and never that of another one."""
        plain = re.sub(r"[^A-Za-z0-9._-]+", "_", self.name).strip("._")[:80]
        if plain == self.name:
            return plain
        return f"{plain}-{hashlib.sha256(os.fsencode(self.path.name)).hexdigest()[:8]}"


def hands_in(folder: Path) -> List[Hand]:
    """By name. Hidden files are no submissions."""
    if not folder.is_dir():
        raise WrongUse(f"{folder} is not a folder of submissions")
    paths = [path for path in folder.iterdir() if not path.name.startswith(".")]
    if not paths:
        raise WrongUse(f"there is no submission in {folder}")
    short = [_ENDINGS.sub("", path.name).casefold() for path in paths]
    hands = [
        Hand(path, path.name if short.count(name) > 1 else _ENDINGS.sub("", path.name))
        for path, name in zip(paths, short)
    ]
    return sorted(hands, key=lambda hand: os.fsencode(hand.path.name))


def read_times(path: Path, hands: List[Hand]) -> Dict[str, datetime.datetime]:
    """When each was handed in: a CSV file with the columns `submission` and `time` (ISO 8601, with
    zone). By name of the submission; who is not in it is held to be in time."""
    known = {name: hand.name for hand in hands for name in (hand.name, hand.path.name)}
    times: Dict[str, datetime.datetime] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                where = f"{path}, row {len(times) + 2}"
                name, text = row.get("submission"), row.get("time")
                if name is None or text is None:
                    raise WrongUse(f"{where}: the columns are submission,time")
                if name not in known:
                    raise WrongUse(f"{where}: there is no submission {name!r}")
                try:
                    times[known[name]] = moment(text)
                except ValueError as error:
                    raise WrongUse(f"{where}: {error}") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise WrongUse(f"cannot read {path}: {error}") from error
    return times
