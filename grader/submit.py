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
    files = {milestone.path: _read(kit, milestone) for milestone in MILESTONES}
    listed = read_list(kit.root)
    if listed is not None:
        _require_work(changes(kit.root, listed))
    replace_file(out, make_zip((name, content, False) for name, content in files.items()))
    return _left_out(kit, listed)


def _read(kit: Kit, milestone: Milestone) -> bytes:
    path = kit.milestones / milestone.path
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise WrongUse(f"milestones/{milestone.path} is not a file")
        content = path.read_bytes()
    except OSError as error:
        raise WrongUse(
            f"milestones/{milestone.path} cannot be read: {error.strerror}. All five files belong "
            "into a submission; one that you have not begun, as it was handed out"
        ) from error
    if len(content) > FILE_LIMIT:
        raise WrongUse(f"milestones/{milestone.path}: more than {FILE_LIMIT} bytes are not graded")
    return content


def _require_work(changed: "list[tuple[str, str]]") -> None:
    ours = {f"milestones/{milestone.path}" for milestone in MILESTONES}
    if not any(path in ours for path, _ in changed):
        raise WrongUse("nothing to hand in: all five files are as they were handed out")


def _left_out(kit: Kit, listed: Optional[Dict[str, str]]) -> List[LeftOut]:
    """Without a list of what was handed out, nothing is known of the others."""
    ours = {f"milestones/{milestone.path}" for milestone in MILESTONES}
    return [
        LeftOut(path, kind)
        for path, kind in changes(kit.root, listed or {})
        if listed is not None and path.split("/")[0] in ("milestones", "tests") and path not in ours
    ]


def print_submission(
    console: Console, out: Path, result: Result, left_out: List[LeftOut]
) -> None:
    """After the grade: what each file is worth, what is not in the zip, and where it is."""
    console.print("\n[bold]To hand in[/bold]")
    for milestone, graded in zip(MILESTONES, result.milestones):
        console.print(f"    {milestone.path:29} {escape(_worth(graded))}", soft_wrap=True)
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
