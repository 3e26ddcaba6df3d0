"""Runs a class: several submissions at a time, and writes down what is known after each.

Nothing depends on the order or on how many run at a time. All that is final is in the cache in the
output folder, so after a kill at any moment the same command goes on where it was.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import datetime
import fcntl
import json
import os
import pickle
import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, Mapping, Optional, Sequence

from grader.batch.entries import Hand
from grader.descendants import children_of
from grader.exit_codes import ExitCode, WrongUse
from grader.grade import GradeRequest
from grader.kit import Kit
from grader.model import Result, from_json
from grader.processes import describe_exit, python_environment, run_program
from grader.reports.class_entry import Entry
from grader.result_cache import ResultCache, conditions_of
from grader.rubric import Rubric
from grader.sandbox import Sandbox, require_reach, require_sandbox
from grader.stage import Stage, make_stage

_LONGEST = 2 * 3600.0  # seconds for one submission: beyond all that the rubric's limits can add up to
_MARK = "lab-batch"  # the file that tells an output folder of ours


@dataclasses.dataclass(frozen=True)
class BatchRequest:
    kit: Kit
    hands: Sequence[Hand]
    rubric: Rubric
    sandboxed: bool
    jobs: int
    output: Path
    times: Mapping[str, datetime.datetime]  # by name of the submission
    only: Sequence[str] = ()  # patterns of tests' ids; (): all of them

    @property
    def sandbox(self) -> Sandbox:
        return Sandbox(self.rubric.limits, self.sandboxed)

    def taken(self, hand: Hand) -> Path:
        """The files that were taken from a submission."""
        return self.output / "taken" / hand.slug

    def score_file(self, hand: Hand) -> Path:
        return self.output / "results" / f"{hand.slug}.json"


def run_batch(request: BatchRequest, on_entry: Callable[[Hand, Entry], None]) -> None:
    """`on_entry` is called for each submission once its result is known, in any order."""
    require_sandbox(request.sandbox)
    with _output_folder(request.output), _temporary(request) as work:
        stage_folder = work / "stage"
        stage_folder.mkdir()
        request.sandbox.lend(stage_folder)
        stage = make_stage(request.kit, request.rubric.base, request.sandbox, stage_folder)
        more = f"{stage.compiler} sandbox={request.sandboxed} only={list(request.only)}"
        conditions = conditions_of(request.kit, request.rubric, more)
        cache = ResultCache(request.output / "cache", conditions)
        with concurrent.futures.ThreadPoolExecutor(request.jobs) as threads:
            runs = {
                threads.submit(_grade_one, request, hand, stage, cache, work): hand
                for hand in request.hands
            }
            try:
                for run in concurrent.futures.as_completed(runs):
                    on_entry(runs[run], run.result())
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                for worker in children_of(os.getpid()):
                    os.kill(worker, signal.SIGTERM)
                raise


@contextmanager
def _output_folder(folder: Path) -> Iterator[None]:
    """Makes it, or takes one of ours; only one batch at a time may use it."""
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"{folder} is not a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise WrongUse(f"{folder} is not empty, and not the output of an earlier batch")
    for name in ("results", "cache", "taken", "students"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with open(folder / _MARK, "a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WrongUse(f"another batch is writing to {folder}") from error
        yield


@contextmanager
def _temporary(request: BatchRequest) -> Iterator[Path]:
    """A folder outside of the output folder, where programs of the sandbox's user can reach it. One
    that a killed batch has left is removed."""
    note = request.output / "temporary-folder"
    if note.is_file():
        shutil.rmtree(note.read_text(encoding="utf-8"), ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix="lab-batch-"))
    note.write_text(str(folder), encoding="utf-8")
    try:
        request.sandbox.lend(folder)
        require_reach(request.sandbox, folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        note.unlink()


def _grade_one(
    request: BatchRequest, hand: Hand, stage: Stage, cache: ResultCache, work: Path
) -> Entry:
    page = f"students/{hand.slug}.html"
    request.score_file(hand).unlink(missing_ok=True)
    own_work = work / hand.slug
    to_do = work / f"{hand.slug}.request"
    to_do.write_bytes(
        pickle.dumps(
            GradeRequest(
                kit=request.kit,
                source=hand.path,
                name=hand.name,
                rubric=request.rubric,
                sandboxed=request.sandboxed,
                score_file=request.score_file(hand),
                submitted=request.times.get(hand.name),
                jobs=1,
                stage=stage,
                work_folder=own_work,
                cache=cache,
                taken=request.taken(hand),
                only=request.only,
                timelines=True,
            )
        )
    )
    try:
        ended = run_program(
            [sys.executable, "-m", "grader.batch.worker", str(to_do)],
            seconds=_LONGEST,
            folder=request.kit.root,
            environment=python_environment(),
        )
    finally:
        shutil.rmtree(own_work, ignore_errors=True)
        to_do.unlink()
    words = ended.output.strip()[-2000:]
    if ended.returncode == ExitCode.WRONG_USE:
        return Entry(hand.name, not_graded=words, page=page)
    result = _read(request.score_file(hand))
    if ended.returncode != ExitCode.DONE or result is None:
        result = result or Result(hand.name)
        result.environment["failure"] = words or describe_exit(ended.returncode)
    return Entry(hand.name, result, page=page)


def _read(path: Path) -> Optional[Result]:
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
