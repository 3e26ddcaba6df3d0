"""What pages show as code is code: each block is compiled, or read by what it is for."""

from __future__ import annotations

import json
import re
from typing import Callable, Dict, List

import tomli

from grader.exit_codes import KitFailed, WrongUse
from grader.kit import MILESTONES, OPTIONAL
from grader.rubric import read_rubric
from grader.selftest.page_code import Block, blocks, pages
from grader.selftest.tester import CheckFailed, Tester, require
from grader.selftest.workshop import Workshop

_WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
_WARNINGS += ["-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-parameter"]
_C = ["gcc", "-std=gnu17", "-D_GNU_SOURCE", *_WARNINGS]
_CPP = ["g++", "-std=c++20", *_WARNINGS]
_C_GIVEN = '#include "echo_server.h"\n#include "lab_test.h"\n'
_CPP_GIVEN = "#include <coroutine>\n#include <cstdio>\n#include <exception>\n"
_COROLAB_GIVEN = '#include "corolab.hpp"\n#include "corolab/sync.hpp"\n#include "corolab/thread_pool.hpp"\n'
_COROLAB = "x3-cpp20"  # the folder of the C++20 face, which is no lab to be graded
_FRAGMENT = re.compile(r"fragment: \S.*")  # behind ```c, with the reason
_TESTED_BY_PYTEST = "docs/concepts/"  # test_concepts.py runs them, too
_LIKE_C = re.compile(r"^\s*(?:#include\b.*|[{}]|\S.*[;{]\s*(?:/\*.*\*/|//.*)?)$", re.MULTILINE)


def check_code_blocks(workshop: Workshop, tester: Tester) -> None:
    for page, path in pages(workshop.kit).items():
        found = blocks(path.read_text(encoding="utf-8"))
        code = [block for block in found if block.language != "sh"]  # the part commands runs it
        if code and not page.startswith(_TESTED_BY_PYTEST):
            with tester.check(f"{page}: {len(code)} blocks that are what they say"):
                told = [(block.line, complaint(workshop, block)) for block in code]
                wrong = [f"{page}:{line}: {why}" for line, why in told if why]
                require(not wrong, "\n".join(wrong))


def complaint(workshop: Workshop, block: Block) -> str:
    """Empty, if it is what it says."""
    if block.language not in _CHECKS:
        return f"```{block.language} is none of {', '.join(_CHECKS)}"
    try:
        _CHECKS[block.language](workshop, block)
    except (CheckFailed, KitFailed, WrongUse, ValueError) as problem:
        return str(problem)
    return ""


def _check_c(workshop: Workshop, block: Block) -> None:
    """As a file; or, if it is a few statements, as the inside of a function."""
    if _FRAGMENT.fullmatch(block.note):
        return
    kit = workshop.kit
    includes = [f"-I{kit.milestones / lab.folder}" for lab in kit.labs]
    includes.append(f"-I{kit.root / 'tests' / 'support'}")
    inside = f"void block(void);\nvoid block(void)\n{{\n{block.text}}}\n"
    outputs = [_compiler_says(workshop, [*_C, *includes], "c", _C_GIVEN + text) for text in (block.text, inside)]
    said = f"as a file:\n{outputs[0]}\nas statements:\n{outputs[-1]}"
    require("" in outputs, said)


def _check_cpp(workshop: Workshop, block: Block) -> None:
    """By itself; or with the kit's own C++ headers."""
    if _FRAGMENT.fullmatch(block.note):
        return
    kit = workshop.kit
    includes = [f"-I{kit.milestones / folder}" for folder in (_COROLAB, *(lab.folder for lab in MILESTONES))]
    includes += [f"-idirafter{kit.milestones / lab.folder}" for lab in OPTIONAL]  # x1 has a semaphore.h
    outputs = [
        _compiler_says(workshop, [*_CPP, *includes], "cpp", given + block.text)
        for given in (_CPP_GIVEN, _COROLAB_GIVEN)
    ]
    require("" in outputs, f"by itself:\n{outputs[0]}\nwith corolab.hpp:\n{outputs[-1]}")


def _compiler_says(workshop: Workshop, command: List[str], ending: str, text: str) -> str:
    source = workshop.folder / f"block.{ending}"
    source.write_text(text, encoding="utf-8")
    ended = workshop.try_run([*command, str(source)], seconds=60)
    return "" if ended.returncode == 0 else ended.output or "it does not compile"


def _check_text(workshop: Workshop, block: Block) -> None:
    """What is no C yet, because the reader is to complete it, is ```c fragment: with the reason."""
    like_code = _LIKE_C.findall(block.text)
    require(len(like_code) < 2, f"this looks like C, and is not compiled: {like_code[:2]}")


def _check_toml(workshop: Workshop, block: Block) -> None:
    """All TOML that pages show is part of a rubric."""
    tomli.loads(block.text)
    path = workshop.folder / "block.toml"
    path.write_text(block.text, encoding="utf-8")
    read_rubric(path)


def _check_json(workshop: Workshop, block: Block) -> None:
    json.loads(block.text)


_CHECKS: Dict[str, Callable[[Workshop, Block], None]] = {
    "c": _check_c,
    "cpp": _check_cpp,
    "json": _check_json,
    "text": _check_text,
    "toml": _check_toml,
}
