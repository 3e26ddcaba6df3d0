"""What of a C file stays when it is disguised, and that no file takes long."""

from __future__ import annotations

import time
from typing import List

import pytest

from grader.similarity.tokens import WIDTH, tokenize


def codes(source: str) -> List[bytes]:
    found = tokenize(source.encode()).codes
    return [found[i : i + WIDTH] for i in range(0, len(found), WIDTH)]


SOURCE = "static int sum(int a, int b)\n{\n    return a + b; /* both */\n}\n"


@pytest.mark.parametrize(
    "disguised",
    [
        "static int add(int x, int other) { return x + other; }",
        "static\tint sum(int a,int b){\r\n\r\n  return a+b;// the sum\r\n}\r\n",
        "\ufeff#include <stdio.h>\n # include \"task.h\"\n" + SOURCE,
        SOURCE.replace("a + b", "a \\\n + /* plus\n */ b"),
        SOURCE.replace("sum", "task_get"),
        SOURCE + "/* never closed",
        SOURCE + "// " + "long " * 1000 + "\n",
        SOURCE + "// goes on \\\n int x;\n",
    ],
)
def test_a_disguise_changes_no_token(disguised: str) -> None:
    assert codes(disguised) == codes(SOURCE)


@pytest.mark.parametrize(
    "one, other",
    [
        ("a + b;", "a - b;"),
        ("while (a) {}", "if (a) {}"),
        ("a = b;", "a == b;"),
        ("x = 1;", "x = y;"),
        ('x = "1";', "x = 1;"),
        ("free(a);", "free(a, b);"),
        ("return (a);", "sizeof (a);"),
        ("#define a 1", "a 1"),
    ],
)
def test_structure_is_seen(one: str, other: str) -> None:
    assert codes(one) != codes(other)


def test_literals_are_their_kind() -> None:
    assert codes("x(0x1F, 'a', 1.5e-9, \"b\\\"c\")") == codes("x(1, 2, 3, u8\"\")")
    assert codes("x('\\n', 1e+5)") == codes("x(1, 2)")


def test_every_token_keeps_its_line() -> None:
    source = b'a\n/* 2\n3 */ b\n"str\\\ning" c // 5 \\\n 6\n d\\\n e'
    assert list(tokenize(source).lines) == [1, 3, 4, 5, 7, 8]


def test_an_unterminated_string_ends_with_its_line() -> None:
    assert codes('a = "never closed\nb = c;') == codes('a = "x"\nb = c;')


def test_what_is_no_text_gives_tokens_all_the_same() -> None:
    assert len(tokenize(bytes(range(256)) * 4)) > 80
    assert len(tokenize(b"")) == 0
    assert codes("größe = 1;") == codes("size = 1;")


MEGABYTE = 1 << 20
HOSTILE = [b"(", b"{", b"{;", b"*", b"***f(", b"a*f(", b"f(*", b"a b ", b" ", b"#", b" \t#"]
HOSTILE += [b"\\\n"]
HOSTILE += [b'"', b'"\\', b"\\a", b"'", b"/*", b"//\\\n", b"1", b"1e+", b".", b"L", b"\0", b"\xff"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_is_done_at_once(piece: bytes) -> None:
    """Some 0.7 s here; what grows with the square of the length would take hours."""
    before = time.process_time()
    tokens = tokenize(b'"' + piece * (MEGABYTE // len(piece)))
    assert time.process_time() - before < 20
    assert len(tokens.codes) == WIDTH * len(tokens) <= WIDTH * (MEGABYTE + 1)
