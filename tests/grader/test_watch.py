"""./lab test --watch: when it runs again, what it shows, and how it ends."""

from __future__ import annotations

import dataclasses
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Callable, List

import pytest
from conftest import KIT_ROOT
from rich.console import Console

from grader import student_loop
from grader.exit_codes import ExitCode, KitFailed, WrongUse
from grader.kept_progress import KeptProgress, digests_of
from grader.kit import MILESTONES, Kit
from grader.latest_build import point_to
from grader.model import Status, TestResult
from grader.plan import PlannedTest
from grader.student_report import StudentReport
from grader.student_test import TestRequest
from grader.watch import Snapshot, look_at, watch
from grader.watch_report import WatchReport, print_counts

TASK = "milestones/m1-task/task.c"


def console(out: io.StringIO, terminal: bool = False) -> Console:
    return Console(file=out, width=100, force_terminal=terminal, color_system=None)


def look(kit: Kit) -> Snapshot:
    return look_at([kit.milestones, kit.root / "tests"])


@dataclasses.dataclass
class Watched:
    code: ExitCode
    output: str
    runs: int


def watched(
    kit: Kit, actions: List[Callable[[], object]], terminal: bool = False, quiet: float = 0.5
) -> Watched:
    """`actions[n]` comes during the n-th run; ^C when nothing has been run for `quiet` seconds."""
    out = io.StringIO()
    codes = [ExitCode.TESTS_FAILED, ExitCode.DONE, ExitCode.KIT_FAILED]
    runs: List[float] = []

    def run() -> ExitCode:
        if len(runs) < len(actions):
            actions[len(runs)]()
        runs.append(time.monotonic())
        return codes[min(len(runs), len(codes)) - 1]

    def looked() -> Snapshot:
        if runs and time.monotonic() > runs[-1] + quiet:
            raise KeyboardInterrupt
        return look(kit)

    code = watch(looked, run, console(out, terminal), pause=0.01)
    return Watched(code, out.getvalue(), len(runs))


def later(action: Callable[[], object]) -> Callable[[], object]:
    """When the run is over, and the next save is waited for."""
    return lambda: threading.Timer(0.1, action).start()


def save(kit: Kit, name: str = TASK, text: str = "/* better */\n") -> Callable[[], object]:
    return lambda: (kit.root / name).write_text(text, encoding="utf-8")


# ---- When it runs again


def test_nothing_is_saved(kit: Kit) -> None:
    assert watched(kit, []).runs == 1


def test_a_save(kit: Kit) -> None:
    seen = watched(kit, [later(save(kit))])
    assert seen.runs == 2 and "Saved: task.c\n" in seen.output


def test_a_save_during_a_run_counts_after_it(kit: Kit) -> None:
    assert watched(kit, [save(kit), save(kit, text="/* much better */\n")]).runs == 3


def test_an_editor_that_saves_by_renaming(kit: Kit) -> None:
    """The same size and time as before: only the file is another."""
    source = kit.root / TASK
    before = source.stat()

    def rename() -> None:
        new = source.with_name("task.c~new")
        new.write_text(source.read_text(encoding="utf-8").replace("stub", "STUB"), encoding="utf-8")
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        new.replace(source)

    assert watched(kit, [later(rename)]).runs == 2


def test_an_editor_that_takes_the_file_away_first(kit: Kit) -> None:
    """As vim with a backup: gone, then there in two pieces. One run, and not with half a file."""
    source = kit.root / TASK
    seen: List[str] = []

    def slowly() -> None:
        source.rename(source.with_name("task.c~"))
        time.sleep(0.05)
        with source.open("w", encoding="utf-8") as file:
            file.write("/* first half,\n")
            file.flush()
            time.sleep(0.05)
            file.write("second half */\n")

    def note() -> None:
        seen.append(source.read_text(encoding="utf-8"))

    assert watched(kit, [later(slowly), note]).runs == 2
    assert seen == ["/* first half,\nsecond half */\n"]


def test_new_and_removed_files(kit: Kit) -> None:
    new = "tests/m1-task/my_own.c"
    seen = watched(kit, [later(save(kit, new)), later(lambda: (kit.root / new).unlink())])
    assert seen.runs == 3 and seen.output.count("Saved: my_own.c\n") == 2


def test_what_is_no_save(kit: Kit) -> None:
    """Builds, what is kept between runs, editors' own files, and documents."""

    def work() -> None:
        for name in ("build/own/a.c", ".lab/progress.json", "milestones/m1-task/README.md"):
            (kit.root / name).parent.mkdir(parents=True, exist_ok=True)
            save(kit, name)()
        for name in (".task.c.swp", "#task.c#", ".#task.c", "task.c~", "4913", "task.o"):
            save(kit, f"milestones/m1-task/{name}")()

    assert watched(kit, [work, later(work)]).runs == 1


def test_links_to_nowhere_and_lost_folders(kit: Kit, tmp_path: Path) -> None:
    os.symlink("nowhere", kit.milestones / "m1-task/link.c")
    found = look_at([kit.milestones, tmp_path / "no such folder"])
    assert kit.root / TASK in found and kit.milestones / "m1-task/link.c" not in found


# ---- How it ends


def test_it_ends_with_the_last_result(kit: Kit) -> None:
    assert watched(kit, []).code == ExitCode.TESTS_FAILED
    assert watched(kit, [save(kit, text="/* again */\n")]).code == ExitCode.DONE


def interrupted() -> ExitCode:
    raise KeyboardInterrupt


