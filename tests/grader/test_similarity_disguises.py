"""What people do to a copied file so that it looks like their own; and it is found all the same."""

from __future__ import annotations

import random
import re
from itertools import combinations
from typing import Callable, Dict, List, Mapping, Tuple

import pytest

from grader.kit import MILESTONES, Milestone, find_kit
from grader.mutants.patching import apply_patch
from grader.similarity import SharedCode, SourceSet, find_shared
from grader.similarity.shared import PARTNERS

KIT = find_kit()
GIVEN = {
    str(path.relative_to(KIT.milestones)): path.read_bytes()
    for path in sorted(KIT.milestones.glob("*/*.[ch]"))
}
INTERFACE = "".join(text.decode() for path, text in GIVEN.items() if path.endswith(".h"))

each_milestone = pytest.mark.parametrize("milestone", MILESTONES, ids=lambda m: str(m.id))

_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DECLARED = re.compile(r"\b([A-Za-z_]\w*)[ *]+([A-Za-z_]\w*)\b(?=\s*[;,=()\[])")
_NOT_A_TYPE = {"return", "else", "case", "goto", "sizeof", "do", "define", "include", "struct"}
_FUNCTION = re.compile(r"^[a-z][^\n;{}]*\n(?: +[^\n;{}]*\n)*\{\n(?:.*\n)*?\}\n", re.MULTILINE)
_STATEMENT = re.compile(r"^( +)(?!return|break|continue|goto| ).*;\n", re.MULTILINE)
_FOR = re.compile(
    r"^( *)for \(([^;\n]+); ([^;\n]+); ([^;\n]+)\) \{$\n((?:\1 .*\n|\n)*)\1\}$", re.MULTILINE
)


def renamed(source: str, keep: str) -> str:
    """Other names for all that the file declares itself and that is not in `keep`."""
    declared = {name for kind, name in _DECLARED.findall(source) if kind not in _NOT_A_TYPE}
    names = {name for name in declared if not name.isupper()} - set(_WORD.findall(keep))
    names |= {name for name in declared if len(name) == 1}
    new = {name: f"my{number}_{name[::-1]}" for number, name in enumerate(sorted(names))}
    lines = source.splitlines(keepends=True)
    return "".join(
        line
        if line.startswith("#include")
        else _WORD.sub(lambda word: new.get(word.group(), word.group()), line)
        for line in lines
    )


def reformatted(source: str) -> str:
    """Every line break at another place; no blank line."""
    lines: List[str] = []
    for line in source.splitlines():
        if not line.startswith("#") and "define" not in line and '"' not in line:
            line = re.sub(r" ?([{(]) ?", r"\n\t\1\n", line.replace("    ", "\t"))
        lines += [part for part in line.splitlines() if part.strip()]
    return "\n".join(lines) + "\n"


def other_comments(source: str) -> str:
    return _COMMENT.sub("", source).replace("{\n", "{ // begin of the block\n")


def reordered(source: str) -> str:
    """The functions in random order, after all else and declarations of those that need one."""
    functions = [match.group() for match in _FUNCTION.finditer(source)]
    heads = [text[: text.index("\n{")] for text in functions if text.startswith("static")]
    random.Random(1).shuffle(functions)
    return "".join([_FUNCTION.sub("", source), *(f"{head};\n" for head in heads), *functions])


def padded(source: str, every: int = 6) -> str:
    """A statement that does nothing after every few statements."""
    count = 0

    def add(statement: "re.Match[str]") -> str:
        nonlocal count
        count += 1
        pad = f"{statement.group(1)}(void)getpid();\n" if count % every == 0 else ""
        return statement.group() + pad

    return _FUNCTION.sub(lambda function: _STATEMENT.sub(add, function.group()), source)


def other_loops(source: str) -> str:
    """Every other `for` as a `while`."""
    count = 0

    def change(loop: "re.Match[str]") -> str:
        nonlocal count
        count += 1
        indent, first, condition, step, body = loop.groups()
        if count % 2 == 0:
            return loop.group()
        begin = f"{indent}{first};\n{indent}while ({condition}) {{\n"
        return f"{begin}{body}{indent}    {step};\n{indent}}}"

    return _FOR.sub(change, source)


