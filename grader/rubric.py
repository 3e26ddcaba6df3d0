"""The rubric: points, visibility, limits and lateness, as an instructor sets them in a TOML file.

A rubric names only what differs from grader/rubric.toml. Whatever is wrong in one is told with its line.
"""

from __future__ import annotations

import dataclasses
import datetime
import fnmatch
import re
import secrets
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import tomli

from grader.exit_codes import WrongUse
from grader.model import Visibility

DEFAULT_RUBRIC = Path(__file__).with_name("rubric.toml")


@dataclasses.dataclass(frozen=True)
class Limits:
    case_seconds: float
    cpu_seconds: float
    build_seconds: float
    end_to_end_seconds: float
    memory_mib: float
    processes: float
    open_files: float
    file_mib: float
    output_kib: float


@dataclasses.dataclass(frozen=True)
class LatePolicy:
    percent: float  # of the maximum, for each day begun; 0: lateness costs nothing
    due: Optional[datetime.datetime]  # with a time zone
    grace: datetime.timedelta

    def is_over(self) -> bool:
        """Whether nobody can be in time any more."""
        now = datetime.datetime.now(datetime.timezone.utc)
        return self.due is not None and now > self.due + self.grace


@dataclasses.dataclass(frozen=True)
class Rubric:
    base: str  # "reference" or "own"
    seed: int  # never 0
    refuses_forbidden: bool
    points: Mapping[str, float]  # by milestone
    extra: Mapping[str, float]  # by optional lab
    weights: Mapping[str, float]  # by test
    visibilities: Tuple[Tuple[str, Visibility], ...]  # pattern of test ids; the last that fits counts
    limits: Limits
    late: LatePolicy

    def points_of(self, id: str) -> float:
        return self.points[id] if id in self.points else self.extra.get(id, 0.0)

    def visibility(self, test: str) -> Visibility:
        fitting = [v for pattern, v in self.visibilities if fnmatch.fnmatchcase(test, pattern)]
        return fitting[-1] if fitting else Visibility.VISIBLE


class RubricError(WrongUse):
    """What is wrong, and in which line."""


def read_rubric(path: Optional[Path] = None) -> Rubric:
    """`path`: an instructor's file; None: the kit's own."""
    rubric = _Reader(DEFAULT_RUBRIC).data
    if path is not None:
        reader = _Reader(path)
        reader.check_against(rubric)
        for key, value in reader.data.items():
            if isinstance(value, dict):
                rubric[key].update(value)
            else:
                rubric[key] = value
    return _rubric(rubric)


def check_tests(path: Path, rubric: Rubric, tests: List[str]) -> None:
    """Names in the rubric that no test has are mistakes, and would silently do nothing."""
    reader = _Reader(path)
    for name in rubric.weights:
        if name not in tests:
            raise reader.error(("weights", name), f"there is no test {name}")
    for pattern, _ in rubric.visibilities:
        if not fnmatch.filter(tests, pattern):
            raise reader.error(("visibility", pattern), f"no test is named like {pattern}")


def _rubric(data: Mapping[str, Any]) -> Rubric:
    late = data["late"]
    return Rubric(
        base=data["base"],
        seed=data["seed"] or secrets.randbelow(2**32 - 1) + 1,
        refuses_forbidden=data["forbidden"] == "refuse",
        points=data["points"],
        extra=data["extra"],
        weights=data["weights"],
        visibilities=tuple((key, Visibility(value)) for key, value in data["visibility"].items()),
        limits=Limits(**data["limits"]),
        late=LatePolicy(
            percent=late["percent"] if late["policy"] == "percent-per-day" else 0,
            due=late.get("due"),
            grace=datetime.timedelta(minutes=late["grace_minutes"]),
        ),
    )


Key = Tuple[str, ...]


class _Reader:
    """One TOML file, and in which line each of its keys is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="utf-8")
            self.data: Dict[str, Any] = tomli.loads(text)
        except OSError as error:
            raise RubricError(f"cannot read the rubric {path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise RubricError(f"the rubric {path} is not UTF-8") from error
        except tomli.TOMLDecodeError as error:
            raise RubricError(f"{path}: {error}") from error  # tells line and column itself
        self._lines = _lines_of_keys(text)

    def error(self, key: Key, what: str) -> RubricError:
        return RubricError(f"{self.path}, line {self._lines.get(key, 1)}: {what}")

    def check_against(self, known: Mapping[str, Any]) -> None:
        for key, value in self.data.items():
            if key not in known:
                raise self.error((key,), f"unknown: {key} (known: {', '.join(known)})")
            if isinstance(known[key], dict):
                self._check_table(key, value, known[key])
            else:
                self._check((key,), value)

    def _check_table(self, name: str, table: Any, known: Mapping[str, Any]) -> None:
        if not isinstance(table, dict):
            raise self.error((name,), f"{name} is a table: write [{name}]")
        for key, value in table.items():
            if name not in ("weights", "visibility") and key not in (*known, "due"):
                raise self.error((name, key), f"unknown: {key} (known: {', '.join(known)})")
            self._check((name, key), value)
        if name == "late" and table.get("policy") == "percent-per-day" and "due" not in table:
            raise self.error((name, "policy"), "percent-per-day needs due, a date with time and zone")

    def _check(self, key: Key, value: Any) -> None:
        fits, wanted = _wanted(key)
        if not fits(value):
            shown = value if isinstance(value, (int, float, str)) else type(value).__name__
            raise self.error(key, f"{key[-1]} must be {wanted}, not {shown!r}")


def _wanted(key: Key) -> Tuple[Callable[[Any], bool], str]:
    """What a value must be, as a test and in words."""
    if key in _WANTED:
        return _WANTED[key]
    return _WANTED[key[:1]]


def _one_of(*words: str) -> Tuple[Callable[[Any], bool], str]:
    return (lambda value: value in words), " or ".join(f'"{word}"' for word in words)


def _number(low: float, high: float) -> Tuple[Callable[[Any], bool], str]:
    def fits(value: Any) -> bool:
        return type(value) in (int, float) and low <= value <= high

    return fits, f"a number from {low:g} to {high:g}"


def _is_seed(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**32


def _is_time_with_zone(value: Any) -> bool:
    return isinstance(value, datetime.datetime) and value.tzinfo is not None


_WANTED: Dict[Key, Tuple[Callable[[Any], bool], str]] = {
    ("base",): _one_of("reference", "own"),
    ("seed",): (_is_seed, "a whole number from 0 to 4294967295"),
    ("forbidden",): _one_of("refuse", "report"),
    ("points",): _number(0, 1000),
    ("extra",): _number(0, 1000),
    ("weights",): _number(0, 1000),
    ("visibility",): _one_of(*(visibility.value for visibility in Visibility)),
    ("limits",): _number(1, 1_000_000),
    ("late", "policy"): _one_of("none", "percent-per-day"),
    ("late", "percent"): _number(0, 100),
    ("late", "due"): (_is_time_with_zone, "a date with time and zone: 2027-01-15T23:59:00+01:00"),
    ("late", "grace_minutes"): _number(0, 100_000),
}

_TABLE = re.compile(r"\s*\[\s*([\w\"'.*-]+)\s*\]")
_KEY = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*=""")


def _lines_of_keys(text: str) -> Dict[Key, int]:
    lines: Dict[Key, int] = {}
    table: Key = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = (match[1].strip("\"'"),)
            lines.setdefault(table, number)
        elif match := _KEY.match(line):
            lines.setdefault((*table, match[1] or match[2] or match[3] or ""), number)
    return lines
