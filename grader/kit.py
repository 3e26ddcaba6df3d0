"""The kit on disk: its milestones, and where their files are."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from pathlib import Path
from typing import Tuple

from grader.compiled_reference import has_reference


@dataclasses.dataclass(frozen=True)
class Milestone:
    id: str
    title: str
    folder: str
    sources: Tuple[str, ...]  # the files that a student writes; a milestone of the lab has one
    max_score: float
    case_points: float  # what its C cases sum to; the rest is end to end
    below: Tuple[str, ...] = ()  # the layers that it is built on

    @property
    def paths(self) -> Tuple[str, ...]:
        return tuple(f"{self.folder}/{source}" for source in self.sources)

    @property
    def source(self) -> str:
        """The first, which of the lab's milestones is the only one."""
        return self.sources[0]

    @property
    def path(self) -> str:
        return self.paths[0]


MILESTONES = (
    Milestone("m1", "Task", "m1-task", ("task.c",), 15, 15),
    Milestone("m2", "Scheduler", "m2-scheduler", ("scheduler.c",), 20, 20, ("m1",)),
    Milestone("m3", "Sleep", "m3-sleep", ("timers.c",), 20, 20, ("m1", "m2")),
    Milestone("m4", "Event loop", "m4-event-loop", ("event_loop.c",), 20, 20, ("m1", "m2", "m3")),
    Milestone(
        "m5", "Echo server", "m5-echo-server", ("echo_server.c",), 25, 6, ("m1", "m2", "m3", "m4")
    ),
)

# Labs for those who want more, with points of their own, outside of the sum of the milestones. A copy of
# the kit may have any of them, or none: one that has no tests there does not exist (see Kit.labs). Each has
# a line in milestones/CMakeLists.txt, too.
OPTIONAL = (
    Milestone(
        "x1",
        "Sync",
        "x1-sync",
        ("mutex.c", "latch.c", "semaphore.c", "channel.c", "when.c", "timeout.c", "task_group.c"),
        25,
        25,
        ("m1", "m2", "m3"),
    ),
    Milestone(
        "x2",
        "Thread pool",
        "x2-thread-pool",
        (
            *("ready_ring.c", "global_queue.c", "parking.c", "strand.c", "worker.c", "thread_pool.c"),
            *("entering.c", "joining.c", "sleeping.c", "offload.c", "leaving.c"),
        ),
        30,
        30,
        ("m1", "m2", "m3"),
    ),
)

LABS = MILESTONES + OPTIONAL

# The points of the end-to-end checks, by the beginning of their ids: on the reference's lower layers,
# and on the submission's own whole stack.
END_TO_END_POINTS = {"m5.e2e": 14.0, "m5.own": 5.0}


@dataclasses.dataclass(frozen=True)
class Kit:
    root: Path

    @property
    def milestones(self) -> Path:
        return self.root / "milestones"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def end_to_end(self) -> Path:
        return self.root / "tests" / "e2e"

    @property
    def labs(self) -> Tuple[Milestone, ...]:
        """The milestones, and the optional labs that this copy has."""
        return MILESTONES + tuple(
            lab
            for lab in OPTIONAL
            if self.cases_file(lab).is_file() and (self.milestones / lab.folder).is_dir()
        )

    def cases_file(self, milestone: Milestone) -> Path:
        return self.root / "tests" / milestone.folder / "cases.def"

    def default_base(self) -> str:
        """Whose lower layers a milestone is tested on: a student's copy has no reference."""
        return "reference" if has_reference(self.root) else "own"

    def build_folder(self, name: str) -> Path:
        """Where incremental builds are kept: in the kit, or in the cache if the kit is read-only."""
        if os.access(self.root, os.W_OK):
            return self.root / "build" / name
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        return cache / "lab" / hashlib.sha256(bytes(self.root)).hexdigest()[:12] / name


def find_kit() -> Kit:
    return Kit(Path(__file__).resolve().parent.parent)
