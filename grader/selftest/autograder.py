"""The upload for Gradescope does there what ./lab grade does here, and shows nobody the solution.

Its two scripts are run as Gradescope runs them, with files in the places where it puts them."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Set

from grader.autograder.make import AutograderRequest, make_autograder
from grader.kit import MILESTONES
from grader.processes import Ended
from grader.selftest.clean_root import CleanRoot, make_clean_root
from grader.selftest.gradescope_format import problems
from grader.selftest.tester import CheckFailed, Tester, require
from grader.selftest.workshop import Workshop

_METADATA = {
    "id": 1,
    "created_at": "2027-01-10T14:22:32.365935-07:00",
    "assignment": {"due_date": "2027-01-15T23:00:00.000000-07:00", "late_due_date": None},
    "users": [{"email": "student@example.com", "id": 1, "name": "Student"}],
    "previous_submissions": [],
}
_SECRETS = (
    "source", "source/rubric.toml", "source/stage.pickle", "source/kit/solutions/m1-task/task.c",
    "source/kit/tests/m1-task/cases.def", "source/kit/lab", "submission", "results",
    "submission_metadata.json",
)  # fmt: skip
_NOT_FOUND = "No such file or directory|Permission denied"
_NONE_READ = 40  # what the spy ends with, and one more for each of the secrets that it could open

# Runs before the first test, reads what it can, and tells with its exit code how much that was.
_SPY = """
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void spy(void)
{
    static const char *const secrets[] = {%s};
    int opened = 0;

    for (unsigned i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        opened += open(secrets[i], O_RDONLY) >= 0;
    }
    _exit(%d + opened);
}
"""


def check_autograder(workshop: Workshop, tester: Tester) -> None:
    """Run as Gradescope does in a clean system: right grades, and no solution within reach."""
    with tempfile.TemporaryDirectory(prefix="lab-autograder-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        upload = folder / "upload.zip"
        with tester.check("./lab autograder --gradescope: the same bytes again"):
            workshop.lab("autograder", "--gradescope", str(upload))
            make_autograder(AutograderRequest(workshop.kit, folder / "again.zip"))
            require(upload.read_bytes() == (folder / "again.zip").read_bytes(), "the zips differ")
        root = make_clean_root(folder)
        with tester.check(f"setup.sh, in {root.name}"):
            _build_image(root, upload)
        for check in (_check_reference, _check_stubs, _check_theft, _check_broken, _check_no_stage):
            check(workshop, tester, root)


def _build_image(root: CleanRoot, upload: Path) -> None:
    source = root.autograder / "source"
    with zipfile.ZipFile(upload) as archive:
        for info in archive.infolist():
            Path(archive.extract(info, source)).chmod(info.external_attr >> 16 & 0o777)
    shutil.copy(source / "run_autograder", root.autograder)
    root.autograder.chmod(0o755)
    ended = root.run("sh", "/autograder/source/setup.sh")
    require(ended.returncode == 0 and not ended.timed_out, ended.output)
    require(not (source / "kit" / "solutions").exists(), "the solution is still there")


# ---- What is graded -----------------------------------------------------------------------------


def _check_reference(workshop: Workshop, tester: Tester, root: CleanRoot) -> None:
    with tester.check("run_autograder: the reference gets 100 points"):
        results = _graded(root, _tree(workshop.kit.solutions))
        failed = [test for test in results["tests"] if test["status"] != "passed"]
        words = "\n".join(f"{test['name']}\n{test['output']}" for test in failed)
        require(results["score"] == 100 and not failed, words or str(results["score"]))


def _check_stubs(workshop: Workshop, tester: Tester, root: CleanRoot) -> None:
    with tester.check("the stubs get none, and every test is not-implemented"):
        results = _graded(root, _tree(workshop.kit.milestones))
        others = [t["name"] for t in results["tests"] if "not-implemented" not in t["tags"]]
        require(results["score"] == 0 and not others, "\n".join(others) or str(results["score"]))


def _check_theft(workshop: Workshop, tester: Tester, root: CleanRoot) -> None:
    """With what is forbidden run, for here it is the system that has to say no."""
    files = _tree(workshop.kit.milestones)
    secrets = ", ".join(f'"/autograder/{secret}"' for secret in _SECRETS)
    files["m1-task/task.c"] = _SPY % (secrets, _NONE_READ) + files["m1-task/task.c"]
    files["m2-scheduler/scheduler.c"] = _include("solutions/m2-scheduler/scheduler.c")
    files["m3-sleep/timers.c"] = _include("tests/m3-sleep/cases.def")
    told: Dict[str, Set[str]] = {"m1": set(), "m2": set(), "m3": set()}
    with tester.check("who tries to read the kit and the results: graded, and no points"):
        results = _graded(root, files, forbidden="report")
        for test in results["tests"]:
            told.setdefault(test["tags"][0], set()).add(test["output"])
        require(results["score"] == 0, f"{results['score']} points")
    with tester.check(f"a program has opened none of {len(_SECRETS)} files and folders"):
        wrong = [text for text in told["m1"] if f"exit code {_NONE_READ} " not in text]
        require(bool(told["m1"]) and not wrong, "\n".join(wrong))
    with tester.check("the compiler has found neither the solution nor a test's source"):
        wrong = [t for m in ("m2", "m3") for t in told[m] if not re.search(_NOT_FOUND, t)]
        require(not wrong, "\n".join(wrong))


def _include(path: str) -> str:
    return f'#include "/autograder/source/kit/{path}"\n'


def _check_broken(workshop: Workshop, tester: Tester, root: CleanRoot) -> None:
    with tester.check("a broken archive: nothing graded, and that is said"):
        results = _graded(root, {"work.zip": "PK\x03\x04 and no more"})
        require(results["score"] == 0, str(results["score"]))
        told = str(results["output"])
        require("Nothing could be graded: submission is damaged" in told, told)


def _check_no_stage(workshop: Workshop, tester: Tester, root: CleanRoot) -> None:
    with tester.check("the machine fails: no score, and that is said"):
        (root.autograder / "source" / "stage.pickle").unlink()
        results = _results(root, _run(root, _tree(workshop.kit.solutions)), expect=3)
        require("score" not in results and "tests" not in results, str(results))
        require("machine's fault" in results["output"], results["output"])


# ---- As Gradescope runs it ----------------------------------------------------------------------


def _tree(folder: Path) -> Dict[str, str]:
    return {m.path: (folder / m.path).read_text(encoding="utf-8") for m in MILESTONES}


def _graded(root: CleanRoot, files: Dict[str, str], forbidden: str = "refuse") -> Dict[str, Any]:
    rubric = root.autograder / "source" / "rubric.toml"
    line = f'forbidden = "{forbidden}"'
    text = re.sub("^forbidden = .*", line, rubric.read_text(encoding="utf-8"), flags=re.MULTILINE)
    rubric.write_text(text, encoding="utf-8")
    return _results(root, _run(root, files), expect=0)


def _run(root: CleanRoot, files: Dict[str, str]) -> Ended:
    for name in ("submission", "results"):
        shutil.rmtree(root.autograder / name, ignore_errors=True)
        (root.autograder / name).mkdir()
    for name, content in files.items():
        path = root.autograder / "submission" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    metadata = root.autograder / "submission_metadata.json"
    metadata.write_text(json.dumps(_METADATA), encoding="utf-8")
    return root.run("/autograder/run_autograder")


def _results(root: CleanRoot, ended: Ended, expect: int) -> Dict[str, Any]:
    path = root.autograder / "results" / "results.json"
    if ended.returncode != expect or not path.exists():
        raise CheckFailed(f"run_autograder: exit code {ended.returncode}\n{ended.output}")
    results: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    wrong: List[str] = problems(results, may_lack_score=expect != 0)
    require(not wrong, "\n".join(wrong))
    is_told = "no sandbox: bwrap" in ended.output
    in_data = bool(results.get("extra_data", {}).get("environment", {}).get("no_sandbox"))
    is_graded = "tests" in results
    require(is_told == in_data or not is_graded, f"not told of the sandbox:\n{ended.output}")
    require("sandbox" not in results["output"], "students are told of the sandbox")
    return results
