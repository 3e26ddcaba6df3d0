"""A class: what counts as a submission, what its files are called, and that nothing is run twice."""

from __future__ import annotations

import dataclasses
import datetime
import fcntl
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Callable, Dict, List, Optional

import pytest
from conftest import KIT_ROOT
from recordings import STUCK, excerpt_of

from grader.batch import run as run_module
from grader.batch.entries import Hand, hands_in, read_times
from grader.batch.pages import write_class_page, write_gradebook, write_student_page
from grader.batch.run import BatchRequest, run_batch
from grader.exit_codes import WrongUse
from grader.grade import GradeRequest
from grader.kit import MILESTONES, Kit
from grader.model import Finding, MilestoneResult, Result, Status, TestResult, Visibility
from grader.processes import Ended
from grader.reports.class_entry import Entry
from grader.result_cache import ResultCache, conditions_of
from grader.rubric import read_rubric
from grader.sandbox import Sandbox
from grader.score_file import write_score_file
from grader.stage import Stage
from grader.timeline.excerpt import Excerpt


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_bytes(b"")


def test_everything_in_the_folder_is_a_submission(tmp_path: Path) -> None:
    touch(tmp_path, "Zoe.zip", "adam.tar.gz", ".DS_Store", "notes.txt")
    (tmp_path / "eve").mkdir()
    assert [hand.name for hand in hands_in(tmp_path)] == ["Zoe", "adam", "eve", "notes.txt"]


def test_names_stay_apart(tmp_path: Path) -> None:
    touch(tmp_path, "ann.zip", "ann.tar", "Bob.zip", "bob.tar.xz")
    names = [hand.name for hand in hands_in(tmp_path)]
    assert names == ["Bob.zip", "ann.tar", "ann.zip", "bob.tar.xz"]


def test_any_name_gives_a_safe_name_for_files(tmp_path: Path) -> None:
    names = [b"..", b"a/b", b"\xff\xfe", b"a b", b"a_b", b"=cmd()", "Łukasz".encode(), b"x" * 250]
    hands = [Hand(tmp_path / os.fsdecode(name), os.fsdecode(name)) for name in names]
    slugs = [hand.slug for hand in hands]
    assert len(set(slugs)) == len(slugs)
    for slug in slugs:
        assert slug.isascii() and "/" not in slug and not slug.startswith(".") and len(slug) < 100


@pytest.mark.parametrize("what", ["nothing", "a file", "empty"])
def test_no_class(tmp_path: Path, what: str) -> None:
    path = tmp_path / "class"
    if what == "a file":
        touch(tmp_path, "class")
    if what == "empty":
        path.mkdir()
    with pytest.raises(WrongUse):
        hands_in(path)


def times_of(folder: Path, text: str) -> Dict[str, datetime.datetime]:
    (folder / "times.csv").write_text(text, encoding="utf-8")
    return read_times(folder / "times.csv", [Hand(folder / "ann.zip", "ann")])


def test_times_by_either_name(tmp_path: Path) -> None:
    noon = datetime.datetime(2027, 1, 15, 12, tzinfo=datetime.timezone.utc)
    for name in ("ann", "ann.zip"):
        assert times_of(tmp_path, f"submission,time\n{name},2027-01-15T12:00:00Z\n") == {"ann": noon}


