"""Recordings for the tests of timelines: some that a recorder could write, and some that mean harm."""

from __future__ import annotations

from typing import Dict

from grader.timeline.excerpt import Excerpt, excerpt
from grader.timeline.story import tell
from grader.timeline.untrusted import read_untrusted

MARKUP = "</text></svg><script>alert(1)</script><b onclick=x>\"'{{ 7 * 7 }}"


def written(*lines: str, virtual: str = "-") -> bytes:
    """Lines without their times, in which blanks stand for tabs."""
    text = ""
    for number, line in enumerate(lines):
        kind, *fields = line.split(" ")
        text += "\t".join([kind, str(number * 1000), virtual, *fields]) + "\n"
    return text.encode()


def excerpt_of(data: bytes) -> Excerpt:
    kept = read_untrusted(data)
    return excerpt(tell(kept.recording), kept)


# A reader that waits for what the other one, which it has waited for before, does not do.
STUCK = written(
    "step the_test_begins", "create 1 0 reader", "ready 1 0", "create 2 0 writer", "ready 2 0", "run 1",
    "file 0 /kit/tests/io.c", "wait 1 0 53 read read(fd_6)", "run 2", "ready 1 2", "return 2 7", "gone 2",
    "run 1", "wait 1 0 57 read read(fd_6)",
)  # fmt: skip


def crowd(count: int) -> bytes:
    """So many coroutines; each runs and waits twice, in turn."""
    ids = range(1, count + 1)
    return written(
        *(f"create {id} 0 c" for id in ids),
        *(line for _ in range(2) for id in ids for line in (f"run {id}", f"wait {id} 0 9 gate gate")),
    )


# None of them is a recording: each has something that the recorder never writes.
BAD: Dict[str, bytes] = {
    "no numbers": written("create one 0 a"),
    "time is NaN": b"create\tnan\t-\t1\t0\ta\n",
    "virtual time is infinite": b"create\t0\tinf\t1\t0\ta\n",
    "time beyond 64 bits": f"create\t{10**30}\t-\t1\t0\ta\n".encode(),
    "an endless number": b"create\t" + b"9" * 1_000_000 + b"\t-\t1\t0\ta\n",
    "a number too long for Python": b"create\t" + b"9" * 1000 + b"\t-\t1\t0\ta\n",
    "an unknown kind": written("create 1 0 a", "dance 1"),
    "JSON": b'{"traceEvents": [{"ph": "X"}]}\n',
    "binary": bytes(range(1, 256)) * 100,
    "too few fields": written("create 1 0 a", "wait 1 0 9"),
    "too many fields": written("create 1 0 a", "run 1 2 3"),
    "of nobody": written("create 1 0 a", "run 2"),
    "of main": written("create 1 0 a", "run 0"),
    "main is created": written("create 0 0 a"),
    "woken by nobody": written("create 1 0 a", "ready 1 7"),
    "a line beyond all measure": written("step " + "x" * 5_000),
    "of nobody, long ago": written("run 1", *["step x"] * 5_000),
    "nonsense, long ago": written("create", *["step x"] * 5_000),
}
