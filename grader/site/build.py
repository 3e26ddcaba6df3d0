"""`./lab docs`: builds a site, checks it, and only then puts it in its place."""

from __future__ import annotations

import dataclasses
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Callable, List

from grader.exit_codes import KitFailed, WrongUse
from grader.kit import Kit
from grader.processes import run_program
from grader.score_file import check_writable
from grader.site.check import leaks, problems
from grader.site.content import Content, instructor_content, student_content
from grader.site.staging import DRAWN, Staging
from grader.site.timelines import drawn_timeline

_CONFIGURATION = Path(__file__).parent
_MARK = ".lab-site"  # the file that tells a folder of ours
_SECONDS = 600.0
_SHOWN = 20


@dataclasses.dataclass(frozen=True)
class SiteRequest:
    kit: Kit
    folder: Path
    instructor: bool


def make_site(
    request: SiteRequest, on_phase: Callable[[str], None] = lambda phase: None
) -> List[str]:
    """The names of its pages. WrongUse or KitFailed if there will be none; what is in its place
    already then stays."""
    _check_place(request.folder)
    _check_tools()
    content = (instructor_content if request.instructor else student_content)(request.kit)
    request.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{request.folder.name}-", dir=request.folder.parent
    ) as work:
        made = Path(work) / "site"
        on_phase("Building")
        _build(request.kit, content, Path(work), made)
        on_phase("Checking")
        _refuse("something is wrong in it", problems(made))
        if not request.instructor:
            _refuse("students would see what they must not", leaks(request.kit, content, made))
        (made / _MARK).write_text("", encoding="utf-8")
        made.chmod(0o755)
        if request.folder.exists():
            request.folder.rename(Path(work) / "older")
        made.rename(request.folder)
    return content.pages


def _check_place(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise WrongUse(f"{folder} is not a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise WrongUse(f"{folder} is neither empty nor an older site")
    if folder.parent.exists():
        check_writable(folder.parent / f"{folder.name}.new")


def _check_tools() -> None:
    modules = {"sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser"}
    missing = [name for module, name in modules.items() if not importlib.util.find_spec(module)]
    missing += [] if shutil.which("dot") else ["graphviz"]
    if missing:
        raise KitFailed(f"no site; please install: {' '.join(missing)}")


def _build(kit: Kit, content: Content, work: Path, made: Path) -> None:
    pages = work / "pages"
    pages.mkdir()
    draw = {**DRAWN, ".timeline": lambda path, caption: drawn_timeline(kit, path, caption)}
    Staging(content, pages, draw).write()
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going"]
    command += ["-c", str(_CONFIGURATION), "-d", str(work / "doctrees")]
    if content.instructor:
        command += ["-D", "html_title=Coroutine lab, for instructors"]
    ended = run_program([*command, str(pages), str(made)], seconds=_SECONDS, folder=work)
    if ended.timed_out or ended.returncode != 0:
        raise KitFailed(f"no site:\n{ended.output.replace(f'{pages}/', '').strip()[-4000:]}")
    (made / ".buildinfo").unlink(missing_ok=True)


def _refuse(what: str, where: List[str]) -> None:
    if where:
        more = [f"... and {len(where) - _SHOWN} more"] if len(where) > _SHOWN else []
        raise KitFailed("\n    ".join([f"no site: {what}", *where[:_SHOWN], *more]))
