"""tests/bench/instructions.json: what was counted when it was written, and by which compiler."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any, Dict, List, Mapping

from grader.bench.counts import GROWTH
from grader.build import compiler_name
from grader.kit import Kit
from grader.score_file import replace_file

TOLERANCE = 0.05


def made_with(build: Path) -> Dict[str, str]:
    """What the counts of this build depend on."""
    libc = " ".join(platform.libc_ver())
    return {"compiler": compiler_name(build), "machine": platform.machine(), "C library": libc}


def write_record(kit: Kit, build: Path, counts: Mapping[str, float]) -> Path:
    record = {"made with": made_with(build), "instructions": dict(counts)}
    replace_file(_path(kit), (json.dumps(record, indent=2) + "\n").encode())
    return _path(kit)


def read_record(kit: Kit) -> Dict[str, Any]:
    return dict(json.loads(_path(kit).read_text(encoding="utf-8")))


def why_not_compared(record: Mapping[str, Any], here: Mapping[str, str]) -> str:
    """Empty, if the same compiler, by its family and major version, has made both."""
    there = record["made with"]
    for what in ("compiler", "machine"):
        if _family(there[what]) != _family(here[what]):
            return f"recorded with {there[what]}, and here is {here[what] or 'none'}"
    return ""


def differences(recorded: Mapping[str, float], counted: Mapping[str, float]) -> List[str]:
    """What has become dearer, or cheaper, by more than the tolerance, or is in one of them only."""
    found = []
    for name in sorted(recorded.keys() | counted.keys()):
        before, now = recorded.get(name), counted.get(name)
        if before is None or now is None:
            found.append(f"{name}: recorded {before}, counted {now}")
        elif abs(now / before - 1) > TOLERANCE:
            found.append(f"{name}: {now:.1f} instructions, and {before:.1f} are recorded")
    return found


def growth(counted: Mapping[str, float]) -> str:
    """Empty, if a sleep costs no more than the logarithm of the number of sleepers makes it cost."""
    few, many, most = GROWTH
    ratio = counted[many] / counted[few]
    return "" if ratio <= most else f"{many}: {ratio:.2f} times {few}, and not {most} at most"


def _path(kit: Kit) -> Path:
    return kit.root / "tests" / "bench" / "instructions.json"


def _family(version: str) -> str:
    """"GNU 12.2.0" -> "GNU 12"."""
    return version.partition(".")[0]
