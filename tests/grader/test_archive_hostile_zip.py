"""Zips that mean no good: about names, sizes, and where their files begin."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from grader.kit import Kit
from grader.submissions import intake, zip_file
from handing_in import M1, STUB, make_zip, of_m1, refusal, take, taken


def test_links_and_devices_in_a_zip(kit: Kit, tmp_path: Path) -> None:
    for number, mode in enumerate((0o120777, 0o010666, 0o020666)):
        entry = zipfile.ZipInfo(M1)
        entry.external_attr = mode << 16
        with zipfile.ZipFile(tmp_path / f"{number}.zip", "w") as opened:
            opened.writestr(entry, "/etc/passwd")
        submission = take(kit, tmp_path / f"{number}.zip", f"tree{number}")
        why = "a link, which is not followed in an archive" if number == 0 else "not a file"
        assert of_m1(submission) == [f"refused {M1}: {why}: graded as the stub"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice(kit: Kit, tmp_path: Path) -> None:
    source = make_zip(tmp_path / "a.zip", M1, M1)
    expected = f"taken {M1}: taken as {M1}: there 2 times, all the same"
    assert of_m1(take(kit, source)) == [expected]
    with zipfile.ZipFile(source, "a") as opened:
        opened.writestr(M1, "m1, but other")
    submission = take(kit, source, "tree2")
    assert taken(submission) == STUB
    assert of_m1(submission)[0].startswith(f"refused {M1}: there are 3, which differ, and none is")
    with zipfile.ZipFile(tmp_path / "case.zip", "w") as opened:
        opened.writestr(M1, "one")
        opened.writestr("m1-task/Task.c", "another")
    assert taken(take(kit, tmp_path / "case.zip", "tree3")) == STUB


def test_a_large_file_in_a_zip(kit: Kit, tmp_path: Path) -> None:
    source = make_zip(tmp_path / "a.zip", M1, "junk", content=b"\0" * 1_048_577)
    expected = "1048577 bytes, more than 1048576"
    submission = take(kit, source)
    refused = f"refused {M1}: {expected}: graded as the stub"
    assert of_m1(submission) == [refused, f"ignored junk: {expected}"]


def patched(path: Path, old: bytes, new: bytes, count: int) -> Path:
    content = path.read_bytes()
    assert content.count(old) == count
    path.write_bytes(content.replace(old, new))
    return path


@pytest.mark.parametrize("declared", [10, 5000])
def test_a_zip_that_lies_about_a_size(kit: Kit, tmp_path: Path, declared: int) -> None:
    source = make_zip(tmp_path / "a.zip", M1, content=b"x" * 1234)
    patched(source, struct.pack("<L", 1234), struct.pack("<L", declared), 2)
    assert refusal(kit, source).startswith("a.zip is damaged: ")


def test_a_zip_whose_files_overlap(kit: Kit, tmp_path: Path) -> None:
    """The list names one file's bytes as those of two."""
    source = make_zip(tmp_path / "a.zip", "a1.c", "a2.c", content="x" * 100)
    content = source.read_bytes()
    second = content.rindex(b"PK\x01\x02")
    content = content[: second + 42] + struct.pack("<L", 0) + content[second + 46 :]
    source.write_bytes(content)
    assert refusal(kit, source) == "a.zip is damaged: its files overlap"


def test_a_zip_that_claims_a_packed_size(kit: Kit, tmp_path: Path) -> None:
    source = make_zip(tmp_path / "a.zip", M1, content=b"x" * 1234)
    size = zipfile.ZipFile(source).getinfo(M1).compress_size
    patched(source, struct.pack("<LL", size, 1234), struct.pack("<LL", 2**32 - 2, 1234), 2)
    assert refusal(kit, source) == "a.zip is damaged: its files overlap"


def test_a_zip_with_a_long_list(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make_zip(tmp_path / "a.zip", M1, *(f"{number}.c" for number in range(2000)))
    monkeypatch.setattr(zip_file, "_READ_LIMIT", 100_000)
    assert refusal(kit, source).startswith("a.zip has a list of names of 1")
    monkeypatch.undo()
    monkeypatch.setattr(intake, "ENTRY_LIMIT", 1000)
    assert refusal(kit, source) == "a.zip has more than 1000 files and folders"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_unpack_without_bounds(kit: Kit, tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as opened:
        opened.writestr(M1, "m1")
    expected = f"refused {M1}: packed by method {method}: use Deflate: graded as the stub"
    assert of_m1(take(kit, tmp_path / "a.zip")) == [expected]


def test_an_encrypted_zip(kit: Kit, tmp_path: Path) -> None:
    source = make_zip(tmp_path / "a.zip", M1)
    content = bytearray(source.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    source.write_bytes(content)
    assert refusal(kit, source) == "a.zip is encrypted: hand it in without a password"


def test_a_zero_in_a_name(kit: Kit, tmp_path: Path) -> None:
    source = make_zip(tmp_path / "a.zip", f"{M1}Xx.txt")
    patched(source, b"task.cX", b"task.c\0", 2)
    assert "has a name that leads out of it: m1-task/task.c\\x00x.txt" in refusal(kit, source)


@pytest.mark.parametrize(
    "name, why",
    [
        ("d/" * 41 + "x", "a.zip has more than 40 folders in one another"),
        ("d/" * 30_000, "a.zip has a name of 60000 characters: "),
    ],
)
def test_names_without_end(kit: Kit, tmp_path: Path, name: str, why: str) -> None:
    assert refusal(kit, make_zip(tmp_path / "a.zip", name)).startswith(why)
