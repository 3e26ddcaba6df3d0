"""Archives that mean no good, or have come to harm: a clear line, and nothing else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import warnings
from pathlib import Path
from typing import Callable, Dict, List

import pytest

from grader.kit import Kit
from grader.submissions import decompress, intake, open_source
from grader.submissions.printable import SubmissionError
from handing_in import (
    M1,
    STUB,
    findings,
    make_tar,
    make_zip,
    of_m1,
    refusal,
    take,
    taken,
    tar_entry,
)

OUT = ["../out.c", "/etc/out.c", "a/../../out.c", "..\\out.c", "C:\\out.c", "\\\\host\\out.c"]


@pytest.mark.parametrize("name", OUT)
def test_names_that_lead_out(kit: Kit, tmp_path: Path, name: str) -> None:
    expected = "has a name that leads out of it: "
    assert expected in refusal(kit, make_zip(tmp_path / "a.zip", M1, name))
    assert expected in refusal(kit, make_tar(tmp_path / "a.tar", tar_entry(name)))
    assert not list(tmp_path.rglob("out.c"))


def test_links_and_devices_are_not_taken(kit: Kit, tmp_path: Path) -> None:
    kinds = [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE]
    for number, kind in enumerate(kinds):
        entries = (tar_entry(M1, kind, "/etc/passwd"), tar_entry("file", kind, M1))
        path = make_tar(tmp_path / f"{number}.tar", *entries)
        submission = take(kit, path, f"tree{number}")
        is_link = kind in (tarfile.SYMTYPE, tarfile.LNKTYPE)
        why = "a link, which is not followed in an archive" if is_link else "not a file"
        assert taken(submission) == STUB
        refused = f"refused {M1}: {why}: graded as the stub"
        assert of_m1(submission) == [refused, f"ignored file: {why}"]


def test_a_link_cannot_be_written_through(kit: Kit, tmp_path: Path) -> None:
    """A link first, then a file below it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tar_entry("m1-task", tarfile.SYMTYPE, str(outside))
    submission = take(kit, make_tar(tmp_path / "a.tar", link, tar_entry(M1)))
    assert taken(submission) == b"m1" and not list(outside.iterdir())


def test_a_folder_named_as_a_file(kit: Kit, tmp_path: Path) -> None:
    expected = f"refused {M1}: a folder, not a file: graded as the stub"
    for number, names in enumerate(([f"{M1}/"], [f"{M1}/x"], [f"{M1}/", f"{M1}/x"])):
        source = make_zip(tmp_path / f"{number}.zip", *names)
        assert of_m1(take(kit, source, f"tree{number}"))[0] == expected
    folder = tar_entry(M1, tarfile.DIRTYPE)
    assert of_m1(take(kit, make_tar(tmp_path / "a.tar", folder), "t")) == [expected]


def test_too_much_comes_out(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompress, "STREAM_LIMIT", 1_000_000)
    tar = make_tar(tmp_path / "a.tar", tar_entry("x"), mode="w", content=b"\0" * 30_000_000)
    packers: Dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
    }
    for name, pack in packers.items():
        packed = tmp_path / f"a.{name}"
        packed.write_bytes(pack(tar.read_bytes()))
        assert packed.stat().st_size < 50_000
        assert refusal(kit, packed) == f"a.{name} unpacks to more than 1000000 bytes"


