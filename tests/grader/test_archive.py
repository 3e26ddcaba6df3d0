"""Archives of submissions, in every form and packing, as honest people make them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Callable, Dict, cast

import pytest

from grader.exit_codes import KitFailed
from grader.kit import Kit
from grader.submissions import decompress
from grader.submissions.take import take_submission
from handing_in import (
    ALL,
    M1,
    findings,
    hand_in,
    make_tar,
    make_zip,
    of_m1,
    refusal,
    take,
    taken,
    tar_entry,
)

MODULES = cast(Dict[str, object], sys.modules)  # with None for one, it cannot be imported
needs_zstd = pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the program zstd")


def zstd(content: bytes) -> bytes:
    command = ["zstd", "-q", "-c"]
    return subprocess.run(command, input=content, stdout=subprocess.PIPE, check=True).stdout


PACKERS: Dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}
EVERY_PACKING = ["gz", "bz2", "xz", pytest.param("zst", marks=needs_zstd)]


def tar_bytes(tmp_path: Path, content: bytes = b"m1") -> bytes:
    path = make_tar(tmp_path / "made.tar", tar_entry(f"lab/{M1}"), mode="w", content=content)
    made = path.read_bytes()
    path.unlink()
    return made


@pytest.fixture(params=["module", "program"])
def each_zstd(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to unpack Zstandard."""
    if request.param == "module":
        pytest.importorskip("zstandard")
    else:
        monkeypatch.setitem(MODULES, "zstandard", None)


@pytest.mark.parametrize("form", ["folder", "zip", "tar", "plain old tar"])
def test_every_form_is_taken_alike(kit: Kit, tmp_path: Path, form: str) -> None:
    source = hand_in(tmp_path / "in", {f"lab/{path}": text for path, text in ALL.items()})
    if form == "zip":
        source = Path(shutil.make_archive(str(tmp_path / "a"), "zip", source))
    elif form == "tar":
        source = Path(shutil.make_archive(str(tmp_path / "a"), "tar", source))
    elif form == "plain old tar":
        tar = tar_bytes(tmp_path).replace(b"ustar\x0000", b"\0" * 8)
        head = bytearray(tar[:512])
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
        source = tmp_path / "old.tar"
        source.write_bytes(bytes(head) + tar[512:])
    submission = take(kit, source)
    assert (submission.name, taken(submission)) == (source.name, b"m1")
    assert of_m1(submission) == []


@pytest.mark.parametrize("packing", EVERY_PACKING)
def test_packed_tars(kit: Kit, tmp_path: Path, packing: str) -> None:
    """The name says nothing. Several packed streams may follow one another, and zeros the last."""
    tar = tar_bytes(tmp_path, content=bytes(range(256)) * 1000)
    pack = PACKERS[packing]
    source = tmp_path / "submission"
    source.write_bytes(pack(tar))
    assert taken(take(kit, source)) == bytes(range(256)) * 1000
    source.write_bytes(pack(tar[:700]) + pack(tar[700:]))
    assert taken(take(kit, source, "tree2")) == bytes(range(256)) * 1000
    if packing in ("gz", "xz"):
        source.write_bytes(pack(tar) + b"\0" * 1024)
        assert taken(take(kit, source, "tree3")) == bytes(range(256)) * 1000


@needs_zstd
@pytest.mark.usefixtures("each_zstd")
def test_zstandard(kit: Kit, tmp_path: Path) -> None:
    source = tmp_path / "a.tar.zst"
    source.write_bytes(zstd(tar_bytes(tmp_path, content=b"m1 " * 100_000)))
    assert taken(take(kit, source)) == b"m1 " * 100_000
    source.write_bytes(zstd(tar_bytes(tmp_path))[:-20])
    assert refusal(kit, source).startswith("a.tar.zst is damaged: ")
    source.write_bytes(zstd(b"int main(void);" * 100))
    assert refusal(kit, source) == "a.tar.zst is packed, but what is in it is no tar"


@needs_zstd
@pytest.mark.usefixtures("each_zstd")
def test_a_zstandard_bomb(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompress, "STREAM_LIMIT", 1_000_000)
    source = tmp_path / "a.tar.zst"
    source.write_bytes(zstd(tar_bytes(tmp_path, content=b"\0" * 10_000_000)))
    assert refusal(kit, source) == "a.tar.zst unpacks to more than 1000000 bytes"


