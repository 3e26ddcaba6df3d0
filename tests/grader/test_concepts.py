"""The concept pages hold what they say: code compiles, programs print it, links lead somewhere.

No line of the solution is in them, for students read them.
"""

from __future__ import annotations

import dataclasses
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

import pytest
from conftest import KIT_ROOT

from grader.handout.check import SHARED_LINES
from grader.handout.leaks import read_secrets, read_shared
from grader.kit import MILESTONES
from grader.processes import run_program

CONCEPTS = KIT_ROOT / "docs/concepts"
MEASUREMENTS = CONCEPTS / "code"
ANSWERS = KIT_ROOT / "docs/instructor/oral-exam-answers.md"
PAGES = sorted(CONCEPTS.glob("*.md"))
PAGE_NAMES = [page.stem for page in PAGES]
LESSONS = [page for page in PAGES if page.stem not in ("README", "oral-exam")]

# As for students' code (CMakeLists.txt).
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wimplicit-fallthrough", "-Werror"]
INCLUDES = [f"-I{KIT_ROOT / 'milestones' / milestone.folder}" for milestone in MILESTONES]
C = ["-std=gnu17", "-D_GNU_SOURCE", *WARNINGS, *INCLUDES]
CPP = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]
COMPILERS: Dict[str, List[str]] = {
    "gcc": [*C, "-Wjump-misses-init"],
    "clang": C,
    "g++": CPP,
    # libstdc++ asks for a macro that clang++ defines from version 15 on.
    "clang++": [
        *CPP,
        "-stdlib=libstdc++",
        "-Wno-builtin-macro-redefined",
        "-D__cpp_impl_coroutine=201902L",
    ],
}
LANGUAGES = {"c": ("gcc", "clang"), "cpp": ("g++", "clang++")}

# What a piece may take for granted: said in docs/concepts/README.md.
PRELUDE = {
    "c": '#include "echo_server.h"\n',
    "cpp": "#include <coroutine>\n#include <cstdio>\n#include <exception>\n",
}
PIECES_MAY = ["-Wno-unused-function"]  # be unused
SECONDS = 60.0


# ---- Blocks


@dataclasses.dataclass(frozen=True)
class Block:
    page: Path
    line: int  # of its first line
    language: str
    text: str

    @property
    def file(self) -> Optional[str]:
        """The name of a whole program."""
        named = re.match(r"// file: (\S+)\n", self.text)
        return named[1] if named else None

    @property
    def place(self) -> str:
        return f"{self.page.stem}:{self.line}"


def read_blocks(page: Path) -> List[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start(2)) + 1, found[1], found[2])
        for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


BLOCKS = [block for page in PAGES for block in read_blocks(page)]
PROGRAMS = [block for block in BLOCKS if block.file is not None]


def outputs(page: Path) -> Dict[str, str]:
    """What the page says that its programs print, by name."""
    shown = (re.match(r"\$ \./(\S+)\n", block.text) for block in read_blocks(page))
    return {found[1]: found.string[found.end() :] for found in shown if found}


def pieces(page: Path, language: str) -> str:
    """One source file, in which each line has the number that it has on the page."""
    parts = [PRELUDE[language]]
    for block in read_blocks(page):
        if block.language == language and block.file is None:
            parts.append(f'#line {block.line} "{page.name}"\n{block.text}')
    return "".join(parts) if len(parts) > 1 else ""


# ---- Compiling