def test_a_cut_archive(kit: Kit, tmp_path: Path) -> None:
    """Cut anywhere: it is refused, and never taken in part."""
    content = bytes(range(256)) * 20
    names = [f"{number}/{M1}" for number in range(3)]
    zipped = make_zip(tmp_path / "a.zip", *names, content=content).read_bytes()
    entries = [tar_entry(name) for name in names]
    tarred = make_tar(tmp_path / "a.tar", *entries, mode="w", content=content).read_bytes()
    tarred = tarred.rstrip(b"\0")  # without the zeros at its end, of which one block would do
    wholes = {"zip": zipped, "tar": tarred, "gz": gzip.compress(tarred)}
    for form, whole in wholes.items():
        for kept in (len(whole) // 10, len(whole) // 2, len(whole) - 9):
            (tmp_path / f"cut.{form}").write_bytes(whole[:kept])
            said = refusal(kit, tmp_path / f"cut.{form}")
            assert said.startswith(f"cut.{form} is "), said
    (tmp_path / "cut.tar").write_bytes(tarred[: 512 + len(content)])  # just between two files
    expected = "cut.tar is damaged: it ends too early, or goes on with what is no file"
    assert refusal(kit, tmp_path / "cut.tar") == expected


def make_tar_of_one(path: Path, name: str, content: bytes) -> Path:
    return make_tar(path, tar_entry(name), content=content)


@pytest.mark.parametrize("make", [make_zip, make_tar_of_one])
def test_a_flipped_bit(kit: Kit, tmp_path: Path, make: Callable[..., Path]) -> None:
    """No error of Python's gets through, wherever the bit is."""
    whole = make(tmp_path / "whole", M1, content=bytes(range(256))).read_bytes()
    ended: Dict[bool, int] = {True: 0, False: 0}
    for place in range(0, len(whole), max(1, len(whole) // 300)):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        (tmp_path / "a").write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            was_taken = is_taken(kit, tmp_path / "a")
        ended[was_taken] += 1
    assert ended[False] > 50


def is_taken(kit: Kit, source: Path) -> bool:
    try:
        take(kit, source)
    except SubmissionError:
        return False
    return True


def raw_tar(*headers: "tuple[bytes, int, bytes]") -> bytes:
    """Of kind, declared size, and what follows. The size goes beyond what tarfile would write."""
    made = b""
    for kind, size, content in headers:
        block = bytearray(tar_entry("x", kind).tobuf())
        sign = b"\xff" if size < 0 else b"\x80"
        block[124:136] = sign + (size % 2**88).to_bytes(11, "big")
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
        made += bytes(block) + content + b"\0" * (-len(content) % 512)
    return made


BIG = 2**33
TARS: List["tuple[bytes, str]"] = [
    (raw_tar((tarfile.GNUTYPE_LONGNAME, BIG, b"")), "is damaged: a header of 8589934592 bytes"),
    (raw_tar((tarfile.XHDTYPE, BIG, b"")), "is damaged: a header of 8589934592 bytes"),
    (raw_tar((tarfile.XGLTYPE, BIG, b"")), "is damaged: a header of 8589934592 bytes"),
    (raw_tar((tarfile.REGTYPE, -512, b"")), "is damaged: a header of -512 bytes"),
    (raw_tar((tarfile.REGTYPE, 2**80, b"")), "is damaged: "),
    (raw_tar((tarfile.XHDTYPE, 12, b"12 size=-99\n"), (tarfile.REGTYPE, 0, b"")), "is damaged: "),
    (raw_tar((tarfile.XHDTYPE, 9, b"0 path=x\n"), (tarfile.REGTYPE, 0, b"")), "is damaged: "),
    (raw_tar(*[(tarfile.XHDTYPE, 9, b"9 path=x\n")] * 3000), "is damaged: RecursionError"),
    (raw_tar(*[(tarfile.GNUTYPE_LONGNAME, 2, b"x\0")] * 3000), "is damaged: RecursionError"),
]


@pytest.mark.parametrize("content, why", TARS, ids=range(len(TARS)))
def test_headers_that_tarfile_would_believe(
    kit: Kit, tmp_path: Path, content: bytes, why: str
) -> None:
    (tmp_path / "a.tar").write_bytes(content + b"\0" * 1024)
    assert refusal(kit, tmp_path / "a.tar").startswith(f"a.tar {why}")


def test_a_sparse_file_of_a_gigabyte_in_a_tar(kit: Kit, tmp_path: Path) -> None:
    """It is one block of the tar, and would be a gigabyte."""
    block = bytearray(tar_entry(M1, tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"%011o\0%011o\0" % (0, 0)
    block[483:495] = b"%011o\0" % 1024**3
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    (tmp_path / "a.tar").write_bytes(bytes(block) + b"\0" * 1024)
    expected = f"refused {M1}: 1073741824 bytes, more than 1048576: graded as the stub"
    assert of_m1(take(kit, tmp_path / "a.tar")) == [expected]


def test_xz_that_demands_memory(kit: Kit, tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 512 * 1024 * 1024}]
    source = tmp_path / "a.tar.xz"
    source.write_bytes(bytes([0xFD, *b"7zXZ", 0]) + lzma.compress(b"x" * 1024, filters=filters)[6:])
    assert refusal(kit, source) == "a.tar.xz is damaged: Memory usage limit exceeded"


def test_many_files_in_a_tar(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "ENTRY_LIMIT", 100)
    source = make_tar(tmp_path / "a.tar.gz", *(tar_entry(f"{number}") for number in range(101)))
    assert refusal(kit, source) == "a.tar.gz has more than 100 files and folders"


def test_a_large_archive(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_source, "ARCHIVE_LIMIT", 100)
    source = make_zip(tmp_path / "a.zip", M1)
    assert refusal(kit, source).startswith("a.zip is too large: ")


def test_a_name_that_speaks_to_the_terminal(kit: Kit, tmp_path: Path) -> None:
    """In findings, in errors, and in the name of the submission itself."""
    with tarfile.open(tmp_path / "\x1b[2J.tar", "w") as opened:
        opened.addfile(tar_entry(M1), io.BytesIO())
        opened.addfile(tar_entry("\x1b]0;owned\x07\n"), io.BytesIO())
    submission = take(kit, tmp_path / "\x1b[2J.tar")
    assert submission.name == "\\x1b[2J.tar"
    expected = "ignored \\x1b]0;owned\\x07\\n: not one of the files to hand in"
    assert findings(submission)[-1] == expected
    source = make_zip(tmp_path / "b\x1b.zip", "../\x1b")
    assert refusal(kit, source) == "b\\x1b.zip has a name that leads out of it: ../\\x1b"
    assert refusal(kit, tmp_path / "\x1b").endswith("/\\x1b")
