"""Which files of a submission are taken, and what is said of the others."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from grader.kit import MILESTONES, Kit
from grader.submissions.printable import printable
from handing_in import ALL, M1, STUB, findings, hand_in, of_m1, refusal, take, taken


@pytest.mark.parametrize("below", ["", "milestones/", "my-lab/", "my-lab/milestones/"])
def test_files_are_found_a_folder_deeper(kit: Kit, tmp_path: Path, below: str) -> None:
    source = hand_in(tmp_path / "in", {f"{below}{path}": text for path, text in ALL.items()})
    submission = take(kit, source)
    assert [taken(submission, path) for path in ALL] == [b"m1", b"m2", b"m3", b"m4", b"m5"]
    assert findings(submission) == []


def test_a_missing_file_is_the_stub(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {m.path: m.id for m in MILESTONES if m.id != "m2"})
    submission = take(kit, source)
    assert taken(submission, "m2-scheduler/scheduler.c") == b"/* stub of m2 */\n"
    expected = "missing m2-scheduler/scheduler.c: not in the submission: graded as the stub"
    assert findings(submission) == [expected]


def test_only_listed_files_are_taken(kit: Kit, tmp_path: Path) -> None:
    more = {
        "m1-task/given.h": "/* given */\n",  # the same as the kit's: nothing to tell
        "m3-sleep/given.h": "\ufeff/* given */\r\n",  # the same, but for an editor
        "m2-scheduler/given.h": "/* changed */\n",
        "m1-task/helper.c": "int helper;\n",
        "CMakeLists.txt": "all tests pass\n",
        ".git/config": "a tool's\n",
        "build/m1-task/task.c": "a tool's\n",
        "m1-task/._task.c": "macOS's\n",
    }
    submission = take(kit, hand_in(tmp_path / "in", {**ALL, **more}))
    tree = sorted(str(p.relative_to(submission.tree)) for p in submission.tree.rglob("*.*"))
    assert tree == sorted(ALL)
    assert findings(submission) == [
        "ignored CMakeLists.txt: not one of the files to hand in",
        "ignored m1-task/helper.c: not one of the files to hand in",
        "ignored m2-scheduler/given.h: differs from the kit's own, which is used",
    ]


def test_the_kit_itself_has_nothing_to_tell(kit: Kit) -> None:
    assert findings(take(kit, kit.milestones)) == []
    assert findings(take(kit, kit.root, "tree2")) == []


@pytest.mark.parametrize("below", ["", "my-lab/", "a/b/"])
def test_files_without_their_folders(kit: Kit, tmp_path: Path, below: str) -> None:
    files = {f"{below}{m.source}": m.id for m in MILESTONES}
    submission = take(kit, hand_in(tmp_path / "in", files))
    assert [taken(submission, path) for path in ALL] == [b"m1", b"m2", b"m3", b"m4", b"m5"]
    expected = f"taken {below}task.c: taken as m1-task/task.c: not in its folder"
    assert findings(submission)[0] == expected and len(findings(submission)) == 5


def test_a_file_in_the_wrong_folder(kit: Kit, tmp_path: Path) -> None:
    files = {"lab/m2-scheduler/scheduler.c": "m2", "lab/m2-scheduler/task.c": "m1"}
    submission = take(kit, hand_in(tmp_path / "in", files))
    assert (taken(submission), taken(submission, "m2-scheduler/scheduler.c")) == (b"m1", b"m2")
    expected = "taken lab/m2-scheduler/task.c: taken as m1-task/task.c: not in its folder"
    assert findings(submission)[0] == expected


@pytest.mark.parametrize("below", ["", "milestones/"])
def test_another_milestones_folder_is_no_place_to_look(
    kit: Kit, tmp_path: Path, below: str
) -> None:
    """The reference beside the student's folder is not the student's work."""
    files = {f"{below}m2-scheduler/scheduler.c": "m2", f"solutions/{M1}": "the reference"}
    submission = take(kit, hand_in(tmp_path / "in", files))
    assert taken(submission) == STUB
    assert f"ignored solutions/{M1}: not one of the files to hand in" in findings(submission)


@pytest.mark.parametrize("name", ["M1-Task/Task.C", "L/MILESTONES/M1-TASK/task.c"])
def test_other_upper_and_lower_case(kit: Kit, tmp_path: Path, name: str) -> None:
    submission = take(kit, hand_in(tmp_path / "in", {name: "m1"}))
    assert taken(submission) == b"m1"
    expected = f"taken {name}: taken as m1-task/task.c: other upper and lower case"
    assert of_m1(submission) == [expected]


def test_only_ascii_letters_have_another_case(kit: Kit, tmp_path: Path) -> None:
    files = {"m1-tas\u212a/tas\u212a.c": "Kelvin", "m3-sleep/timers.c": ""}
    source = hand_in(tmp_path / "in", files)
    assert taken(take(kit, source)) == STUB


def test_two_that_differ_are_refused(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {M1: "one", "M1-Task/Task.c": "another"})
    submission = take(kit, source)
    assert taken(submission) == STUB
    assert of_m1(submission) == [
        "refused m1-task/task.c: there are 2, which differ, and none is the right one: "
        "M1-Task/Task.c, m1-task/task.c: graded as the stub"
    ]


def test_two_that_are_the_same_are_taken(kit: Kit, tmp_path: Path) -> None:
    submission = take(kit, hand_in(tmp_path / "in", {M1: "m1", "M1-Task/task.c": "m1"}))
    assert taken(submission) == b"m1"
    assert of_m1(submission) == [f"taken {M1}: taken as {M1}: there 2 times, all the same"]


def test_two_labs_that_differ_are_refused_as_a_whole(kit: Kit, tmp_path: Path) -> None:
    source = hand_in(tmp_path / "in", {f"lab/{M1}": "one", f"lab-old/{M1}": "another"})
    expected = "the lab's files are in lab/ and in lab-old/, and differ: hand in one"
    assert refusal(kit, source) == expected
    (source / "lab-old" / M1).write_text("one", encoding="utf-8")
    assert taken(take(kit, source)) == b"one"


@pytest.mark.parametrize(
    "given, text, note",
    [
        (b"a\r\nb\r\n", b"a\nb\n", "line ends CRLF made LF"),
        (b"a\rb\r", b"a\nb\n", "line ends CR made LF"),
        (b"a\n\rb\n", b"a\n\rb\n", ""),
        (b"\xef\xbb\xbfa\n", b"a\n", "byte order mark removed"),
        (b"\xef\xbb\xbfa\r\n", b"a\n", "byte order mark removed; line ends CRLF made LF"),
        (
            "\ufeff\u00e4\r\n".encode("utf-16-le"),
            b"\xc3\xa4\n",
            "UTF-16 made UTF-8; line ends CRLF made LF",
        ),
        ("\ufeff\u00e4\n".encode("utf-16-be"), b"\xc3\xa4\n", "UTF-16 made UTF-8"),
        ("\ufeff\u00e4\n".encode("utf-32-le"), b"\xc3\xa4\n", "UTF-32 made UTF-8"),
        (b"/* \xe4 */\n", b"/* \xe4 */\n", ""),  # Latin-1
    ],
)
def test_text_as_editors_elsewhere_write_it(
    kit: Kit, tmp_path: Path, given: bytes, text: bytes, note: str
) -> None:
    source = hand_in(tmp_path / "in", {M1: ""})
    (source / M1).write_bytes(given)
    submission = take(kit, source)
    assert taken(submission) == text
    assert of_m1(submission) == ([f"taken {M1}: taken as {M1}: {note}"] if note else [])


@pytest.mark.parametrize("rest", [b"a", b"\x00\xd8a\x00"])
def test_what_only_begins_as_utf_16(kit: Kit, tmp_path: Path, rest: bytes) -> None:
    source = hand_in(tmp_path / "in", {M1: ""})
    (source / M1).write_bytes(codecs.BOM_UTF16_LE + rest)
    submission = take(kit, source)
    assert taken(submission) == STUB
    expected = f"refused {M1}: it begins as UTF-16 or UTF-32, and is not ("
    assert of_m1(submission)[0].startswith(expected)


def test_many_ignored_files_are_counted(kit: Kit, tmp_path: Path) -> None:
    files = {f"junk/{number:03}.o": "x" for number in range(60)}
    source = hand_in(tmp_path / "in", {M1: "m1", **files})
    ignored = [f for f in findings(take(kit, source)) if "ignored" in f]
    assert len(ignored) == 51 and ignored[-1] == "ignored .: and 10 more files"


@pytest.mark.parametrize(
    "files, hint",
    [
        ({}, ""),
        ({"a/b/c/task.c": ""}, ", or too deep in folders (a/b/c/task.c)"),
        ({"a/old.zip": "", "b": ""}, ", and archives in it are not opened (a/old.zip)"),
    ],
)
def test_nothing_to_grade(kit: Kit, tmp_path: Path, files: "dict[str, str]", hint: str) -> None:
    (tmp_path / "in").mkdir()
    said = refusal(kit, hand_in(tmp_path / "in", files))
    assert said.startswith(f"none of the lab's files is in it{hint}: m1-task/task.c, m2-scheduler/")
    assert refusal(kit, tmp_path / "x") == f"there is no {tmp_path}/x"


def test_words_of_strangers_are_safe_to_print() -> None:
    assert printable("a\x1b[31m\r\n\x9b\u202e\ud800\udcff\u200bä") == (
        "a\\x1b[31m\\r\\n\\x9b\\u202e\\ud800\\xff\\u200bä"
    )
    assert printable("x" * 1000, 20) == "xxxxxxx ... xxxxxxx"
    assert len(printable("\u202e" * 1000, 100)) <= 100
