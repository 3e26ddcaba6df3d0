"""The site: what is made of comments and links, and that what must not be in a site is found."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from typing import List

import click
import pytest
from conftest import KIT_ROOT

from grader.cli_instructor import COMMANDS
from grader.exit_codes import KitFailed, WrongUse
from grader.handout.manifest import read_manifest
from grader.kit import LABS, Kit
from grader.plan import PlannedTest
from grader.selftest.shown_commands import complaint, shown
from grader.site.build import SiteRequest, make_site
from grader.site.check import leaks, problems
from grader.site.comment_text import comment_to_rst, inline
from grader.site.content import Content, instructor_content, student_content
from grader.site.links import anchor_here, anchor_on_github, resolved, with_links
from grader.site.reference import declared_in, names_of, read_header, without_repeats
from grader.site.staging import Staging

KIT = Kit(KIT_ROOT)

needs_sphinx = pytest.mark.skipif(
    not (importlib.util.find_spec("sphinx") and importlib.util.find_spec("myst_parser")),
    reason="needs python3-sphinx and python3-myst-parser: ./lab docs installs them",
)
needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="needs graphviz")


# ---- C reference ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, expected",
    [
        ("int task_resume(task *t);", ["function task_resume"]),
        ("task *task_take(task **slot);", ["function task_take"]),
        ("int f(int (*g)(int));\nint h(void);", ["function f", "function h"]),
        ("typedef struct timers timers;", ["struct timers"]),
        ("struct only_named;\nvoid f(void);", ["function f"]),
        ("typedef struct a a;\nstruct a {\n    int x;\n    union { int y; };\n};", ["struct a"]),
        ("typedef struct b {\n    int x;\n} b;", ["struct b"]),
        ("typedef enum p { P_A, P_B } p;", ["enum p"]),
        ("enum { A = 1, B }; /* why */", ["enumerator A", "enumerator B"]),
        ("typedef struct co_frame *co_handle;", ["type co_handle"]),
        ("typedef void handler(const task *t);", ["type handler"]),
        ("#define SECONDS(n) ((n)*2)\n#define X 1", ["macro SECONDS", "macro X"]),
        ("static inline bool ready(awaiter *a)\n{\n    if (a) {\n    }\n}", ["function ready"]),
        ("static inline _Noreturn void f(int a)\n{\n    exit(a);\n}", ["function f"]),
    ],
)
def test_what_code_declares(code: str, expected: List[str]) -> None:
    assert [f"{d.kind} {d.name}" for d in declared_in(code)] == expected


def test_every_public_function_is_in_the_reference() -> None:
    paths = sorted((KIT_ROOT / "milestones").glob("[mx]*/*.h"))
    headers = {path.name: read_header(path) for path in paths}
    names = names_of(headers)
    for path in (path for lab in LABS for path in lab.paths):
        stub = (KIT_ROOT / "milestones" / path).read_text(encoding="utf-8")
        functions = re.findall(r"^(?!static)[\w \*]+?(\w+)\([^;{}]*\)\n\{", stub, re.MULTILINE)
        assert functions
        for function in functions:
            assert names.get(function) == "c:func", f"{function} of {path}"
    for header in headers.values():
        kinds = [d.name for _, items in header.sections for item in items for d in item.declared]
        assert len(kinds) == len(set(kinds)), f"{header.title} declares something twice"
        assert header.intro.strip()
    sections = dict(headers["task.h"].sections)
    owners = [d.name for item in sections["The owner's side"] for d in item.declared]
    assert owners[0] == "task_resume" and owners[-1] == "task_take"


def test_what_two_headers_declare_is_where_its_members_are(tmp_path: Path) -> None:
    texts = {"outer.h": "typedef struct pool pool;", "inner.h": "struct pool {\n    int size;\n};"}
    for name, text in texts.items():
        (tmp_path / name).write_text(f"/* {name} - it.\n */\n\n{text}\n", encoding="utf-8")
    headers = without_repeats({name: read_header(tmp_path / name) for name in texts})
    items = {name: [i for _, s in header.sections for i in s] for name, header in headers.items()}
    assert [d.name for item in items["outer.h"] for d in item.declared] == []
    assert [d.name for item in items["inner.h"] for d in item.declared] == ["pool"]


def test_comment_with_errors_and_code() -> None:
    text = (
        "Does *it* to `t`.\n  -EINVAL  t is\n           NULL\n  -EBUSY it runs\n\n"
        "    code(a);\n      more;\nEnd."
    )
    assert comment_to_rst(text, {}) == (
        "Does \\ *it*\\  to \\ ``t``\\ .\n\n"
        "``-EINVAL``\n   t is\n   NULL\n``-EBUSY``\n   it runs\n\n"
        ".. code-block:: c\n\n   code(a);\n     more;\n\nEnd."
    )


def test_names_become_links_and_signs_stay_signs() -> None:
    names = {"task_get": "c:func", "timers": "c:struct"}
    assert inline("task_get, timers, x_y", names) == "\\ :c:func:`task_get`\\ , timers, x\\_y"
    assert inline("*value of a task *", names) == "\\*value of a task \\*"


# ---- Links ---------------------------------------------------------------------------------------


def test_links_in_code_are_none() -> None:
    text = "[a](b.md) `[c](d)` [`e`](f#g)\n\n```c\n[h](i)\n```\n[j\nk](l)"
    found: List[str] = []

    def take(link: "tuple[str, str]") -> str:
        found.append(link[1])
        return "."

    assert with_links(text, take) == ". `[c](d)` .\n\n```c\n[h](i)\n```\n."
    assert found == ["b.md", "f#g", "l"]


def test_where_links_lead() -> None:
    assert resolved("docs/concepts/a.md", "../../milestones/co.h") == "milestones/co.h"
    assert anchor_on_github("Step 1: `co_wake`, and more") == "step-1-co_wake-and-more"
    assert anchor_here("Step 1: co_wake, and more") == "step-1-co-wake-and-more"


@pytest.mark.parametrize(
    "link, message",
    [
        ("[x](docs/gone.md)", "README.md: a link to docs/gone.md"),
        ("[x](solutions/m1-task/task.c)", "README.md: a link to solutions/m1-task/task.c"),
        ("[x](milestones/m1-task/README.md#gone)", "#gone, which is no heading"),
        ("[x](gone.dot)", "there is no picture gone.dot"),
    ],
)
def test_a_link_that_its_readers_cannot_follow_is_refused(
    tmp_path: Path, link: str, message: str
) -> None:
    with pytest.raises(KitFailed, match=re.escape(message)):
        Staging(changed(student_content(KIT), tmp_path, f"# T\n\n{link}\n"), tmp_path).write()


def changed(content: Content, folder: Path, home: str) -> Content:
    """With another first page."""
    page = folder / "home.md"
    page.write_text(home, encoding="utf-8")
    return Content({**content.files, "README.md": page}, content.instructor)


# ---- What is in which site -----------------------------------------------------------------------


def test_students_have_the_pages_of_their_handout() -> None:
    pages = set(student_content(KIT).pages)
    assert pages == {name for name in read_manifest(KIT_ROOT) if name.endswith(".md")}
    assert not [page for page in pages if re.search("instructor|design|faults|feedback", page)]


def test_instructors_have_all_pages() -> None:
    docs = {path.relative_to(KIT_ROOT).as_posix() for path in (KIT_ROOT / "docs").rglob("*.md")}
    assert docs <= set(instructor_content(KIT).pages)


@needs_sphinx
@needs_dot
def test_both_sites_are_built(tmp_path: Path) -> None:
    make_site(SiteRequest(KIT, tmp_path / "student", instructor=False))
    made = tmp_path / "student"
    task = (made / "reference/task.html").read_text(encoding="utf-8")
    assert 'id="c.task_await"' in task and 'href="#c.task_get"' in task
    assert 'class="k">struct' in task, "declarations are highlighted"
    assert "task_await" in (made / "searchindex.js").read_text(encoding="utf-8")
    names = {path.relative_to(made).as_posix() for path in made.rglob("*.html")}
    assert not [name for name in names if re.search("instructor|design|faults|feedback", name)]

    make_site(SiteRequest(KIT, tmp_path / "whole", instructor=True))
    whole = tmp_path / "whole"
    for name in ("docs/instructor/guide.html", "docs/design.html", "docs/pictures/index.html"):
        assert (whole / name).is_file()
    pictures = (whole / "docs/pictures/index.html").read_text(encoding="utf-8")
    assert pictures.count("<svg role=") == 3
    assert leaks(KIT, student_content(KIT), whole), "the instructors' site is not for students"


@needs_sphinx
def test_nobodys_work_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/mine.txt").write_text("mine")
    with pytest.raises(WrongUse, match="neither empty nor an older site"):
        make_site(SiteRequest(KIT, tmp_path / "notes", instructor=False))
    assert (tmp_path / "notes/mine.txt").read_text() == "mine"


# ---- Each fault is found -------------------------------------------------------------------------

PAGE = '<p id="top">x</p><a href="other.html">o</a>'


@pytest.mark.parametrize(
    "home, other, message",
    [
        (PAGE, "<p>y</p>", ""),
        (PAGE, '<a href="gone.html">x</a>', "other.html: gone.html leads nowhere"),
        (PAGE, '<a href="index.html#gone">x</a>', "index.html#gone: there is no such place"),
        (PAGE, '<a href="index.html#top">x</a>', ""),
        ("<p>x</p>", "<p>y</p>", "other.html cannot be reached"),
        (PAGE, '<script src="https://e.org/a.js"></script>', "other.html loads https://e.org/a.js"),
        (PAGE, '<link rel="stylesheet" href="//e.org/a.css">', "other.html loads //e.org/a.css"),
        (PAGE, '<img src="gone.png">', "gone.png leads nowhere"),
        (PAGE, '<a href="https://e.org/">a link is no request</a>', ""),
    ],
)
def test_problems(tmp_path: Path, home: str, other: str, message: str) -> None:
    (tmp_path / "index.html").write_text(home)
    (tmp_path / "other.html").write_text(other)
    found = problems(tmp_path)
    assert (len(found) == 1 and message in found[0]) if message else found == []


def test_fonts_of_others_are_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>x</p>")
    (tmp_path / "a.css").write_text("@import url(https://fonts.example.org/css);")
    assert problems(tmp_path) == ["a.css loads https://fonts.example.org/css"]


def test_leaks_are_found(tmp_path: Path) -> None:
    solution = (KIT_ROOT / "solutions/m3-sleep/timers.c").read_text(encoding="utf-8")
    line = next(line for line in solution.splitlines() if "is_before(&" in line and len(line) > 48)
    guide = (KIT_ROOT / "docs/instructor/guide.md").read_text(encoding="utf-8")
    private = next(line for line in guide.splitlines()[2:] if len(line) > 80 and "`" not in line)
    marked = line.strip().replace("&", "&amp;").replace("(", "<span>(</span>")
    content = student_content(KIT)

    def found(html: str, name: str = "a.html") -> List[str]:
        shutil.rmtree(tmp_path)
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(html, encoding="utf-8")
        return leaks(KIT, content, tmp_path)

    assert found("<p>an honest page</p>") == []
    assert "solutions/m3-sleep/timers.c" in found(f"<pre>{marked}</pre>")[0]
    assert "docs/instructor/guide.md" in found(f"<p>{private.lstrip('- ')}</p>")[0]
    assert found("<p>x</p>", "docs/instructor/guide.html") != []
    assert found("<p>x</p>", "docs/faults.html") != []


# ---- Commands that pages show --------------------------------------------------------------------


def test_commands_in_pages() -> None:
    page = (
        "    ./lab test m1      one test\n\nUse `./lab grade X --json a`.\n\n"
        "```\n$ ./lab doctor | cat\n```\n"
    )
    assert shown(page) == ["test m1", "grade X --json a", "doctor"]
    assert shown("./lab nonsense in a sentence, or ../lab x in `code/lab y`") == []


@pytest.mark.parametrize(
    "command, message",
    [
        ("batch SUBMISSIONS --out graded", ""),
        ("batch --help", ""),
        ("batch SUBMISSIONS --output graded", "No such option"),
        ("batch SUBMISSIONS --out", "requires an argument"),
        ("btach SUBMISSIONS", "no such command"),
        ("test m1.value", ""),
        ("test TEST", ""),
        ("test m1.CASE --solution", ""),
        ("test m1.valeu", "no test m1.valeu"),
    ],
)
def test_commands_that_do_not_exist_are_found(command: str, message: str) -> None:
    from grader.cli import lab

    commands = {c.name or "": c for c in [*lab.commands.values(), *COMMANDS]}
    group = click.Group("lab", commands=commands)
    found = complaint(group, [PlannedTest("m1.value", "", 1.0)], command)
    assert message in found and bool(message) == bool(found)
