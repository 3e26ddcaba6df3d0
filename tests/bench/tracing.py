"""What the recorder of ./lab trace costs: not linked, off, and recording.

    /usr/bin/python3 tests/bench/tracing.py [--rounds N]

The fastest of the rounds, which alternate: whatever else runs can only add. Off, it should make no
difference beyond the noise that two runs of the same program have.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from grader.kit import MILESTONES, Kit, find_kit  # noqa: E402

RECORDER = ("trace.c", "trace_coroutines.c", "trace_wraps.c", "trace_program.c")
SHARE_WHEN_ON = 60  # of the work: what a recording has room for


def build(kit: Kit, folder: Path, recorder: bool) -> Path:
    support = kit.root / "tests" / "support"
    program = folder / ("with" if recorder else "without")
    sources = [kit.root / "tests" / "bench" / "tracing_load.c"]
    sources += [kit.solutions / milestone.path for milestone in MILESTONES[:3]]
    sources.append(kit.milestones / "m3-sleep" / "clock.c")
    includes = [f"-I{kit.milestones / milestone.folder}" for milestone in MILESTONES]
    wraps: List[str] = []
    if recorder:
        sources += [support / name for name in RECORDER]
        wraps = [f"-Wl,--wrap={function}" for function in ("task_init", *_wrapped(support))]
    flags = ["-std=gnu17", "-D_GNU_SOURCE", "-O2", "-g"]
    command = ["cc", *flags, *includes, *map(str, sources), *wraps, "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def _wrapped(support: Path) -> Sequence[str]:
    text = (support / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^set\(traced ([^)]*)\)", text, re.MULTILINE)
    if found is None:
        sys.exit("tests/support/CMakeLists.txt does not say what is wrapped")
    return found[1].split()


def run(program: Path, share: int, recording: str) -> Tuple[float, float]:
    environment = {**os.environ, "LAB_TRACE": recording}
    said = subprocess.run(
        [str(program), str(share)], env=environment, stdout=subprocess.PIPE, check=True
    ).stdout.split()
    return float(said[0]), float(said[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    kit = find_kit()
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as name:
        folder = Path(name)
        without, linked = build(kit, folder, False), build(kit, folder, True)
        ways = {
            "not linked": (without, 1, ""),
            "not linked, again": (without, 1, ""),
            "linked, off": (linked, 1, ""),
            "recording": (linked, SHARE_WHEN_ON, str(folder / "recording")),
        }
        runs: Dict[str, List[Tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, arguments in ways.items():
                runs[way].append(run(*arguments))
    print("nanoseconds              a resumption   a coroutine, from creation to end")
    for way, found in runs.items():
        resumption, life = map(min, zip(*found))
        print(f"  {way:22} {resumption:12.1f} {life:12.1f}")


if __name__ == "__main__":
    main()
