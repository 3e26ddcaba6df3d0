"""`./lab autograder --classroom50`: makes an assignment's folder for Classroom 50's autograders/.

Classroom 50 publishes such folders, so that the kit in it is the handout: without solutions, and
with the reference's lower layers compiled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from grader.exit_codes import WrongUse
from grader.handout.check import check_it_works
from grader.handout.make import HandoutRequest, make_handout
from grader.kit import Kit
from grader.score_file import check_writable, replace_file

_ENTRY = Path(__file__).with_name("classroom50_entry.py")


def make_classroom50(
    kit: Kit, folder: Path, check_works: Callable[[Path], None] = check_it_works
) -> None:
    """`folder` is made, or has an older one of ours."""
    check_writable(folder.parent / f"{folder.name}.new")
    if folder.exists() and not folder.is_dir():
        raise WrongUse(f"{folder} is not a folder")
    folder.mkdir(exist_ok=True)
    request = HandoutRequest(kit, folder / "kit", reference_objects=True)
    make_handout(request, check_works=check_works)
    replace_file(folder / "autograder.py", _ENTRY.read_bytes())