def compile_(compiler: str, arguments: Sequence[str], folder: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    command = [compiler, *COMPILERS[compiler], *arguments]
    ended = run_program(command, seconds=SECONDS, folder=folder)
    if ended.returncode != 0 and "coroutine support" in ended.output:
        pytest.skip(f"{compiler} does not know C++20 coroutines")
    assert ended.returncode == 0, ended.output


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[List[str]]:
    """The reference's layers, as objects to link with."""
    folder = tmp_path_factory.mktemp("runtime")
    layers = [KIT_ROOT / "solutions" / milestone.path for milestone in MILESTONES[:4]]
    sources = [*map(str, layers), f"{KIT_ROOT}/milestones/m3-sleep/clock.c"]
    compile_("gcc", ["-c", "-O1", *sources], folder)
    yield [str(path) for path in sorted(folder.glob("*.o"))]


def cases_of(blocks: Sequence[Block]) -> "List[object]":
    return [
        pytest.param(block, compiler, id=f"{block.file}-{compiler}")
        for block in blocks
        for compiler in LANGUAGES[block.language]
    ]


@pytest.mark.parametrize("block, compiler", cases_of(PROGRAMS))
def test_a_program_prints_what_the_page_says(
    block: Block, compiler: str, runtime: List[str], tmp_path: Path
) -> None:
    assert block.file is not None
    (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    name = Path(block.file).stem
    objects = runtime if block.language == "c" else []
    compile_(compiler, ["-O1", block.file, *objects, "-o", name], tmp_path)
    ended = run_program([str(tmp_path / name)], seconds=SECONDS, folder=tmp_path)
    assert ended.returncode == 0, ended.output
    if name in outputs(block.page):
        assert ended.output == outputs(block.page)[name], block.place


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_pieces_compile(page: Path, compiler: str, tmp_path: Path) -> None:
    language = "c" if compiler in LANGUAGES["c"] else "cpp"
    text = pieces(page, language)
    if text:
        (tmp_path / f"pieces.{language}").write_text(text, encoding="utf-8")
        compile_(compiler, [*PIECES_MAY, "-fsyntax-only", f"pieces.{language}"], tmp_path)


def test_every_block_is_of_a_known_kind() -> None:
    kinds = {block.place: block.language for block in BLOCKS}
    assert set(kinds.values()) <= {"c", "cpp", "text"}, kinds
    named = [block.file for block in PROGRAMS]
    assert len(named) == len(set(named))
    shown = {name for page in PAGES for name in outputs(page)}
    assert shown <= {Path(name or "").stem for name in named}


def test_a_planted_error_is_found(tmp_path: Path) -> None:
    """In a program's output, and in a piece of each language."""
    good = (CONCEPTS / "coroutine.md").read_text(encoding="utf-8")
    for language, compiler, right, wrong in (
        ("cpp", "g++", "bool await_ready()", "book await_ready()"),
        ("c", "gcc", "co_handle frame)", "co_handel frame)"),
    ):
        assert right in good
        page = tmp_path / "planted.md"
        page.write_text(good.replace(right, wrong, 1), encoding="utf-8")
        (tmp_path / f"x.{language}").write_text(pieces(page, language), encoding="utf-8")
        with pytest.raises(AssertionError, match=rf"planted.md:\d+:\d+: .*{wrong.split()[0]}"):
            compile_(compiler, [*PIECES_MAY, "-fsyntax-only", f"x.{language}"], tmp_path)


# ---- Measurements


def test_frames_have_the_sizes_of_the_page(tmp_path: Path) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("the page says what was measured on x86-64")
    compile_("gcc", ["-O1", str(MEASUREMENTS / "sizes.c"), "-o", "sizes"], tmp_path)
    ended = run_program([str(tmp_path / "sizes")], seconds=SECONDS)
    page = (CONCEPTS / "stacks.md").read_text(encoding="utf-8")
    sizes = re.findall(r"^(\w[^:]*): (\d+) bytes$", ended.output, re.MULTILINE)
    assert [name for name, _ in sizes][:3] == ["two pointers", "awaiter", "task"]
    for name, size in sizes:
        assert f"| {size} |" in page or f"has {size} bytes" in page, name
    assert len(re.findall(r": \d+ bytes of stack, in \d+ pages$", ended.output, re.MULTILINE)) == 3


@pytest.mark.parametrize("compiler", LANGUAGES["cpp"])
def test_cpp_frames_can_be_measured(compiler: str, tmp_path: Path) -> None:
    source = str(MEASUREMENTS / "frame_sizes.cpp")
    compile_(compiler, ["-O0", source, "-o", "frame_sizes"], tmp_path)
    ended = run_program([str(tmp_path / "frame_sizes")], seconds=SECONDS)
    sizes = [int(size) for size in re.findall(r"awaits?: (\d+) bytes", ended.output)]
    assert len(sizes) == 3 and sizes == sorted(sizes)


def test_one_order_for_all_leaves_nobody_blind(tmp_path: Path) -> None:
    compile_("gcc", ["-O1", "-pthread", str(MEASUREMENTS / "litmus.c"), "-o", "litmus"], tmp_path)
    ended = run_program([str(tmp_path / "litmus")], seconds=SECONDS)
    blind = re.findall(r"^(\w.*): both were blind in (\d+) of 200000 rounds$", ended.output, re.MULTILINE)
    assert [title for title, _ in blind] == ["release and acquire", "seq_cst"]
    assert blind[1][1] == "0"


def strace_works() -> bool:
    return shutil.which("strace") is not None and (
        run_program(["strace", "-qq", "-o", "/dev/null", "true"], seconds=SECONDS).returncode == 0
    )


def test_wake_ups_are_as_the_page_explains(runtime: List[str], tmp_path: Path) -> None:
    if not strace_works():
        pytest.skip("strace does not work here")
    rounds = 50
    program = sorted((KIT_ROOT / "milestones" / MILESTONES[4].folder).glob("*.c"))
    solution = KIT_ROOT / "solutions" / MILESTONES[4].path
    m5 = [str(path) for path in program if path.name != solution.name] + [str(solution)]
    compile_("gcc", ["-O1", *m5, *runtime, "-o", "echo-server"], tmp_path)
    script = [sys.executable, str(MEASUREMENTS / "wakeups.py"), "echo-server"]
    ended = run_program([*script, "--rounds", str(rounds)], seconds=120, folder=tmp_path)
    rows = re.findall(r"\| (edge|level) \| (\d+) \| (\d+) \| (\d+) \|", ended.output)
    assert len(rows) == 12, ended.output
    numbers = [tuple(map(int, row[1:])) for row in rows]
    edge, level = numbers[0::2], numbers[1::2]
    assert edge[0] == level[0] == (0, 0, 0), "idle: nothing"
    for k in (1, 2):
        assert abs(edge[k][0] - rounds) <= 2 and edge[k][1] == 0, "an echo: a wake-up, no epoll_ctl"
        assert abs(level[k][0] - rounds) <= 2 and level[k][1] >= 2 * rounds - 2
    assert edge[3][1] == 2 * rounds and level[3][1] >= 4 * rounds, "a connection: ADD and DEL"
    assert edge[5][0] > 0 and edge[5][1] == 0 and level[5] == (0, 0, 0), "the deaf: for nothing"


# ---- Form


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_form(page: Path) -> None:
    """A title, the sentence to remember, a picture; at the end what to read on. Not too long."""
    text = page.read_text(encoding="utf-8")
    assert re.match(r"# \S.*\n\n(> .+\n)+\n", text), "no title with a sentence to remember"
    assert "\n```text\n" in text, "no picture"
    assert text.rstrip().split("\n\n")[-1].startswith("Read on: "), "no sources"
    for number, line in enumerate(text.splitlines(), 1):
        assert len(line) <= 120 or line.startswith("|"), f"{page.name}:{number} is too long"
    if page in LESSONS:
        assert 80 <= text.count("\n") <= 160


def anchors(page: Path) -> List[str]:
    """As GitHub and most site builders make them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", [*PAGES, ANSWERS], ids=[*PAGE_NAMES, ANSWERS.stem])
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", prose)
    for link in links:
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link
        if page != ANSWERS:  # students have neither
            assert not {"solutions", "instructor", "mutants"} & set(target.parts), link


def test_every_page_is_listed() -> None:
    index = (CONCEPTS / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"({page.name})" not in index] == ["README.md"]


def numbers_in(page: Path) -> List[str]:
    return re.findall(r"^- (\d+[abc])\. \S", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_question_has_its_answer() -> None:
    questions = numbers_in(CONCEPTS / "oral-exam.md")
    assert len(questions) >= 20
    topics = range(1, len(questions) // 3 + 1)
    assert questions == [f"{topic}{depth}" for topic in topics for depth in "abc"]
    assert numbers_in(ANSWERS) == questions


def test_nothing_of_the_solution_is_told() -> None:
    shared = read_shared(SHARED_LINES)
    secrets = read_secrets(KIT_ROOT / "solutions", KIT_ROOT / "milestones", shared)
    for path in [*PAGES, *MEASUREMENTS.iterdir()]:
        if path.is_file():
            assert secrets.in_text(path.read_text(encoding="utf-8")) == [], path.name