def all_at_once(source: str, keep: str) -> str:
    changed = padded(other_loops(reordered(_COMMENT.sub("", source))))
    return reformatted(other_comments(renamed(changed, keep)))


DISGUISES: Dict[str, Callable[[str, str], str]] = {
    "renamed": renamed,
    "reformatted": lambda source, keep: reformatted(source),
    "other comments": lambda source, keep: other_comments(source),
    "reordered": lambda source, keep: reordered(source),
    "padded": lambda source, keep: padded(source),
    "other loops": lambda source, keep: other_loops(source),
    "all at once": all_at_once,
    "half and half": lambda source, keep: source[: len(source) // 2],
}


def originals(milestone: Milestone) -> Dict[str, str]:
    """The reference and the variants: right, and not copied from each other."""
    paths = [KIT.solutions / milestone.path]
    paths += sorted((KIT.root / "tests/variants").glob(f"{milestone.id}-*/{milestone.source}"))
    return {path.parent.name: path.read_text(encoding="utf-8") for path in paths}


def found_in(milestone: Milestone, sources: Mapping[str, str]) -> Dict[Tuple[str, str], SharedCode]:
    submissions = [SourceSet(name, {milestone.path: s.encode()}) for name, s in sources.items()]
    return {(shared.first, shared.second): shared for shared in find_shared(submissions, GIVEN)}


def mutants(milestone: Milestone, step: int) -> Dict[str, str]:
    """Copies of the reference, each with one change; every step-th of them."""
    reference = (KIT.solutions / milestone.path).read_text(encoding="utf-8")
    patches = sorted((KIT.root / "tests/mutants" / milestone.id).glob("*.patch"))
    return {
        path.stem: apply_patch(path.read_text(encoding="utf-8"), reference)
        for path in patches[::step]
    }


@each_milestone
def test_right_solutions_of_different_design_are_not_reported(milestone: Milestone) -> None:
    assert len(originals(milestone)) >= 2
    assert found_in(milestone, originals(milestone)) == {}


@each_milestone
@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguised_copy_is_reported(milestone: Milestone, disguise: str) -> None:
    """It, and nobody else, in a class of people who worked for themselves."""
    sources = originals(milestone)
    for victim, source in sources.items():
        copy = DISGUISES[disguise](source, INTERFACE)
        assert copy != source or disguise == "other loops"  # not every file has one
        found = found_in(milestone, {**sources, "the copy": copy})
        assert list(found) == [tuple(sorted((victim, "the copy")))]
        [shared] = found.values()
        assert shared.share > 0.55
        assert shared.regions


@each_milestone
def test_mutants_are_reported_as_copies_of_each_other(milestone: Milestone) -> None:
    copies = mutants(milestone, step=10)
    assert 2 < len(copies) <= PARTNERS + 1
    found = found_in(milestone, {**originals(milestone), **copies})
    assert set(found) == set(combinations(sorted([milestone.folder, *copies]), 2))
    assert min(shared.share for shared in found.values()) > 0.8


@each_milestone
def test_each_is_reported_when_most_hand_in_the_same(milestone: Milestone) -> None:
    copies = mutants(milestone, step=2)
    others = originals(milestone)
    del others[milestone.folder]
    found = found_in(milestone, {**others, **copies})
    assert {name for pair in found for name in pair} == set(copies)


@each_milestone
def test_stubs_are_not_reported(milestone: Milestone) -> None:
    """Untouched, renamed, and with the first bodies written."""
    stub = (KIT.milestones / milestone.path).read_text(encoding="utf-8")
    begun = stub.replace("    not_implemented();", "    return 0;", 3)
    sources = {"ann": stub, "bob": stub, "eve": renamed(stub, ""), "abe": begun, "amy": begun}
    assert found_in(milestone, sources) == {}


def test_given_files_handed_in_are_not_reported() -> None:
    """A student who pastes co.h or main.c into a file has copied nothing from the others."""
    text = "".join(source.decode() for path, source in sorted(GIVEN.items()))
    assert found_in(MILESTONES[0], {"ann": text, "bob": text}) == {}
