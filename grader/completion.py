"""What the shell offers at <Tab>: click knows commands and options, this knows the tests' names."""

from __future__ import annotations

import itertools
from typing import List, Sequence

import click
from click.shell_completion import CompletionItem, ShellComplete

from grader.check_list import read_checks
from grader.kit import END_TO_END_POINTS, Kit, find_kit
from grader.plan import c_tests

SHELLS = ("bash", "zsh")

# Each asks `lab completion SHELL -- WORD ...`, whose last word is the one to complete. The answer
# is a line for each possibility: plain,WORD; or file, or dir, for what the shell can do better.
_BASH = """\
_lab_completion() {
    local kind value program=${COMP_WORDS[0]/#\\~/$HOME}
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
        plain) COMPREPLY+=("$value") ;;
        file) compopt -o default ;;
        dir) compopt -o dirnames ;;
        esac
    done < <("$program" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o nosort -F _lab_completion lab
"""

_ZSH = """\
#compdef lab
_lab() {
    local line
    local -a offered
    for line in "${(@f)$(${~words[1]} completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
        plain,*) offered+=("${line#plain,}") ;;
        file,*) _files ;;
        dir,*) _files -/ ;;
        esac
    done
    (( $#offered )) && compadd -V tests -- "${offered[@]}"
}
if [[ ${funcstack[1]} == _lab ]]; then # autoloaded from a file in $fpath
    _lab "$@"
else
    compdef _lab lab
fi
"""


def script(shell: str) -> str:
    return {"bash": _BASH, "zsh": _ZSH}[shell]


def answer(lab: click.Command, words: Sequence[str]) -> List[str]:
    """`words`: after the program's name, to the one that is being completed."""
    *before, incomplete = words
    asked = ShellComplete(lab, {}, "./lab", "")
    return [f"{item.type},{item.value}" for item in asked.get_completions(before, incomplete)]


def complete_tests(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> List[CompletionItem]:
    """For arguments that are tests: the milestones first, and the tests of one that was named."""
    del context, parameter
    groups, tests = _names(find_kit())
    wanted = [name for name in groups if name.startswith(incomplete)]
    if incomplete in groups or "." in incomplete:
        wanted += [name for name in tests if name.startswith(incomplete)]
    return [CompletionItem(name) for name in wanted]


def _names(kit: Kit) -> "tuple[List[str], List[str]]":
    groups = [lab.id for lab in kit.labs] + list(END_TO_END_POINTS)
    cases = itertools.chain.from_iterable(c_tests(kit, lab) for lab in kit.labs)
    return groups, [test.id for test in [*cases, *read_checks(kit)]]
