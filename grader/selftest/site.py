"""The site, and what its pages show: commands that exist, and C that compiles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List

import click

from grader.kit import END_TO_END_POINTS, MILESTONES
from grader.plan import PlannedTest, c_tests
from grader.run_e2e import end_to_end_plan
from grader.selftest.shown_commands import complaint, shown
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop
from grader.site.build import SiteRequest, make_site
from grader.site.content import Content, instructor_content, student_content

_FLAGS = "-std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only".split()
_FLAGS += ["-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-parameter"]
_C_BLOCK = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def check_site(workshop: Workshop, tester: Tester) -> None:
    """Both sites hold together, the students' tells nothing, and what the pages show is true."""
    student, again, instructor = (workshop.folder / name for name in ("site", "again", "whole"))
    with tester.check("the students' site: no dead link, nothing of the solution"):
        make_site(SiteRequest(workshop.kit, student, instructor=False))
    with tester.check("again: the same bytes"):
        make_site(SiteRequest(workshop.kit, again, instructor=False))
        first, second = _bytes(student), _bytes(again)
        require(first.keys() == second.keys(), f"{sorted(first.keys() ^ second.keys())}")
        differing = [name for name in first if first[name] != second[name]]
        require(not differing, f"they differ: {differing}")
    with tester.check("the instructors' site: no dead link"):
        make_site(SiteRequest(workshop.kit, instructor, instructor=True))
    _check_commands(workshop, tester)
    _check_c(workshop, tester)


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
    tests = [test for milestone in MILESTONES for test in c_tests(kit, milestone)]
    return tests + [test for group in END_TO_END_POINTS for test in end_to_end_plan(kit, group)]


def _check_c(workshop: Workshop, tester: Tester) -> None:
    """Concepts have a test of their own: their code is also run."""
    pages = ["README.md", "grader/handout/student_readme.md", "docs/instructor/changing.md"]
    pages += [f"milestones/{milestone.folder}/README.md" for milestone in MILESTONES]
    for page in pages:
        blocks = _C_BLOCK.findall((workshop.kit.root / page).read_text(encoding="utf-8"))
        for number, block in enumerate(blocks, 1):
            with tester.check(f"{page}: C block {number} of {len(blocks)} compiles"):
                compile_block(workshop, block)


def compile_block(workshop: Workshop, block: str) -> None:
    """As a file; or, if it is a few statements, as the inside of a function. What is no C yet,
    because the reader is to complete it, is ```text."""
    kit = workshop.kit
    includes = [f"-I{kit.milestones / milestone.folder}" for milestone in MILESTONES]
    includes.append(f"-I{kit.root / 'tests' / 'support'}")
    given = '#include "echo_server.h"\n#include "lab_test.h"\n'
    as_statements = f"void block(void);\nvoid block(void)\n{{\n{block}}}\n"
    outputs = []
    for text in (given + block, given + as_statements):
        source = workshop.folder / "block.c"
        source.write_text(text, encoding="utf-8")
        ended = workshop.try_run(["gcc", *_FLAGS, *includes, str(source)], seconds=60)
        if ended.returncode == 0:
            return
        outputs.append(ended.output)
    require(False, f"as a file:\n{outputs[0]}\nas statements:\n{outputs[1]}")
