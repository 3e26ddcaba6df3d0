"""Grades a class of hostile submissions as ./lab batch does, and tells what was left running.

    python -m grader.selftest.hostile_class KIT CLASS OUT forbidden=refuse|report

A process of its own, for it becomes the parent of everything that escapes from whoever started it. Writes
OUT/outcome.json: for each submission its result, or why there is none; and the processes that are left.
"""

from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import sys
import time
from pathlib import Path
from typing import Dict, List

from grader.batch.entries import Hand, hands_in
from grader.batch.run import BatchRequest, run_batch
from grader.descendants import children_of
from grader.kit import Kit
from grader.model import to_json
from grader.reports.class_entry import Entry
from grader.rubric import Rubric, read_rubric

# A few of every kind: what runs a submission's code in each of the ways in which that is done.
ONLY = (
    "m1.create_runs_nothing",
    "m1.resume_after_done",
    "m4.data_come_before_the_end",
    "m5.hello_comes_back",
    "m5.e2e.byte_at_a_time",
    "m5.e2e.listening_line",
    "m5.e2e.greedy_client",
)
JOBS = 2
_LIMITS = {
    "case_seconds": 6,
    "cpu_seconds": 4,
    "build_seconds": 10,
    "end_to_end_seconds": 60,
    "memory_mib": 512,
    "processes": 24,
    "open_files": 512,
    "file_mib": 8,
}
_PR_SET_CHILD_SUBREAPER = 36
_LAST_MOMENT = 3.0  # seconds that the kernel may take to end a sandbox


def main(kit: Path, folder: Path, output: Path, forbidden: str) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    entries: Dict[str, Entry] = {}

    def done(hand: Hand, entry: Entry) -> None:
        entries[hand.name] = entry

    request = BatchRequest(
        kit=Kit(kit),
        hands=hands_in(folder),
        rubric=_rubric(forbidden),
        sandboxed=True,
        jobs=JOBS,
        output=output / "graded",
        times={},
        only=ONLY,
    )
    run_batch(request, done)
    outcome = {
        "results": {name: to_json(e.result) if e.result else None for name, e in entries.items()},
        "not_graded": {name: entry.not_graded for name, entry in entries.items()},
        "left_running": _left_running(),
    }
    (output / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")


def _rubric(forbidden: str) -> Rubric:
    rubric = read_rubric()
    return dataclasses.replace(
        rubric,
        refuses_forbidden=forbidden == "forbidden=refuse",
        limits=dataclasses.replace(rubric.limits, **_LIMITS),
    )


def _left_running() -> List[str]:
    """By what each calls itself. All that was started is a descendant, and who loses his parent a child."""
    end = time.monotonic() + _LAST_MOMENT
    while (left := children_of(os.getpid())) and time.monotonic() < end:
        for pid in left:
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.02)
    return [Path(f"/proc/{pid}/comm").read_text(errors="replace").strip() for pid in left]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