@pytest.mark.parametrize(
    "text, word",
    [
        ("name,when\nann,2027-01-15T12:00:00Z\n", "columns"),
        ("submission,time\nbob,2027-01-15T12:00:00Z\n", "row 2.*bob"),
        ("submission,time\nann,yesterday\n", "yesterday"),
        ("submission,time\nann,2027-01-15T12:00:00\n", "time zone"),
    ],
)
def test_mistakes_in_the_times(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(WrongUse, match=word):
        times_of(tmp_path, text)


# ---- The output folder ------------------------------------------------------------------------------


class FakeClass:
    """A batch whose submissions are graded by a function of a test's own."""

    def __init__(self, kit: Kit, folder: Path, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(run_module, "make_stage", lambda *_: Stage(folder, folder, {}, {}, {}, ""))
        patch.setattr(run_module, "run_program", self._run)
        patch.setattr(Sandbox, "user", None)
        self.output = folder / "out"
        self.entries: Dict[str, Entry] = {}
        self.grading: Callable[[GradeRequest], Ended] = graded
        hands = [Hand(folder / f"{name}.zip", name) for name in ("ann", "bob", "cec")]
        self.request = BatchRequest(kit, hands, read_rubric(), False, 2, self.output, {})

    def run(self) -> Dict[str, Entry]:
        self.entries.clear()
        run_batch(self.request, lambda hand, entry: self.entries.update({hand.name: entry}))
        return self.entries

    def _run(self, command: List[str], **_: object) -> Ended:
        request = pickle.loads(Path(command[-1]).read_bytes())
        assert isinstance(request, GradeRequest)
        return self.grading(request)


def ended(code: int, output: str = "") -> Ended:
    return Ended(code, False, 1.0, output)


def graded(request: GradeRequest) -> Ended:
    assert request.score_file is not None
    write_score_file(request.score_file, result_of(request.name))
    return ended(0)


@pytest.fixture
def fake(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeClass:
    return FakeClass(kit, tmp_path, monkeypatch)


def test_one_that_cannot_be_graded_costs_nobody_else(fake: FakeClass) -> None:
    answers = {"ann": ended(2, "ann.zip is damaged\n"), "bob": ended(3, "disk full"), "cec": None}
    fake.grading = lambda request: answers[request.name] or graded(request)
    entries = fake.run()
    assert (entries["ann"].result, entries["ann"].not_graded) == (None, "ann.zip is damaged")
    assert entries["bob"].result is not None
    assert entries["bob"].result.environment["failure"] == "disk full"
    assert entries["cec"].result == result_of("cec")


def test_a_killed_worker_is_a_failure_of_the_machine(fake: FakeClass) -> None:
    """Also if an earlier batch has left a result."""
    fake.run()
    fake.grading = lambda request: ended(-9)
    result = fake.run()["ann"].result
    assert result is not None
    assert "SIGKILL" in result.environment["failure"]


def test_a_folder_with_other_things_in_it_is_not_written_to(fake: FakeClass) -> None:
    fake.output.mkdir()
    touch(fake.output, "thesis.txt")
    with pytest.raises(WrongUse, match="not empty"):
        fake.run()
    assert [path.name for path in fake.output.iterdir()] == ["thesis.txt"]


def test_two_batches_in_one_folder(fake: FakeClass) -> None:
    fake.run()
    with open(fake.output / "lab-batch", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(WrongUse, match="another batch"):
            fake.run()
    fake.run()


def test_what_a_killed_batch_has_left_is_removed(fake: FakeClass, tmp_path: Path) -> None:
    fake.run()
    assert not (fake.output / "temporary-folder").exists()
    (tmp_path / "left" / "stage").mkdir(parents=True)
    (fake.output / "temporary-folder").write_text(str(tmp_path / "left"), encoding="utf-8")
    fake.run()
    assert not (tmp_path / "left").exists()


def test_what_is_shown_after_the_due_date(fake: FakeClass) -> None:
    result = result_of("ann")
    result.tests[0].visibility = Visibility.AFTER_DUE_DATE
    entry = Entry("ann", result, page="ann.html")
    fake.output.mkdir()
    for hours, shown in ((1, False), (-1, True)):
        due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
        late = dataclasses.replace(fake.request.rubric.late, due=due)
        rubric = dataclasses.replace(fake.request.rubric, late=late)
        write_student_page(dataclasses.replace(fake.request, rubric=rubric), entry)
        page = (fake.output / "ann.html").read_text(encoding="utf-8")
        assert ("the only test" in page) == shown


def failing(timeline: Optional[Excerpt]) -> Callable[[GradeRequest], Ended]:
    def grading(request: GradeRequest) -> Ended:
        assert request.timelines and request.score_file is not None
        result = result_of(request.name, Status.FAILED)
        result.tests[0].timeline = timeline
        write_score_file(request.score_file, result)
        return ended(0)

    return grading


def test_timelines_are_on_the_students_pages_and_nowhere_else(fake: FakeClass) -> None:
    pages, others = [], []
    for timeline in (excerpt_of(STUCK), None):
        fake.grading = failing(timeline)
        entries = fake.run()
        write_student_page(fake.request, entries["ann"])
        write_gradebook(fake.output, entries.values())
        write_class_page(fake.request, list(entries.values()))
        pages.append((fake.output / "students/ann.html").read_text("utf-8"))
        others.append([(fake.output / name).read_bytes() for name in ("gradebook.csv", "class.html")])
    assert ["reader #1" in page for page in pages] == [True, False]
    assert others[0] == others[1]


# ---- The cache ---------------------------------------------------------------------------------------


def result_of(name: str, status: Status = Status.PASSED) -> Result:
    test = TestResult("m1.only", "the only test", status, 15, 15)
    return Result(name, [MilestoneResult("m1", "Task", [test])], [Finding("warning", "a:1", "b")])


def tree_of(folder: Path, text: str) -> Path:
    for milestone in MILESTONES:
        (folder / milestone.path).parent.mkdir(parents=True)
        (folder / milestone.path).write_text(text, encoding="utf-8")
    return folder


def test_the_cache_knows_files_by_their_content(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, "conditions")
    one, same, other = (tree_of(tmp_path / name, name[0]) for name in ("a1", "a2", "b"))
    assert cache.key(one) == cache.key(same) != cache.key(other)
    assert ResultCache(tmp_path, "others").key(one) != cache.key(one)
    assert cache.find(cache.key(one)) is None
    cache.keep(cache.key(one), result_of("ann"))
    assert cache.find(cache.key(same)) == result_of("ann")


def test_a_failure_of_the_machine_is_not_kept(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, "conditions")
    cache.keep("key", result_of("ann", Status.ERROR))
    assert cache.find("key") is None


@pytest.mark.parametrize("garbage", ["", "{", "[]", '{"schema": "lab-result/0"}'])
def test_what_is_damaged_in_the_cache_is_made_again(tmp_path: Path, garbage: str) -> None:
    cache = ResultCache(tmp_path, "conditions")
    (tmp_path / "key.json").write_text(garbage, encoding="utf-8")
    assert cache.find("key") is None


def test_any_change_of_kit_or_rubric_is_another_condition(kit: Kit) -> None:
    rubric = read_rubric()
    before = conditions_of(kit, rubric, "gcc")
    assert conditions_of(kit, rubric, "gcc") == before
    assert conditions_of(kit, rubric, "clang") != before
    assert conditions_of(kit, dataclasses.replace(rubric, seed=2), "gcc") != before
    lenient = dataclasses.replace(rubric, late=dataclasses.replace(rubric.late, percent=5))
    assert conditions_of(kit, lenient, "gcc") == before  # lateness is none of a result's
    for name in ("milestones/m1-task/given.h", "solutions/task.c", "reference/libm1.a",
                 "tests/m1-task/case.c", "grader/late.py", "CMakeLists.txt"):  # fmt: skip
        (kit.root / name).parent.mkdir(parents=True, exist_ok=True)
        (kit.root / name).write_text("/* changed */", encoding="utf-8")
        after = conditions_of(kit, rubric, "gcc")
        assert after != before, name
        before = after


_STUCK = """
import os, signal, threading
from grader.batch import worker
worker._LEAVING_SECONDS = 1
signal.signal(signal.SIGTERM, worker._leave)
try:
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
except KeyboardInterrupt:
    threading.Event().wait(30)
"""


def test_a_worker_that_cannot_leave_is_ended() -> None:
    """Its batch was killed, and its pool waits for processes that have gone: it would keep its lock."""
    ended = subprocess.run([sys.executable, "-c", _STUCK], cwd=KIT_ROOT, check=False, timeout=20)
    assert ended.returncode == -signal.SIGALRM
