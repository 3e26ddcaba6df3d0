"""The commands that pages show: each is run, or is on a list that says why not."""

from __future__ import annotations

import dataclasses
import re
import shlex
import shutil
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Set

from grader.handout.make import HandoutRequest, make_handout
from grader.kit import Kit
from grader.processes import Ended
from grader.selftest.command_list import EXPECTED, NOT_RUN, PLACES, TOGETHER, UNTIL, Expected
from grader.selftest.page_code import blocks, commands, debugging, pages
from grader.selftest.reader import Reader
from grader.selftest.small_kit import make_small_kit
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop
from grader.site.content import HOME, student_content

_NAMED_TESTS = re.compile(r"\./lab test((?: [mx]\d(?:\.\w[\w.]*)?)+)")
_OF_REAL_TESTS = re.compile(r"\b[mx]\d\.(?!CASE\b|e2e$|own$)\w|\bx\d\b")  # a test, or an optional lab
_SERVER = re.compile(r"echo-server --port 7000")
_CLIENT = re.compile(r"\b7000\b|pgrep -n echo-server")
GDB_FAILED = re.compile(
    r"^(?!\d+\t).*(?:No symbol|No such file|Undefined command|not defined|No frame|There is no).*$",
    re.MULTILINE,
)


@dataclasses.dataclass(frozen=True)
class Shown:
    page: str
    line: int
    text: str


def shown_commands(kit: Kit) -> List[Shown]:
    """Each once, where it is shown first."""
    found: Dict[str, Shown] = {}
    for page, path in pages(kit).items():
        for command in commands(path.read_text(encoding="utf-8")):
            found.setdefault(command.text, Shown(page, command.line, command.text))
    return list(found.values())


def unknown(shown: Sequence[Shown]) -> List[str]:
    """Commands of which something is said here, but that no page shows; parts that do not exist."""
    from grader.selftest.run import part_names  # here, for it names this part itself

    special = _not_run() | EXPECTED.keys() | UNTIL.keys()
    wrong = sorted(special - {one.text for one in shown})
    parts = [re.fullmatch(r"\./lab selftest (\w+)", one.text) for one in shown]
    return wrong + [part[0] for part in parts if part and part[1] not in part_names()]


def _not_run() -> Set[str]:
    return {command for commands_ in NOT_RUN.values() for command in commands_}


def check_commands(workshop: Workshop, tester: Tester) -> None:
    """Every command that a page shows is run here, or is on a list that says why not."""
    shown = shown_commands(workshop.kit)
    with tester.check("what is said of single commands is of commands that are shown"):
        require(not unknown(shown), "\n".join(unknown(shown)))
    to_run = [one for one in shown if one.text not in _not_run()]
    students = [one for one in to_run if _needs_finished_handout(workshop.kit, one)]
    others = [one for one in to_run if one not in students]
    finished, small = workshop.folder / "finished", workshop.folder / "small"
    what = f"a handout with the reference's files, for {len(students)} commands"
    if _made(tester, what, lambda: _make_finished_handout(workshop, finished)):
        reader = Reader(workshop, finished)
        Typing(tester, reader).all(students)
        _check_debugging(workshop, tester, reader)
    what = f"a kit with few tests, for {len(others)} commands"
    if _made(tester, what, lambda: _make_small_kit(workshop, small)):
        Typing(tester, Reader(workshop, small)).all(others)


def _made(tester: Tester, what: str, make: Callable[[], None]) -> bool:
    failed = tester.failed
    with tester.check(what):
        make()
    return tester.failed == failed


def _needs_finished_handout(kit: Kit, shown: Shown) -> bool:
    """./lab works in any copy of the kit, unless real tests are named."""
    in_handout = shown.page != HOME and shown.page in student_content(kit).files
    for_students = in_handout or shown.page.startswith("milestones/")
    is_lab = "./lab " in shown.text
    return bool(_OF_REAL_TESTS.search(shown.text)) or (for_students and not is_lab)