@needs_zstd
@pytest.mark.usefixtures("each_zstd")
def test_zstandard_that_demands_memory(kit: Kit, tmp_path: Path) -> None:
    source = tmp_path / "a.tar.zst"
    # A frame that says that its window has 2 GiB.
    source.write_bytes(b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\x00\x00")
    said = refusal(kit, source)
    assert said.startswith("a.tar.zst is damaged: ") and "memory" in said


def test_no_zstandard(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's fault, and not the submission's."""
    (tmp_path / "a.tar.zst").write_bytes(b"\x28\xb5\x2f\xfd" + b"\0" * 600)
    monkeypatch.setitem(MODULES, "zstandard", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KitFailed, match="to read it, install python3-zstandard or zstd"):
        take_submission(kit, tmp_path / "a.tar.zst", tmp_path / "tree")


def test_a_zip_made_on_macos(kit: Kit, tmp_path: Path) -> None:
    names = [M1, "__MACOSX/m1-task/._task.c", "m1-task/._task.c", ".DS_Store", "m1-task/.DS_Store"]
    submission = take(kit, make_zip(tmp_path / "a.zip", *names))
    assert (taken(submission), of_m1(submission)) == (b"m1", [])


def test_a_zip_made_on_windows(kit: Kit, tmp_path: Path) -> None:
    source = make_zip(tmp_path / "a.zip", "Lab\\", "Lab\\m1-task\\task.c", content="m1\r\n")
    submission = take(kit, source)
    assert taken(submission) == b"m1\n"
    expected = f"taken Lab/{M1}: taken as {M1}: line ends CRLF made LF"
    assert of_m1(submission) == [expected]


def test_one_file_alone_in_an_archive(kit: Kit, tmp_path: Path) -> None:
    expected = f"taken task.c: taken as {M1}: not in its folder"
    submission = take(kit, make_zip(tmp_path / "a.zip", "task.c"))
    assert (taken(submission), of_m1(submission)) == (b"m1", [expected])
    submission = take(kit, make_tar(tmp_path / "a.tar", tar_entry("./task.c")), "tree2")
    assert (taken(submission), of_m1(submission)) == (b"m1", [expected])


@pytest.mark.parametrize("litter", ["", ".DS_Store", "__MACOSX/x"])
def test_an_archive_alone_in_a_folder(kit: Kit, tmp_path: Path, litter: str) -> None:
    source = hand_in(tmp_path / "in", {litter: ""} if litter else {})
    source.mkdir(exist_ok=True)
    make_zip(source / "a.zip", M1)
    assert taken(take(kit, source)) == b"m1"


def test_an_archive_that_is_a_link_in_a_folder(kit: Kit, tmp_path: Path) -> None:
    """What is another's is not opened."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.zip").symlink_to(make_zip(tmp_path / "others.zip", M1))
    expected = "none of the lab's files is in it, and archives in it are not opened (a.zip): "
    assert refusal(kit, tmp_path / "in").startswith(expected)


def test_an_archive_in_an_archive_is_not_opened(kit: Kit, tmp_path: Path) -> None:
    inner = make_zip(tmp_path / "inner.zip", M1)
    outer = make_zip(tmp_path / "outer.zip", "inner.zip", content=inner.read_bytes())
    expected = "none of the lab's files is in it, and archives in it are not opened (inner.zip): "
    assert refusal(kit, outer).startswith(expected)


@pytest.mark.parametrize(
    "content, why",
    [
        (b"", "is empty: 0 bytes"),
        (b"int main(void) { return 0; }\n", "is neither a folder nor a zip or tar archive, nor"),
        (b"7z\xbc\xaf\x27\x1c" + b"x" * 99, "is a 7-Zip archive, which is not read here"),
        (b"Rar!\x1a\x07\x01", "is a RAR archive, which is not read here"),
        (gzip.compress(b"int task;\n", mtime=0), "is packed, but what is in it is no tar"),
        (gzip.compress(b"", mtime=0), "is damaged: nothing comes out of it"),
    ],
)
def test_what_is_no_archive(kit: Kit, tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "a").write_bytes(content)
    assert refusal(kit, tmp_path / "a").startswith(f"a {why}")


def test_empty_archives(kit: Kit, tmp_path: Path) -> None:
    for path in (
        make_zip(tmp_path / "a.zip"),
        make_tar(tmp_path / "a.tar", mode="w"),
        make_tar(tmp_path / "a.tar.gz"),
    ):
        assert refusal(kit, path).startswith("none of the lab's files is in it: m1-task/task.c, ")


def test_no_header_is_taken(kit: Kit, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as opened:
        opened.writestr(M1, "m1")
        opened.writestr("m1-task/given.h", "/* changed */")
    submission = take(kit, tmp_path / "a.zip")
    assert not list(submission.tree.rglob("*.h"))
    expected = "ignored m1-task/given.h: differs from the kit's own, which is used"
    assert findings(submission)[-1] == expected


def test_long_and_foreign_names_in_a_tar(kit: Kit, tmp_path: Path) -> None:
    entries = [tar_entry(M1), tar_entry("x" * 300), tar_entry("\udcff\x1b[1m")]
    for number, style in enumerate((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)):
        path = tmp_path / f"{number}.tar"
        with tarfile.open(path, "w", format=style, errors="surrogateescape") as opened:
            for entry in entries:
                opened.addfile(entry)
        said = of_m1(take(kit, path, f"tree{number}"))
        assert said[0] == f"ignored {'x' * 97} ... {'x' * 97}: not one of the files to hand in"
        assert said[1].endswith("\\x1b[1m: not one of the files to hand in")
