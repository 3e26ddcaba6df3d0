"""The end-to-end checks, read from their sources: at once, where asking pytest takes a second.

pytest has a plan of its own (`--plan-only`); a test of the kit holds the two side by side.
"""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List, Optional

from grader.kit import Kit
from grader.plan import PlannedTest


def read_checks(kit: Kit) -> List[PlannedTest]:
    """Those of m5.e2e, then those of m5.own."""
    checks = [
        (function.name[len("test_") :], said)
        for path in sorted(kit.end_to_end.glob("test_*.py"))
        for function in _functions(path.read_text(encoding="utf-8"))
        for said in [_said_by_check(function)]
        if said is not None
    ]
    tests = [test for name, said in checks for test in _on_the_reference(name, said)]
    return tests + [
        PlannedTest(f"m5.own.{name}", f"{said['title']} (own stack)", 1.0)
        for name, said in checks
        if said.get("own")
    ]


def _on_the_reference(name: str, said: Dict[str, Any]) -> Iterator[PlannedTest]:
    id, title = f"m5.e2e.{name}", said["title"]
    yield PlannedTest(id, title, float(said["points"]))
    if said.get("level_points"):
        level = f"{title} (level-triggered)"
        yield PlannedTest(f"{id}.level", level, float(said["level_points"]))


def _functions(text: str) -> Iterator[ast.FunctionDef]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def _said_by_check(function: ast.FunctionDef) -> Optional[Dict[str, Any]]:
    """The arguments of its decorator `@check(...)`; None if it has none."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "check":
            return {word.arg or "": ast.literal_eval(word.value) for word in decorator.keywords}
    return None
