"""Archives of submissions: taken apart safely, or refused with a reason."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from grader import archive
from grader.archive import SubmissionError, extract
from grader.kit import Kit
from grader.submission import take_submission


def make_zip(path: Path, *names: str, content: bytes = b"m1") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name in names:
            opened.writestr(name, content)
    return path


def make_tar(path: Path, *entries: tarfile.TarInfo, mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as opened:
        for entry in entries:
            entry.size = 2 if entry.isreg() else 0
            opened.addfile(entry, io.BytesIO(b"m1"))
    return path


def tar_entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, link
    return entry


def complaint(path: Path) -> str:
    with pytest.raises(SubmissionError) as raised:
        extract(path, path.parent / "out")
    return str(raised.value)


def test_zip_and_tar_are_graded_alike(kit: Kit, tmp_path: Path) -> None:
    name = "lab/m1-task/task.c"
    for path in (
        make_zip(tmp_path / "a.zip", name),
        make_tar(tmp_path / "a.tar.gz", tar_entry(name)),
        make_tar(tmp_path / "a.tar.xz", tar_entry(name), mode="w:xz"),
    ):
        submission = take_submission(kit, path, tmp_path / f"tree-{path.suffix}")
        assert (submission.tree / "m1-task/task.c").read_text(encoding="ascii") == "m1"
        assert submission.name == path.name


@pytest.mark.parametrize("name", ["../out.c", "/etc/out.c", "a/../../out.c", "..\\out.c"])
def test_names_that_lead_out(tmp_path: Path, name: str) -> None:
    assert "leads out of the archive" in complaint(make_zip(tmp_path / "a.zip", name))
    assert "leads out of the archive" in complaint(make_tar(tmp_path / "a.tar", tar_entry(name)))
    assert not list(tmp_path.rglob("out.c"))


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    entries = (
        tar_entry("soft", tarfile.SYMTYPE, "/etc/passwd"),
        tar_entry("hard", tarfile.LNKTYPE, "/etc/passwd"),
        tar_entry("fifo", tarfile.FIFOTYPE),
        tar_entry("device", tarfile.CHRTYPE),
        tar_entry("file.c"),
    )
    extract(make_tar(tmp_path / "a.tar", *entries), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["file.c"]


def test_a_link_in_a_zip_is_left_out(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("m1-task")
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as opened:
        opened.writestr(entry, "/etc")
        opened.writestr("file.c", "x")
    extract(tmp_path / "a.zip", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["file.c"]


def test_a_link_cannot_be_written_through(tmp_path: Path) -> None:
    """A link first, then a file below it: the file lands inside, the link never exists."""
    outside = tmp_path / "outside"
    outside.mkdir()
    entries = (tar_entry("a", tarfile.SYMTYPE, str(outside)), tar_entry("a/file.c"))
    extract(make_tar(tmp_path / "a.tar", *entries), tmp_path / "out")
    assert (tmp_path / "out/a/file.c").is_file() and not list(outside.iterdir())


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "TOTAL_LIMIT", 1000)
    big = make_zip(tmp_path / "a.zip", "big", content=b"\0" * 100_000)
    assert complaint(big) == "a.zip: more than 1000 bytes unpacked"
    monkeypatch.setattr(archive, "ENTRY_LIMIT", 3)
    many = make_zip(tmp_path / "b.zip", *(f"{number}.c" for number in range(5)))
    assert complaint(many) == "b.zip: more than 3 entries"


def test_damaged_archives(tmp_path: Path) -> None:
    whole = make_zip(tmp_path / "a.zip", "a.c", content=bytes(range(256)) * 40).read_bytes()
    broken = tmp_path / "broken.zip"
    broken.write_bytes(whole[:60] + b"\xff" * 20 + whole[80:])
    assert complaint(broken).startswith("broken.zip is damaged: ")
    whole = make_tar(tmp_path / "a.tar.gz", tar_entry("a.c")).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    assert "cut.tar.gz is damaged: " in complaint(tmp_path / "cut.tar.gz")
