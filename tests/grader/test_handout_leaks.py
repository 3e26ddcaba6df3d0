"""A line of the solution is found wherever it is planted, and what students may write is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import KIT_ROOT

from grader.exit_codes import KitFailed
from grader.handout.check import SHARED_LINES, check_content
from grader.handout.leaks import LINE_SIZE, Secrets, read_secrets, read_shared
from grader.handout.manifest import read_manifest
from grader.kit import MILESTONES, Kit

# Taken out of the solution at each run, so that the tests follow it.
SOLUTION = (KIT_ROOT / "solutions/m3-sleep/timers.c").read_text(encoding="utf-8").splitlines()
LINE = next(line for line in SOLUTION if "is_before(&" in line and len(line) > 2 * LINE_SIZE)


@pytest.fixture(scope="module")
def secrets() -> Secrets:
    return read_secrets(KIT_ROOT / "solutions", KIT_ROOT / "milestones", read_shared(SHARED_LINES))


@pytest.mark.parametrize(
    "name, form",
    [
        ("milestones/m3-sleep/timers.c", "{line}"),
        ("milestones/m3-sleep/timers.h", "/*\n * {line}\n */"),
        ("tests/m3-sleep/removal.c", "// {line}"),
        ("README.md", "Write `{line}` here."),
        ("milestones/m3-sleep/README.md", "    {line}"),
        ("grader/kit.py", "# {line}"),
        ("grader/kit.py", 'HINT = """{line}"""'),
        ("CMakeLists.txt", "#{line}"),
        ("tests/m3-sleep/cases.def", "/* {line} */"),
    ],
)
def test_a_planted_line_is_found(name: str, form: str) -> None:
    files = {name: path.read_bytes() for name, path in read_manifest(KIT_ROOT).items()}
    files[name] += f"\n{form.format(line=LINE)}\n".encode()
    with pytest.raises(KitFailed) as raised:
        check_content(Kit(KIT_ROOT), files)
    assert "students would see the solution" in str(raised.value)
    number = files[name].decode().count("\n") - (1 if form.endswith("*/") and "\n" in form else 0)
    assert f"{name}: line {number} has solutions/m3-sleep/timers.c" in str(raised.value)


def test_another_layout_hides_nothing(secrets: Secrets) -> None:
    assert secrets.in_text(LINE.replace("(", " ( ").replace("&", "\n\t& "))


def test_every_long_line_of_every_body_is_a_secret(secrets: Secrets) -> None:
    """But for the shared ones: nothing is let off because a stub or a test has it today."""
    shared = read_shared(SHARED_LINES)
    for milestone in MILESTONES:
        text = (KIT_ROOT / "solutions" / milestone.path).read_text(encoding="utf-8")
        bodies = [part.split("\n}")[0] for part in text.split("\n{\n")[1:]]
        lines = [line for body in bodies for line in body.splitlines()]
        long = [line for line in lines if len("".join(line.split())) >= LINE_SIZE + 8]
        assert len(long) > 20
        for line in long:
            squeezed = "".join(line.split())
            if not any(part in squeezed for part in shared):
                assert secrets.in_text(f"# {line}"), line


def test_a_comment_of_a_body_is_a_secret(secrets: Secrets) -> None:
    text = (KIT_ROOT / "solutions/m5-echo-server/echo_server.c").read_text(encoding="utf-8")
    whole_line = re.search(r"^    +/\* (.{30,}) \*/$", text, re.MULTILINE)
    after_code = re.search(r"^    +\w.*; /\* (.{30,}) \*/$", text, re.MULTILINE)
    for found in (whole_line, after_code):
        assert found is not None and secrets.in_text(f"A sentence. {found[1]} And another.")


def write(folder: Path, text: str) -> Secrets:
    (folder / "solutions").mkdir(parents=True)
    (folder / "milestones").mkdir()
    (folder / "solutions/x.c").write_text(text, encoding="utf-8")
    return read_secrets(folder / "solutions", folder / "milestones", set())


SHORT = "int f(int a)\n{\n    int left = a / 2;\n    left += g(a, 7);\n\n    return left | h(a);\n}\n"


def test_short_lines_count_together(tmp_path: Path) -> None:
    found = write(tmp_path, SHORT)
    two = "    int left = a / 2;\n    left += g(a, 7);\n    return 0;\n"
    assert found.in_text(two) == []
    three = "text\n> int left = a/2;\n>\n> left += g(a, 7); /* now */\n> return left | h(a);\ntext\n"
    [leak] = found.in_text(three)
    assert leak.startswith("line 2 has 3 lines from solutions/x.c:3: ")


def test_a_run_of_what_anybody_writes_is_none(tmp_path: Path) -> None:
    text = "int f(void)\n{\n    free(t);\n    t = NULL;\n    return 0;\n}\n"
    assert write(tmp_path, text).in_text(text.split("{\n")[1]) == []


def test_what_the_headers_say_is_known(tmp_path: Path) -> None:
    """But for the lines of a body: somebody has planted those."""
    (tmp_path / "milestones").mkdir()
    (tmp_path / "solutions").mkdir()
    signature = "int timers_do_something(timers *t, int64_t deadline)"
    (tmp_path / "milestones/x.h").write_text(f"{signature};\n", encoding="utf-8")
    (tmp_path / "solutions/x.c").write_text(
        f"{signature}\n{{\n    return t->something_secret_is_done(t, deadline);\n}}\n",
        encoding="utf-8",
    )
    found = read_secrets(tmp_path / "solutions", tmp_path / "milestones", set())
    assert found.in_text(f"{signature}\n{{\n}}\n") == []
    body = "    return t->something_secret_is_done(t, deadline);"
    (tmp_path / "milestones/x.h").write_text(f"{signature};\n{body}\n", encoding="utf-8")
    found = read_secrets(tmp_path / "solutions", tmp_path / "milestones", set())
    assert found.in_text(body) != []
    assert found.in_text("x = t->something_secret_is_done(t, deadline);") == []
    assert found.in_text("return t->something_secret_is_done(t, deadline);") != []


def test_the_text_of_a_binary_is_searched(secrets: Secrets) -> None:
    assert secrets.in_binary(b"\x00\xff\x7fELF\x00" + LINE.strip().encode() + b"\x00\x01") != []
    assert secrets.in_binary(b"\x00\xff\x7fELF\x00harmless text\x00") == []


def test_shared_lines_are_needed(secrets: Secrets) -> None:
    """Each is a line of the solution that is also somewhere in the handout."""
    all_secrets = read_secrets(KIT_ROOT / "solutions", KIT_ROOT / "milestones", set())
    texts = [path.read_text(encoding="utf-8") for path in read_manifest(KIT_ROOT).values()]
    handout = "".join("".join(text.split()) for text in texts)
    in_runs = {line for run in all_secrets.runs for line in run}
    for line in read_shared(SHARED_LINES):
        assert line in all_secrets.lines or line in in_runs, f"not in the solution: {line}"
        assert line in handout, f"not in the handout: {line}"