def test_interrupted_in_a_later_run(kit: Kit) -> None:
    assert watched(kit, [save(kit), interrupted]).code == ExitCode.TESTS_FAILED


def test_interrupted_in_the_first_run_there_is_no_result(kit: Kit) -> None:
    with pytest.raises(KeyboardInterrupt):
        watched(kit, [interrupted])


def test_a_real_interrupt(kit: Kit) -> None:
    script = f"""if True:
        import signal, sys; sys.path.insert(0, {str(KIT_ROOT)!r})
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a job in the background
        from pathlib import Path; from rich.console import Console
        from grader.exit_codes import ExitCode; from grader.watch import look_at, watch
        look = lambda: look_at([Path({str(kit.milestones)!r})])
        sys.exit(watch(look, lambda: ExitCode.TESTS_FAILED, Console()))"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while "Waiting" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "")


def test_a_kit_that_fails_may_be_mended_by_the_next_save(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> ExitCode:
        raise KitFailed("cases.def:3: expected a comma")

    assert student_loop.survive_failures(fail) == ExitCode.KIT_FAILED
    assert capsys.readouterr().err == "lab: cases.def:3: expected a comma\n"


def test_wrong_use_ends_it() -> None:
    def fail() -> ExitCode:
        raise WrongUse("no milestone m9")

    with pytest.raises(WrongUse):
        student_loop.survive_failures(fail)


# ---- What it shows


def test_the_screen_is_cleared_on_a_terminal_only(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    clear = "\x1b[2J"
    assert watched(kit, [save(kit)], terminal=True).output.count(clear) == 2
    assert "\x1b" not in watched(kit, [save(kit, text="/* again */\n")]).output


def result(name: str, status: Status, message: str = "") -> TestResult:
    return PlannedTest(name, f"title of {name}", 1).result(status, message)


RESULTS = [
    result("m1.a", Status.PASSED),
    result("m1.b", Status.FAILED),
    result("m1.c", Status.NOT_IMPLEMENTED, "f is not implemented (a.c:3)"),
    *(result(f"m2.{letter}", Status.CRASHED) for letter in "abcde"),
]


def reported(results: List[TestResult], not_built: List[str]) -> str:
    out = io.StringIO()
    report = WatchReport(console(out), Kit(Path("/kit")))
    report.not_built(not_built)
    group = ""
    for one in results:
        if one.id[:2] != group:
            group = one.id[:2]
            report.group(group)
        report.tested(one, f"story of {one.id}\n" if one.message == "" else "")
    report.close()
    print_counts(console(out), results)
    return out.getvalue()


def test_the_next_failing_test_first_and_alone() -> None:
    assert reported(RESULTS, []) == (
        "story of m1.b\n\n"
        "m1  Task         1 of 3 passed; not m1.b, m1.c\n"
        "m2  Scheduler    0 of 5 passed; not m2.a, m2.b, m2.c and 2 more\n"
    )


def test_a_stub_is_the_next_too() -> None:
    said = reported(RESULTS[2:], [])
    assert said.startswith("to do   f is not implemented (a.c:3): 1 test\n\nm1")


def test_what_the_compiler_says_comes_first() -> None:
    said = reported(RESULTS, ["task.c:1: error: x"])
    assert said.startswith("task.c:1: error: x\n\nm1  Task ")


def test_all_have_passed() -> None:
    assert reported(RESULTS[:1], []) == "\nm1  Task         1 of 1 passed\n"


# ---- What a run leaves


@pytest.fixture
def request_of(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> TestRequest:
    """Its run builds a folder, and gives RESULTS; during it the file is saved once more."""

    def run(
        request: TestRequest, console: Console, report: "StudentReport | None" = None
    ) -> List[TestResult]:
        kit.build_folder(request.build_name).mkdir(parents=True, exist_ok=True)
        save(kit)()
        return RESULTS

    monkeypatch.setattr(student_loop, "run_tests", run)
    return TestRequest(kit, ["m1"], "own")


def test_results_are_kept_under_what_was_there_before(request_of: TestRequest, kit: Kit) -> None:
    before = digests_of(kit.milestones, "own")["m1"]
    out = io.StringIO()
    assert student_loop.run_once(request_of, console(out)) == ExitCode.TESTS_FAILED
    assert out.getvalue() == "\n1 passed, 7 failed\n"
    kept = KeptProgress(kit).results()
    assert kept["m1.a"].status == Status.PASSED and kept["m1.a"].files == before
    assert os.readlink(kit.root / "build/latest") == "student-on-own"


def test_the_solutions_results_are_nobodys_progress(request_of: TestRequest, kit: Kit) -> None:
    student_loop.run_once(dataclasses.replace(request_of, solution=True), console(io.StringIO()))
    assert KeptProgress(kit).results() == {}


def test_the_link_follows_the_last_build(tmp_path: Path) -> None:
    for name in ("student-on-own", "student-on-reference"):
        (tmp_path / name).mkdir()
        point_to(tmp_path / name)
        assert os.readlink(tmp_path / "latest") == name
    point_to(tmp_path / "never built")
    assert os.readlink(tmp_path / "latest") == "student-on-reference"
    assert len(list(tmp_path.iterdir())) == 3


def test_a_folder_of_that_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    (tmp_path / "student").mkdir()
    point_to(tmp_path / "student")
    assert not (tmp_path / "latest").is_symlink()


def test_the_sources_that_are_watched_are_the_milestones() -> None:
    found = look_at([KIT_ROOT / "milestones", KIT_ROOT / "tests"])
    assert {KIT_ROOT / "milestones" / milestone.path for milestone in MILESTONES} <= set(found)
