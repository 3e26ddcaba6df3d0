"""`./lab submit`: the file to hand in, and what is said of it."""

from __future__ import annotations

import dataclasses
import stat
from pathlib import Path
from typing import Dict, List, Optional

from rich.console import Console
from rich.markup import escape

from grader.exit_codes import WrongUse
from grader.fixed_zip import make_zip
from grader.handed_out import changes, read_list
from grader.kit import MILESTONES, Kit, Milestone
from grader.model import MilestoneResult, Result, Status
from grader.report_terminal import points
from grader.score_file import replace_file
from grader.submissions.intake import FILE_LIMIT

DEFAULT_NAME = "lab-submission.zip"
_SHOWN = 20
_OF_ALL_FILES = "m5.own."
_NOT_BUILT = "not built: "  # how grade.py begins the message of such a test


@dataclasses.dataclass(frozen=True)
class LeftOut:
    path: str  # from the kit's folder on
    kind: str  # added, changed or removed


def make_submission(kit: Kit, out: Path) -> List[LeftOut]:
    """Writes the zip, and says what a student may have meant to hand in and did not. WrongUse if a
    file is missing, or if there is nothing of the student's own in any of them."""
    listed = read_list(kit.root)
    changed = None if listed is None else dict(changes(kit.root, listed))
    wanted = _wanted(kit, changed)
    files = {path: _read(kit, path) for path in wanted}
    replace_file(out, make_zip((name, content, False) for name, content in files.items()))
    return _left_out(changed or {}, wanted)


def _wanted(kit: Kit, changed: Optional[Dict[str, str]]) -> List[str]:
    """The milestones' files, and those of the optional labs in which something was done. Without a list
    of what was handed out nothing is known: all of them."""
    begun = [lab for lab in kit.labs if changed is None or _is_in(lab, changed)]
    if not begun:
        raise WrongUse("nothing to hand in: all five files are as they were handed out")
    return [path for lab in kit.labs if lab in begun or lab in MILESTONES for path in lab.paths]


def _is_in(lab: Milestone, changed: Dict[str, str]) -> bool:
    return any(f"milestones/{path}" in changed for path in lab.paths)


def _read(kit: Kit, name: str) -> bytes:
    path = kit.milestones / name
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise WrongUse(f"milestones/{name} is not a file")
        content = path.read_bytes()
    except OSError as error:
        raise WrongUse(
            f"milestones/{name} cannot be read: {error.strerror}. All five files belong "
            "into a submission; one that you have not begun, as it was handed out"
        ) from error
    if len(content) > FILE_LIMIT:
        raise WrongUse(f"milestones/{name}: more than {FILE_LIMIT} bytes are not graded")
    return content


def _left_out(changed: Dict[str, str], wanted: List[str]) -> List[LeftOut]:
    ours = {f"milestones/{path}" for path in wanted}
    return [
        LeftOut(path, kind)
        for path, kind in changed.items()
        if path.split("/")[0] in ("milestones", "tests") and path not in ours
    ]


def print_submission(
    console: Console, out: Path, result: Result, left_out: List[LeftOut]
) -> None:
    """After the grade: what each file is worth, what is not in the zip, and where it is."""
    console.print("\n[bold]To hand in[/bold]")
    for milestone, graded in zip(MILESTONES, result.milestones):
        console.print(f"    {milestone.path:29} {escape(_worth(graded))}", soft_wrap=True)
    for lab in result.extra:
        console.print(f"    {lab.id + ' ' + lab.title:29} extra: {escape(_worth(lab))}", soft_wrap=True)
    if left_out:
        console.print("Not in it, and not used when it is graded:")
        for file in left_out[:_SHOWN]:
            console.print(f"    {escape(file.path)} ({file.kind})", soft_wrap=True)
        if len(left_out) > _SHOWN:
            console.print(f"    and {len(left_out) - _SHOWN} more")
        if any(file.kind != "added" for file in left_out):
            console.print("Where given files were changed, your instructor's grade may differ.")
    if result.environment.get("base") == "own":
        console.print("Graded on your own lower layers. Your instructor may take the reference's.")
    console.print(f"[bold]{escape(str(out))}[/bold]", soft_wrap=True)


def _worth(graded: MilestoneResult) -> str:
    worth = f"{points(graded.score)} of {points(graded.max_score)} points"
    tests = [test for test in graded.tests if not test.id.startswith(_OF_ALL_FILES)]
    unbuilt = [test.message for test in tests if test.message.startswith(_NOT_BUILT)]
    to_do = sum(test.status == Status.NOT_IMPLEMENTED for test in tests)
    if unbuilt:
        return f"{worth}; does not compile: {unbuilt[0][len(_NOT_BUILT):]}"
    if to_do == len(tests):
        return f"{worth}; not begun"
    return f"{worth}; unfinished: {to_do} of {len(tests)} tests meet a stub" if to_do else worth
