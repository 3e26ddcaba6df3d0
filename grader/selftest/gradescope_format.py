"""What Gradescope's documentation says of results.json, as a reader that takes nothing else."""

from __future__ import annotations

from typing import Any, Dict, List

_FORMATS = ("text", "html", "simple_format", "md", "ansi")
_VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")
_NUMBER = (int, float)

_TOP: Dict[str, Any] = {
    "score": _NUMBER, "execution_time": _NUMBER, "output": str, "output_format": _FORMATS,
    "visibility": _VISIBILITIES, "stdout_visibility": _VISIBILITIES, "extra_data": dict,
    "tests": list, "leaderboard": list,
}  # fmt: skip
_TEST: Dict[str, Any] = {
    "score": _NUMBER, "max_score": _NUMBER, "status": ("passed", "failed"), "name": str,
    "number": str, "output": str, "output_format": _FORMATS, "tags": list,
    "visibility": _VISIBILITIES, "extra_data": dict,
}  # fmt: skip


def problems(results: Any, may_lack_score: bool = False) -> List[str]:
    """What Gradescope would not take; nothing if it is right. `may_lack_score`: to have no result
    recorded is what is wanted, for the machine has failed."""
    if not isinstance(results, dict):
        return ["it is no object"]
    found = _of_fields("results", results, _TOP)
    if not may_lack_score and "score" not in results and "tests" not in results:
        found.append("neither score nor tests")
    for index, test in enumerate(results.get("tests", [])):
        found += _of_fields(f"tests[{index}]", test, _TEST)
        if test.get("score", 0) > test.get("max_score", 0):
            found.append(f"tests[{index}] has more points than it can have")
    return found


def _of_fields(where: str, data: Dict[str, Any], known: Dict[str, Any]) -> List[str]:
    found = [f"{where}: unknown: {name}" for name in data if name not in known]
    for name, value in data.items():
        wanted = known.get(name)
        if isinstance(wanted, tuple) and isinstance(wanted[0], str):
            fits = value in wanted
        else:
            fits = wanted is None or (isinstance(value, wanted) and not isinstance(value, bool))
        if not fits:
            found.append(f"{where}: {name} is {value!r}")
    return found
