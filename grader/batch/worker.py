"""Grades one submission of a class, in a process of its own: whatever happens to it costs that one alone.

    python -m grader.batch.worker REQUEST      a pickled GradeRequest, from grader/batch/run.py

Prints why if it cannot; the exit code is one of ExitCode.
"""

from __future__ import annotations

import pickle
import signal
import sys
from pathlib import Path

from grader.descendants import end_with_parent
from grader.exit_codes import ExitCode, KitFailed, WrongUse
from grader.grade import grade
from grader.watcher import Watcher


_LEAVING_SECONDS = 15


def _leave(*_: object) -> None:
    """A pool can wait for ever for processes that have gone (Python 3.11, gh-94777), and we hold a lock."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LEAVING_SECONDS)
    raise KeyboardInterrupt


def main(request: Path) -> ExitCode:
    signal.signal(signal.SIGTERM, _leave)  # temporary folders go, and what runs is ended
    end_with_parent()
    try:
        grade(pickle.loads(request.read_bytes()), Watcher())
    except WrongUse as error:
        print(error)
        return ExitCode.WRONG_USE
    except (KitFailed, KeyboardInterrupt) as error:
        print(str(error) or "interrupted")
        return ExitCode.KIT_FAILED
    return ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
