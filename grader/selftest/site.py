"""The site: it holds together, it works in a browser, and what its pages show as code is code."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

import click

from grader.check_list import read_checks
from grader.plan import PlannedTest, c_tests
from grader.selftest.code_blocks import check_code_blocks
from grader.selftest.shown_commands import complaint, shown
from grader.selftest.site_in_browser import check_in_browser
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop
from grader.site.build import SiteRequest, make_site
from grader.site.content import Content, instructor_content, student_content


def check_site(workshop: Workshop, tester: Tester) -> None:
    """Both sites hold together, the students' tells nothing, and what the pages show is true."""
    student, again, instructor = (workshop.folder / name for name in ("site", "again", "site-of-instructors"))
    with tester.check("./lab docs --out site: no dead link, nothing of the solution"):
        workshop.lab("docs", "--out", str(student))
    with tester.check("again: the same bytes"):
        make_site(SiteRequest(workshop.kit, again, instructor=False))
        first, second = _bytes(student), _bytes(again)
        require(first.keys() == second.keys(), f"{sorted(first.keys() ^ second.keys())}")
        differing = [name for name in first if first[name] != second[name]]
        require(not differing, f"they differ: {differing}")
    with tester.check("./lab docs --out site-of-instructors --instructor: no dead link"):
        workshop.lab("docs", "--out", str(instructor), "--instructor")
    check_in_browser(workshop, tester, student, instructor)
    with tester.check("docs/examples: each program prints what it should"):
        build = workshop.build(workshop.kit.solutions)
        command = ["ctest", "--test-dir", str(build), "-L", "^examples$", "--no-tests=error"]
        workshop.run([*command, "--output-on-failure"], seconds=120)
    _check_commands(workshop, tester)
    check_code_blocks(workshop, tester)


def _bytes(folder: Path) -> Dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _check_commands(workshop: Workshop, tester: Tester) -> None:
    for whose, content_of in (("students", student_content), ("instructors", instructor_content)):
        with tester.check(f"the commands that the {whose}' pages show exist"):
            content = content_of(workshop.kit)
            group, tests = _commands(content), _tests(workshop)
            pages = {page: shown(content.text(page)) for page in content.pages}
            require(sum(map(len, pages.values())) > 0, "no command is shown")
            complaints = [
                f"{page}: {problem}"
                for page, commands in pages.items()
                for command in dict.fromkeys(commands)
                if (problem := complaint(group, tests, command))
            ]
            require(not complaints, "\n".join(complaints))


def _commands(content: Content) -> click.Group:
    from grader.cli import lab  # here, for these lead to this module themselves
    from grader.cli_instructor import COMMANDS

    private = {command.name for command in COMMANDS}
    kept = {name: command for name, command in lab.commands.items() if name not in private}
    if content.instructor:
        kept.update({command.name or "": command for command in COMMANDS})
    return click.Group("lab", commands=kept)


def _tests(workshop: Workshop) -> List[PlannedTest]:
    kit = workshop.kit
    tests = [test for lab in kit.labs for test in c_tests(kit, lab)]
    return tests + read_checks(kit)
