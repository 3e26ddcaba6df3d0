"""The commands of ./lab that make a student's life easier, and decide nothing."""

from __future__ import annotations

from typing import List, Tuple

import click

from grader.check_list import read_checks
from grader.completion import SHELLS, answer, complete_tests, script
from grader.exit_codes import WrongUse
from grader.hints import hints_for
from grader.kept_progress import KeptProgress
from grader.kit import Kit, find_kit
from grader.plan import PlannedTest, c_tests
from grader.selection import select_tests
from grader.status import print_status
from grader.terminal import make_console


@click.command("hint")
@click.argument("name", metavar="TEST", shell_complete=complete_tests)
@click.option("--again", is_flag=True, help="The one that was shown last.")
@click.option("--all", "show_all", is_flag=True, help="All three.")
def hint_command(name: str, again: bool, show_all: bool) -> None:
    """Show a hint for a TEST that fails. There are three for each, each more telling: ask again for
    the next one. None of them is code."""
    if again and show_all:
        raise WrongUse("--again or --all, not both")
    kit = find_kit()
    test = _one_test(kit, name)
    hints, progress = hints_for(kit, test), KeptProgress(kit)
    shown = min(progress.hints_shown(test.id), len(hints))
    last = len(hints) if show_all else max(shown, 1) if again else min(shown + 1, len(hints))
    click.echo(f"{test.id}: {test.title}")
    for number in range(1 if show_all else last, last + 1):
        click.echo()
        click.echo(click.wrap_text(f"hint {number} of {len(hints)}: {hints[number - 1]}", width=88))
    problem = progress.keep_hints_shown(test.id, max(shown, last))
    if problem is not None:
        click.echo(f"lab: which hints you have seen cannot be kept: {problem}", err=True)
    if not show_all:
        click.echo("\n" + _what_more(test, last, len(hints)))


def _what_more(test: PlannedTest, shown: int, count: int) -> str:
    if shown < count:
        return f"Think, try, and then, if you must: ./lab hint {test.id}"
    return f"That was the last one. All of them: ./lab hint --all {test.id}"


def _one_test(kit: Kit, name: str) -> PlannedTest:
    cases = [test for lab in kit.labs for test in c_tests(kit, lab)]
    chosen = select_tests(cases + read_checks(kit), [name])
    exact: List[PlannedTest] = [test for test in chosen if test.id == name]
    if not exact:
        raise WrongUse(f"hints are for one test, and {name} is a group of them, as {chosen[0].id}")
    return exact[0]


@click.command("status")
def status_command() -> None:
    """Say what is done, what is next, and how many points the last runs of ./lab test gave.

    A result of a file that was changed afterwards is shown as such. Nothing is run."""
    print_status(make_console(), find_kit())


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="")
@click.pass_context
def completion_command(context: click.Context, shell: str, words: Tuple[str, ...]) -> None:
    """Print what makes bash or zsh complete commands, options and tests' names at <Tab>.

    \b
    To try it in this bash:   source <(./lab completion bash)
    To keep it for bash (with the package bash-completion):
        mkdir -p ~/.local/share/bash-completion/completions
        ./lab completion bash > ~/.local/share/bash-completion/completions/lab
    To keep it for zsh:
        mkdir -p ~/.zfunc && ./lab completion zsh > ~/.zfunc/_lab
        and in ~/.zshrc, before compinit: fpath+=~/.zfunc
    """
    if not words:
        click.echo(script(shell), nl=False)
        return
    for line in answer(context.find_root().command, words):
        click.echo(line)


COMMANDS = (completion_command, hint_command, status_command)
