"""What must be true of a handout before anybody gets it."""

from __future__ import annotations

import ast
import json
import re
import tempfile
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

from grader.exit_codes import KitFailed
from grader.handed_out import changes, read_list
from grader.handout.leaks import Secrets, read_secrets, read_shared
from grader.kit import Kit
from grader.model import Result, Status, from_json
from grader.processes import run_program

SHARED_LINES = Path(__file__).with_name("shared_lines.txt")
_GRADE_SECONDS = 1800.0
_SHOWN = 20

Files = Dict[str, bytes]  # by their names in the handout


def check_content(kit: Kit, files: Files) -> None:
    """KitFailed if something is in `files` that must not be, or does not fit together."""
    secrets = read_secrets(kit.solutions, kit.milestones, read_shared(SHARED_LINES))
    _refuse("students would see the solution", _leaks(secrets, files))
    _refuse("a path of this machine is in a compiled file", _machine_paths(kit, files))
    _refuse("a module is not in the manifest", _missing_modules(files))
    _refuse("a link leads nowhere", _broken_links(files))


def check_it_works(folder: Path) -> None:
    """Grades the stubs, as a student could. KitFailed unless all tests are not-implemented."""
    result = _grade(folder)
    others = [test for test in result.tests if test.status != Status.NOT_IMPLEMENTED]
    wrong = [f"{test.id}: {test.status.value}: {test.message}" for test in others]
    if not result.tests:
        wrong.append("it has no tests")
    wrong += [f"{f.kind} {f.where}: {f.detail}" for f in result.integrity]
    _refuse("its stubs are not all not-implemented", wrong)
    left = changes(folder, read_list(folder) or {})
    _refuse("grading changes it", [f"{kind}: {path}" for path, kind in left])


def _refuse(what: str, where: List[str]) -> None:
    if where:
        more = [f"... and {len(where) - _SHOWN} more"] if len(where) > _SHOWN else []
        lines = [line if len(line) <= 300 else f"{line[:300]} ..." for line in where[:_SHOWN]]
        raise KitFailed("\n    ".join([f"no handout: {what}", *lines, *more]))


def _leaks(secrets: Secrets, files: Files) -> List[str]:
    found = []
    for name, content in files.items():
        try:
            leaks = secrets.in_text(content.decode("utf-8"))
        except UnicodeDecodeError:
            leaks = secrets.in_binary(content)
        found += [f"{name}: {leak}" for leak in leaks]
    return found


def _machine_paths(kit: Kit, files: Files) -> List[str]:
    """Compilers like to write them into objects."""
    path = f"{kit.root}/".encode()
    return [name for name, content in files.items() if name.endswith(".a") and path in content]


def _missing_modules(files: Files) -> List[str]:
    """Imports of grader modules that are not there."""
    modules = {name for name in files if name.startswith("grader/") and name.endswith(".py")}
    missing = []
    for name in sorted(modules):
        for imported in imported_modules(files[name].decode("utf-8")):
            path = imported.replace(".", "/")
            if not {f"{path}.py", f"{path}/__init__.py"} & modules:
                missing.append(f"{name} imports {imported}")
    return missing


def imported_modules(text: str) -> Set[str]:
    """Of the grader. `from grader import x` means the module grader.x."""
    found: Set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "grader":
            found.update(f"grader.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return {name for name in found if name.split(".")[0] == "grader"}


def _broken_links(files: Files) -> List[str]:
    folders = {str(parent) for name in files for parent in Path(name).parents}
    return [
        f"{name}: {link}"
        for name, link in _links(files)
        if link not in files and link.rstrip("/") not in folders
    ]


def _links(files: Files) -> Iterator[Tuple[str, str]]:
    """Each relative link in a Markdown file, as a name in the handout."""
    for name, content in files.items():
        if name.endswith(".md"):
            for link in re.findall(r"\]\(([^)#\s]+)", content.decode("utf-8")):
                if "://" not in link and not link.startswith("mailto:"):
                    yield name, _resolved(Path(name).parent / link)


def _resolved(path: Path) -> str:
    parts: List[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _grade(folder: Path) -> Result:
    with tempfile.TemporaryDirectory(prefix="lab-handout-") as work:
        score_file = Path(work) / "score.json"
        command = [str(folder / "lab"), "grade", "--json", str(score_file)]
        ended = run_program(command, seconds=_GRADE_SECONDS, folder=Path(work))
        if ended.timed_out or ended.returncode != 0:
            raise KitFailed(f"no handout: ./lab grade fails in it:\n{ended.output.strip()[-4000:]}")
        return from_json(json.loads(score_file.read_text(encoding="utf-8")))
