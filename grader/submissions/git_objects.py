"""Reads the files of a commit. git runs, but in a fresh repository of ours, never in theirs.

A repository's configuration, hooks, attributes and alternates can make git run programs and read
elsewhere, and no option turns all of that off. So only its objects are taken, which are data, and
nothing is checked out.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Iterator, List, NamedTuple, Union

from grader.exit_codes import KitFailed
from grader.submissions.folder import NotReadable, Parts, below, list_folder, opened_folder
from grader.submissions.git_head import head_of_bundle, head_of_repository
from grader.submissions.intake import Entry, Intake, is_of_tools
from grader.submissions.program_output import ProgramFailed, ProgramOutput

REPOSITORY_LIMIT = 256 * 1024 * 1024  # bytes of all objects, packed
_OBJECT_FILES_LIMIT = 100_000
_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}")
_LOOSE = re.compile(r"[0-9a-f]{38}(?:[0-9a-f]{24})?")
_PACK = re.compile(r"pack-[0-9a-f]{40,64}\.(?:pack|idx)")
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def repository_entries(repository: Path, intake: Intake) -> Iterator[Entry]:
    with opened_folder(repository) as root:
        commit = head_of_repository(root, intake)
        with _fresh_repository(intake, commit) as ours:
            _ObjectCopy(root, ours.folder, intake).run()
            yield from ours.entries(commit)


def bundle_entries(file: IO[bytes], intake: Intake) -> Iterator[Entry]:
    commit = head_of_bundle(file, intake)
    with _fresh_repository(intake, commit) as ours:
        os.lseek(file.fileno(), file.tell(), os.SEEK_SET)  # git reads on where the header ends
        limit = f"--max-input-size={REPOSITORY_LIMIT}"
        with ours.git("index-pack", "--stdin", "--threads=1", limit, stdin=file) as output:
            output.drain()
        yield from ours.entries(commit)


@contextlib.contextmanager
def _fresh_repository(intake: Intake, commit: str) -> Iterator["_Repository"]:
    program = shutil.which("git")
    if program is None:
        raise KitFailed(f"{intake.name} is a git repository: install the package git to read it")
    with tempfile.TemporaryDirectory(prefix="lab-git-") as folder:
        ours = _Repository(program, Path(folder), intake)
        kind = f"--object-format={'sha1' if len(commit) == 40 else 'sha256'}"
        try:
            with ours.git("init", "--quiet", "--bare", "--template=", kind) as output:
                output.drain()
            yield ours
        except ProgramFailed as error:
            why = f"cannot be read: its last commit is damaged, or not all there ({error})"
            raise intake.error(why) from error


class _Listed(NamedTuple):
    mode: int
    object: str
    size: int
    path: str


class _Repository:
    """Ours: bare, without configuration of anybody's, hooks or remotes."""

    def __init__(self, program: str, folder: Path, intake: Intake) -> None:
        self._program = program
        self.folder = folder
        self._intake = intake

    def git(
        self, *arguments: str, stdin: Union[int, IO[bytes]] = subprocess.DEVNULL
    ) -> ProgramOutput:
        streamed = "core.bigFileThreshold=1m"  # larger objects do not go through memory
        command = [self._program, "-c", streamed, "-c", "init.defaultBranch=main", *arguments]
        environment = {
            "PATH": os.defpath,
            "LC_ALL": "C",
            "HOME": str(self.folder),
            "GIT_DIR": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_ALLOW_PROTOCOL": "",  # none: nothing is fetched
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        return ProgramOutput(command, self._intake, environment, stdin, self.folder)

    def entries(self, commit: str) -> Iterator[Entry]:
        wanted: List[_Listed] = []
        for listed in self._list(commit):
            trouble = _trouble(listed) or self._intake.admit(listed.path, listed.size)
            if trouble:
                yield Entry(listed.path, trouble=trouble)
            else:
                wanted.append(listed)
        yield from self._contents(wanted)

    def _list(self, commit: str) -> Iterator[_Listed]:
        with self.git("ls-tree", "-r", "-z", "--long", "--full-tree", commit) as output:
            rest = b""
            while data := output.read():
                *lines, rest = (rest + data).split(b"\0")
                for line in lines:
                    about, _, name = line.partition(b"\t")
                    mode, _, identity, size = about.decode("ascii").split()
                    bytes_ = int(size) if size.isdigit() else 0  # "-": of a submodule
                    path = self._intake.path_inside(os.fsdecode(name))
                    if not is_of_tools(path):
                        self._intake.count_entry()
                        yield _Listed(int(mode, 8), identity, bytes_, path)
                if len(rest) > 65536:
                    raise self._intake.error("has a name of more than 65536 bytes")
            output.finish()

    def _contents(self, wanted: List[_Listed]) -> Iterator[Entry]:
        with tempfile.TemporaryFile(prefix="lab-objects-") as names:
            names.writelines(f"{listed.object}\n".encode("ascii") for listed in wanted)
            names.seek(0)
            with self.git("cat-file", "--batch", stdin=names) as output:
                reader = _Batch(output)
                for listed in wanted:
                    yield Entry(listed.path, reader.content(listed))
                output.finish()


def _trouble(listed: _Listed) -> str:
    if stat.S_ISLNK(listed.mode):
        return "a link, which is not followed in a repository"
    return "" if stat.S_ISREG(listed.mode) else "a submodule, which is not looked at"


class _Batch:
    """What `git cat-file --batch` prints: a line about each object, its bytes, a line end."""

    def __init__(self, output: ProgramOutput) -> None:
        self._output = output
        self._buffer = b""

    def content(self, listed: _Listed) -> bytes:
        while b"\n" not in self._buffer:
            self._read()
        line, _, self._buffer = self._buffer.partition(b"\n")
        if line != f"{listed.object} blob {listed.size}".encode("ascii"):
            raise ProgramFailed(f"git: {line[:200].decode('ascii', 'replace')}")
        while len(self._buffer) < listed.size + 1:
            self._read()
        content, self._buffer = self._buffer[: listed.size], self._buffer[listed.size + 1 :]
        return content

    def _read(self) -> None:
        data = self._output.read()
        if not data:
            self._output.finish()
            raise ProgramFailed("git: an object is missing")
        self._buffer += data


class _ObjectCopy:
    """Copies plain files that are named as objects and packs are: no alternates, nothing linked."""

    def __init__(self, root: int, target: Path, intake: Intake) -> None:
        self._root = root
        self._target = target
        self._intake = intake
        self._files = 0
        self._bytes = 0

    def run(self) -> None:
        for name in self._names(("objects",)):
            pattern = _PACK if name == "pack" else _LOOSE
            if name == "pack" or _LOOSE_FOLDER.fullmatch(name):
                for inner in self._names(("objects", name)):
                    if pattern.fullmatch(inner):
                        self._copy(("objects", name, inner))

    def _names(self, parts: Parts) -> List[str]:
        try:
            return list_folder(self._root, parts)
        except NotReadable as error:
            raise self._intake.error(f"cannot be read: {'/'.join(parts)}: {error}") from error

    def _copy(self, parts: Parts) -> None:
        target = self._target.joinpath(*parts)
        target.parent.mkdir(exist_ok=True)
        self._files += 1
        try:
            with below(self._root, parts, _FILE) as descriptor, target.open("wb") as copy:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    return
                while data := os.read(descriptor, 1024 * 1024):
                    self._count(len(data))
                    copy.write(data)
        except OSError as error:
            why = f"cannot be read: {'/'.join(parts)}: {error.strerror}"
            raise self._intake.error(why) from error

    def _count(self, size: int) -> None:
        self._intake.check_time()
        self._bytes += size
        if self._bytes > REPOSITORY_LIMIT or self._files > _OBJECT_FILES_LIMIT:
            raise self._intake.error(f"has more than {REPOSITORY_LIMIT} bytes of history")
