"""Reads the ./lab commands that pages show, and says which of them do not exist."""

from __future__ import annotations

import re
import shlex
from typing import Iterator, List, Sequence

import click

from grader.exit_codes import WrongUse
from grader.plan import PlannedTest
from grader.selection import select_tests

# Up to where words begin that explain it: two blanks, or what only a shell understands.
_COMMAND = re.compile(r"(?<![\w./])\./lab((?: [^\s`|<>#&;]+)*)")
# What the reader puts something else in the place of.
_PLACE = re.compile(r"(?:m\d\.)?[A-Z][A-Z0-9_]*$|\[|\.\.\.|/")
_CODE = re.compile(
    r"^(`{3,})\w*\n(.*?)^\1$"  # between fences
    r"|^( {4}[^\n]*)$"  # indented
    r"|(?<!`)`([^`]+)`(?!`)",  # in a sentence
    re.MULTILINE | re.DOTALL,
)


def shown(markdown: str) -> List[str]:
    """The commands in a page's code, whole or in a sentence, without ./lab."""
    return [command.strip() for code in _pieces_of_code(markdown) for command in _in_code(code)]


def complaint(group: click.Group, tests: Sequence[PlannedTest], command: str) -> str:
    """Empty, if `./lab command` is understood, and the tests in it are there. Runs nothing."""
    try:
        words = shlex.split(command)
        if not words or words[0] in ("--help", "-h"):
            return ""
        found = group.get_command(click.Context(group), words[0])
        if found is None:
            return f"./lab {command}: there is no such command"
        arguments = _arguments(found, words[1:])
        if words[0] == "test":
            select_tests(tests, [a for a in arguments if not _PLACE.match(a)])
    except (click.UsageError, WrongUse, ValueError) as error:
        text = error.format_message() if isinstance(error, click.UsageError) else str(error)
        return f"./lab {command}: {text}"
    return ""


def _arguments(command: click.Command, words: List[str]) -> List[str]:
    """UsageError for an unknown option, or one without its value. Types are not looked at."""
    if "--help" in words:
        return []
    parser = command.make_parser(click.Context(command))
    values, rest, _ = parser.parse_args(args=list(words))
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            value = values.get(parameter.name or "") or ()
            rest += [value] if isinstance(value, str) else list(value)
    return rest


def _pieces_of_code(markdown: str) -> Iterator[str]:
    for match in _CODE.finditer(markdown):
        yield next(group for group in match.groups()[1:] if group is not None)


def _in_code(code: str) -> Iterator[str]:
    """A line that ends with a backslash goes on in the next one."""
    for match in _COMMAND.finditer(re.sub(r"\\\n\s*", "", code)):
        yield match[1]
