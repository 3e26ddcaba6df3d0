"""Folders that mean no good: links, sizes, kinds of files, and what changes while it is read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Callable

import pytest

from grader.kit import Kit
from grader.submissions import folder as folder_module
from grader.submissions import intake
from handing_in import ALL, M1, STUB, findings, hand_in, of_m1, refusal, take, taken


@pytest.mark.parametrize(
    "target, detail",
    [
        ("/etc/passwd", "a link that leads out of the submission"),
        ("../../secret.c", "a link that leads out of the submission"),
        ("/dev/zero", "a link that leads out of the submission"),
        ("../../link-to-in/../secret.c", "a link that leads out of the submission"),
        ("nowhere", "a link that leads nowhere"),
        ("task.c", "a link that leads nowhere"),
        ("..", "a link that leads out of the submission"),
        (".", "not a file"),
        ("fifo", "not a file"),
    ],
)
def test_links_are_not_followed_out(kit: Kit, tmp_path: Path, target: str, detail: str) -> None:
    (tmp_path / "secret.c").write_text("a secret", encoding="utf-8")
    source = hand_in(tmp_path / "in", {"m2-scheduler/scheduler.c": "m2"})
    os.symlink("in", tmp_path / "link-to-in")
    (source / "m1-task").mkdir()
    os.mkfifo(source / "m1-task/fifo")
    os.symlink(target, source / M1)
    submission = take(kit, source)
    assert taken(submission) == STUB
    assert f"refused m1-task/task.c: {detail}: graded as the stub" in findings(submission)


def test_a_linked_folder_is_not_followed(kit: Kit, tmp_path: Path) -> None:
    other = hand_in(tmp_path / "other", {"task.c": "another's work"})
    source = hand_in(tmp_path / "in", {"m2-scheduler/scheduler.c": "m2"})
    os.symlink(other, source / "m1-task")
    submission = take(kit, source)
    assert taken(submission) == STUB
    assert "ignored m1-task: a link" in findings(submission)
    expected = f"missing {M1}: not in the submission, for m1-task is a link: graded as the stub"
    assert findings(submission)[0] == expected


def test_a_loop_of_linked_folders(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {M1: "m1"})
    os.symlink("..", source / "m1-task" / "again")
    os.symlink("m1-task", source / "m2-scheduler")
    submission = take(kit, source)
    assert taken(submission) == b"m1"
    assert "ignored m1-task/again: a link" in findings(submission)


def test_a_link_inside_is_followed(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {"src/task.c": "m1", "m2-scheduler/scheduler.c": "m2"})
    (source / "m1-task").mkdir()
    os.symlink("../src/task.c", source / M1)
    assert taken(take(kit, source)) == b"m1"


def test_size_and_kind_are_limited(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {M1: "x" * (intake.FILE_LIMIT + 1), "m3-sleep/timers.c": ""})
    (source / "m2-scheduler").mkdir()
    os.mkfifo(source / "m2-scheduler" / "scheduler.c")
    os.mkfifo(source / "fifo")
    submission = take(kit, source)
    assert findings(submission)[0] == (
        "refused m1-task/task.c: 1048577 bytes, more than 1048576: graded as the stub"
    )
    assert findings(submission)[1].startswith("refused m2-scheduler/scheduler.c: not a file")
    assert findings(submission)[-1] == "ignored fifo: not a file"


def test_a_gigabyte(kit: Kit, tmp_path: Path) -> None:
    """Sparse: one that is read would fill the memory, but not the disk."""
    source = hand_in(tmp_path / "in", {M1: "", "junk": "", "m2-scheduler/scheduler.c": "m2"})
    for name in (M1, "junk"):
        os.truncate(source / name, 1024**3)
    submission = take(kit, source)
    assert taken(submission, "m2-scheduler/scheduler.c") == b"m2"
    expected = f"refused {M1}: 1073741824 bytes, more than 1048576: graded as the stub"
    assert findings(submission)[0] == expected
    assert findings(submission)[-1] == "ignored junk: 1073741824 bytes, more than 1048576"
    os.truncate(source / "junk", 0)
    os.rename(source / M1, tmp_path / "alone.zip")
    expected = "alone.zip is too large: 1073741824 bytes, more than 268435456"
    assert refusal(kit, tmp_path / "alone.zip") == expected


def test_what_is_not_readable(kit: Kit, tmp_path: Path) -> None:
    """For root, everything is."""
    source = hand_in(tmp_path / "in", {**ALL, "closed/file": ""})
    is_root = os.geteuid() == 0
    closed = (source / M1, source / "m2-scheduler", source / "closed")
    for path in closed:
        path.chmod(0)
    try:
        submission = take(kit, source)
        source.chmod(0o400)
        names_only = "" if is_root else refusal(kit, source)
        source.chmod(0)
        nothing = "" if is_root else refusal(kit, source)
    finally:
        for path in (source, *closed):
            path.chmod(0o700)
    if not is_root:
        assert nothing == "in cannot be read: Permission denied"
        assert names_only.startswith("none of the lab's files is in it, and some cannot be read (")
        assert findings(submission) == [
            f"refused {M1}: not to be read: Permission denied: graded as the stub",
            "missing m2-scheduler/scheduler.c: not in the submission, for m2-scheduler is not to "
            "be read: Permission denied: graded as the stub",
            "ignored closed: not to be read: Permission denied",
            "ignored m2-scheduler: not to be read: Permission denied",
        ]
    else:
        assert findings(submission) == ["ignored closed/file: not one of the files to hand in"]


def test_a_folder_named_as_a_file_and_a_file_as_a_folder(kit: Kit, tmp_path: Path) -> None:
    files = {f"{M1}/task.c": "inside", "m2-scheduler": "a file", "m3-sleep/timers.c": "m3"}
    submission = take(kit, hand_in(tmp_path / "in", files))
    assert findings(submission)[:2] == [
        f"refused {M1}: a folder, not a file: graded as the stub",
        "missing m2-scheduler/scheduler.c: not in the submission, for m2-scheduler is a file, "
        "not a folder: graded as the stub",
    ]


def test_names_that_are_no_text(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {M1: "m1"})
    for name in (b"\xff\xfe", b"\x1b[2J\r\n", "\u202ec.ksat".encode(), b"n" * 255):
        (Path(os.fsdecode(bytes(source))) / os.fsdecode(name)).touch()
    assert of_m1(take(kit, source)) == [
        f"ignored {shown}: not one of the files to hand in"
        for shown in ("\\x1b[2J\\r\\n", f"{'n' * 97} ... {'n' * 97}", "\\u202ec.ksat", "\\xff\\xfe")
    ]


def test_deep_and_wide_folders(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "DEPTH_LIMIT", 5)
    source = hand_in(tmp_path / "in", {M1: "m1", "a/b/c/d/e/f/g/h": ""})
    assert of_m1(take(kit, source)) == ["ignored a/b/c/d/e/f/...: below 5 folders: not looked at"]
    monkeypatch.setattr(intake, "ENTRY_LIMIT", 5)
    assert refusal(kit, source) == "in has more than 5 files and folders"


def test_the_others_do_not_crowd_out_the_labs(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "OTHERS_LIMIT", 10)
    source = hand_in(tmp_path / "in", {"a": "x" * 11, "lab/" + M1: "m" * 100})
    submission = take(kit, source)
    assert taken(submission) == b"m" * 100
    assert of_m1(submission) == ["ignored a: not looked at: there are 10 bytes of others already"]
    monkeypatch.setattr(intake, "SOURCES_LIMIT", 99)
    assert refusal(kit, source) == "in has more than 99 bytes in files named as the lab's"


def test_time_is_limited(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "SECONDS", 0)
    source = hand_in(tmp_path / "in", {M1: "m1"})
    assert refusal(kit, source) == "in takes more than 0 s to read"


def replaced_by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    "change, detail",
    [
        (Path.unlink, "changed while it was read"),
        (replaced_by_link, "a link that leads out of the submission"),
        (lambda path: os.truncate(path, 1), ""),
    ],
)
def test_a_change_after_the_names_were_listed(
    kit: Kit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    detail: str,
) -> None:
    source = hand_in(tmp_path / "in", {M1: "m1", "m2-scheduler/scheduler.c": "m2"})
    list_folder = folder_module.list_folder

    def list_and_change(root: int, parts: folder_module.Parts) -> "list[str]":
        names = list_folder(root, parts)
        if parts == ("m1-task",):
            change(source / M1)
        return names

    monkeypatch.setattr(folder_module, "list_folder", list_and_change)
    submission = take(kit, source)
    assert taken(submission) == (STUB if detail else b"m")
    expected = [f"refused {M1}: {detail}: graded as the stub"] if detail else []
    assert of_m1(submission) == expected


@pytest.mark.parametrize("at_last", [b"", b"longer than it was"])
def test_a_file_that_changes_its_size(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_last: bytes
) -> None:
    source = hand_in(tmp_path / "in", {M1: "m1", "m2-scheduler/scheduler.c": "m2"})
    admit = intake.Intake.admit

    def admit_and_change(self: intake.Intake, path: str, size: int) -> str:
        if path == M1:
            (source / M1).write_bytes(at_last)
        return admit(self, path, size)

    monkeypatch.setattr(intake.Intake, "admit", admit_and_change)
    submission = take(kit, source)
    assert of_m1(submission) == [f"refused {M1}: changed while it was read: graded as the stub"]


def test_a_folder_that_becomes_a_link(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it was seen to be a folder, and before it is opened."""
    hand_in(tmp_path / "other", {"task.c": "another's work"})
    source = hand_in(tmp_path / "in", {M1: "m1", "m2-scheduler/scheduler.c": "m2"})
    list_folder = folder_module.list_folder

    def change_and_list(root: int, parts: folder_module.Parts) -> "list[str]":
        if parts == ("m1-task",):
            shutil.rmtree(source / "m1-task")
            (source / "m1-task").symlink_to(tmp_path / "other")
        return list_folder(root, parts)

    monkeypatch.setattr(folder_module, "list_folder", change_and_list)
    submission = take(kit, source)
    assert taken(submission) == STUB
    assert "ignored m1-task: not to be read: Not a directory" in findings(submission)


def test_a_file_that_becomes_a_link(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it was seen to be a file, and before it is opened."""
    source = hand_in(tmp_path / "in", {M1: "m1", "m2-scheduler/scheduler.c": "m2"})
    read_file = folder_module.read_file

    def change_and_read(root: int, parts: folder_module.Parts, counts: intake.Intake) -> bytes:
        if parts == ("m1-task", "task.c"):
            replaced_by_link(source / M1)
        return read_file(root, parts, counts)

    monkeypatch.setattr(folder_module, "read_file", change_and_read)
    submission = take(kit, source)
    assert taken(submission) == STUB
    assert of_m1(submission)[0].startswith(f"refused {M1}: not to be read: Too many levels of symb")
