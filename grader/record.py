"""The sealed record: how a test program hands its verdict to the grader, and nobody else's.

The program gets a nonce through one pipe, and writes its verdict with that nonce, once, at its end,
to another: one line of JSON, or one for each test that it ran. A program that was ended before (exit(0) in a constructor, exec, ...)
leaves no record, and so gets no points, whatever its exit code and whatever it printed.
"""

from __future__ import annotations

import dataclasses
import json
import secrets
from typing import Any, List, Optional, Sequence

from grader.model import Status, TestResult
from grader.plan import PlannedTest


def make_nonce() -> str:
    return secrets.token_hex(16)


_NO_HINT = (Status.PASSED, Status.NOT_IMPLEMENTED)


class BadRecord(Exception):
    """Why this is no verdict."""


def read_record(data: bytes, nonce: str, test: PlannedTest) -> TestResult:
    """Of a program that ran this test alone. The points are the plan's, never the record's."""
    lines = data.splitlines()
    if not lines:
        raise BadRecord("there is no record")
    if len(lines) > 1:
        raise BadRecord("there is more than one record")
    return _read_line(lines[0], nonce, test)


def read_records(data: bytes, nonce: str, tests: Sequence[PlannedTest]) -> List[TestResult]:
    """Of a program that ran them in this order: up to the first that has no right record."""
    results = []
    for line, test in zip(data.splitlines(), tests):
        try:
            results.append(_read_line(line, nonce, test))
        except BadRecord:
            break
    return results


def _read_line(line: bytes, nonce: str, test: PlannedTest) -> TestResult:
    record = _object(line)
    if record.get("nonce") != nonce:
        raise BadRecord("the record does not carry the nonce of this run")
    if record.get("id") != test.id:
        raise BadRecord(f"the record is one of {record.get('id')!r}")
    result = read_verdict(record, test)
    if result is None:
        raise BadRecord(f"the record has no known status: {record.get('status')!r}")
    return result


def read_verdict(record: Any, test: PlannedTest) -> Optional[TestResult]:
    """Status, message, steps and hint as a program reported them; None if there is no known status."""
    try:
        status = Status(record.get("status"))
    except ValueError:
        return None
    result = test.result(status, str(record.get("message") or ""))
    return dataclasses.replace(
        result,
        seconds=_seconds(record.get("seconds")),
        steps=_texts(record.get("steps")),
        hint="" if status in _NO_HINT else str(record.get("hint") or test.hint),
    )


def _object(line: bytes) -> Any:
    try:
        record = json.loads(line.decode("utf-8", "replace"))
    except ValueError as error:
        raise BadRecord("the record is not JSON") from error
    if not isinstance(record, dict):
        raise BadRecord("the record is not an object")
    return record


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _texts(value: Any) -> List[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
