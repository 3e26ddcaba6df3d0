"""`./lab autograder --gradescope`: makes the zip that an instructor uploads to Gradescope."""

from __future__ import annotations

import dataclasses
import re
import stat
from pathlib import Path
from typing import Iterator, List, Optional

from grader.autograder.container import RESERVE
from grader.check_list import read_checks
from grader.exit_codes import KitFailed, WrongUse
from grader.fixed_zip import Entry, make_zip
from grader.handout.manifest import read_manifest
from grader.kit import LABS, Kit
from grader.plan import c_tests
from grader.rubric import DEFAULT_RUBRIC, check_tests, read_rubric
from grader.score_file import check_writable, replace_file

DEFAULT_MINUTES = 10  # Gradescope's own
LEAST_MINUTES = 5
MOST_MINUTES = 40

_HERE = Path(__file__).parent
_MANIFEST = _HERE / "manifest.txt"
_FOLDER_OF_LAB = re.compile(r"(?:milestones|tests)/([mx]\d-[^/]+)/")
_SCRIPTS = ("setup.sh", "run_autograder")
_OF_STUDENTS = (
    "lab", "LICENSE", "CMakeLists.txt", "CMakePresets.json", "milestones", "tests", "grader"
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class AutograderRequest:
    kit: Kit
    output: Path
    rubric: Optional[Path] = None  # None: the kit's own
    minutes: int = DEFAULT_MINUTES  # the time limit that is set in Gradescope


def make_autograder(request: AutograderRequest) -> None:
    """WrongUse if the rubric is wrong, or has names that no test has."""
    kit = request.kit
    if not kit.solutions.is_dir():
        raise WrongUse("an autograder is made from the instructor's kit: here are no solutions")
    check_writable(request.output)
    rubric = read_rubric(request.rubric)
    if request.rubric is not None:
        check_tests(request.rubric, rubric, _tests(kit))
    replace_file(request.output, make_zip(_entries(request)))


def _tests(kit: Kit) -> List[str]:
    ids = [test.id for lab in kit.labs for test in c_tests(kit, lab)]
    return ids + [test.id for test in read_checks(kit)]


def _entries(request: AutograderRequest) -> Iterator[Entry]:
    try:
        for name in _SCRIPTS:
            yield name, _filled((_HERE / name).read_text(encoding="utf-8"), request.minutes), True
        yield "rubric.toml", (request.rubric or DEFAULT_RUBRIC).read_bytes(), False
        for name, path in _kit_files(request.kit).items():
            yield f"kit/{name}", path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR)
    except OSError as error:
        raise KitFailed(f"cannot read {error.filename}: {error.strerror}") from error


def _kit_files(kit: Kit) -> "dict[str, Path]":
    students = read_manifest(kit.root)
    wanted = {name: path for name, path in students.items() if _is_needed(name)}
    return {**wanted, **read_manifest(kit.root, _MANIFEST)}


def _is_needed(name: str) -> bool:
    """Of the labs only those that give points."""
    lab = _FOLDER_OF_LAB.match(name)
    graded = lab is None or lab[1] in {known.folder for known in LABS}
    return graded and name.split("/")[0] in _OF_STUDENTS


def _filled(script: str, minutes: int) -> bytes:
    """What has not ended itself by then, the script ends when half the reserve is left."""
    seconds = minutes * 60 - RESERVE // 2
    return script.replace("@MINUTES@", str(minutes)).replace("@SECONDS@", str(seconds)).encode()