class Typing:
    """Runs commands, those of one kind together."""

    def __init__(self, tester: Tester, reader: Reader) -> None:
        self._tester = tester
        self._reader = reader
        self._servers: Dict[str, str] = {}  # the first one of a page

    def all(self, shown: Sequence[Shown]) -> None:
        for one in shown:
            if _SERVER.search(one.text):
                self._servers.setdefault(one.page, one.text)
        named = [one for one in shown if _is_plain_test(one)]
        if named:
            self._tests(named)
        for beginning in TOGETHER:
            alike = [one for one in shown if one.text.startswith(beginning)]
            if alike:
                self._together(beginning, alike)
        for one in shown:
            if one not in named and not one.text.startswith(TOGETHER):
                with self._tester.check(f"{one.page}:{one.line}: {one.text}"):
                    self._one(one)

    def _tests(self, named: Sequence[Shown]) -> None:
        tests = dict.fromkeys(name for one in named for name in one.text.split()[2:])
        with self._tester.check(f"{len(named)} times ./lab test NAME ...: {len(tests)} names"):
            _require_expected(self._reader.type(f"./lab test {' '.join(tests)}"), Expected())

    def _together(self, beginning: str, alike: Sequence[Shown]) -> None:
        groups = dict.fromkeys(group for one in alike for group in _options(one.text, beginning))
        with self._tester.check(f"{len(alike)} times {beginning}...: {', '.join(groups)}"):
            ended = self._reader.type(f"{beginning}{' '.join(groups)}")
            _require_expected(ended, Expected())

    def _one(self, shown: Shown) -> None:
        command, expected = shown.text, EXPECTED.get(shown.text, Expected())
        for place, real in PLACES.items():
            command = command.replace(place, real)
        said = UNTIL.get(shown.text, "")
        if _SERVER.search(command):
            ended = self._reader.type_beside(command, "nc -N 127.0.0.1 7000")
            expected = Expected(output="^hello$")
        elif _CLIENT.search(command):
            ended = self._reader.type_beside(self._servers[shown.page], command, said)
        elif said:
            ended = self._reader.interrupt(command, said)
        else:
            ended = self._reader.type(command)
        _require_expected(ended, expected)
        if command.startswith("gdb "):
            _require_gdb_understands(ended)


def _check_debugging(workshop: Workshop, tester: Tester, reader: Reader) -> None:
    for page, path in pages(workshop.kit).items():
        for session in debugging(path.read_text(encoding="utf-8")):
            with tester.check(f"{page}:{session.line}: {len(session.lines)} lines in gdb"):
                lines = " ".join(f"-ex {shlex.quote(line)}" for line in session.lines)
                ended = reader.type(f"gdb -batch {lines} --args {session.program}")
                _require_expected(ended, Expected())
                _require_gdb_understands(ended)


def _require_gdb_understands(ended: Ended) -> None:
    require(GDB_FAILED.search(ended.output) is None, f"gdb does not find something:\n{ended.output}")


def _is_plain_test(shown: Shown) -> bool:
    return shown.text not in EXPECTED and _NAMED_TESTS.fullmatch(shown.text) is not None


def _options(command: str, beginning: str) -> List[str]:
    """With their values."""
    found: List[str] = []
    for word in command[len(beginning) :].split():
        if word.startswith("--") or not found:
            found.append(word)
        else:
            found[-1] += f" {word}"
    return found


def _require_expected(ended: Ended, expected: Expected) -> None:
    says = re.search(expected.output, ended.output, re.MULTILINE) is not None
    wanted = f"exit code {ended.returncode}, not {expected.exit_code}"
    require(ended.returncode == expected.exit_code, f"{wanted}:\n{ended.output}")
    require(says, f"it does not say {expected.output}:\n{ended.output}")


# ---- Where they are run


def _make_finished_handout(workshop: Workshop, folder: Path) -> None:
    """With the reference's layers, as most of the pages take for granted; with all optional labs, handed
    out or not; and with the files that pages say one should write: `c NAME.c behind the fence."""
    kit = workshop.kit
    make_handout(HandoutRequest(kit, folder, reference_objects=True), check_works=lambda made: None)
    for lab in kit.labs:
        for tree in ("milestones", "tests"):
            whole, copy = kit.root / tree / lab.folder, folder / tree / lab.folder
            shutil.copytree(whole, copy, dirs_exist_ok=True)
        for path in lab.paths:
            shutil.copyfile(kit.solutions / path, folder / "milestones" / path)
    for page in pages(kit).values():
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.language in ("c", "cpp") and re.fullmatch(r"\w+\.c(pp)?", block.note):
                (folder / block.note).write_text(block.text, encoding="utf-8")


def _make_small_kit(workshop: Workshop, folder: Path) -> None:
    """With all that the pages call by a name."""
    small = make_small_kit(workshop.kit, folder)
    shutil.copytree(small.solutions, small.root / "SUBMISSION")
    shutil.copytree(small.solutions, small.root / "SUBMISSIONS" / "okafor")
    shutil.make_archive(str(small.root / "SUBMISSIONS" / "mueller"), "zip", small.milestones)
    shutil.copy(small.root / "grader" / "rubric.toml", small.root)
    (small.root / "autograders").mkdir()
    (small.root / "rehearsal").mkdir()
    page = (small.root / "docs" / "instructor" / "grading.md").read_text(encoding="utf-8")
    [times] = [block.text for block in blocks(page) if block.text.startswith("submission,time\n")]
    (small.root / "times.csv").write_text(times, encoding="utf-8")
