"""The score file, schema lab-result/1: the one model that every report is made from."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, Dict, Iterable, List, Optional, Union

from grader.timeline.excerpt import Excerpt

SCHEMA = "lab-result/1"


class Status(str, enum.Enum):
    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    LEAKED = "leaked"
    EARLY_EXIT = "early-exit"
    NOT_IMPLEMENTED = "not-implemented"
    ERROR = "error"  # the kit's or the machine's fault: no verdict


class Visibility(str, enum.Enum):
    """Who sees a test's result, besides the instructor."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    AFTER_DUE_DATE = "after_due_date"


@dataclasses.dataclass
class TestResult:
    __test__ = False  # not a class of tests, whatever pytest makes of its name

    id: str
    title: str
    status: Status
    points: float
    max_points: float
    seconds: float = 0.0
    message: str = ""
    steps: List[str] = dataclasses.field(default_factory=list)
    hint: str = ""
    visibility: Visibility = Visibility.VISIBLE
    timeline: Optional[Excerpt] = None  # of a run that failed in the same way


@dataclasses.dataclass
class MilestoneResult:
    id: str
    title: str
    tests: List[TestResult] = dataclasses.field(default_factory=list)

    @property
    def score(self) -> float:
        return _sum(test.points for test in self.tests)

    @property
    def max_score(self) -> float:
        return _sum(test.max_points for test in self.tests)


@dataclasses.dataclass
class Finding:
    """What an instructor should know of a submission, besides its score."""

    kind: str  # missing, refused, ignored, taken, warning; for the instructor alone: forbidden, unusual
    where: str
    detail: str


@dataclasses.dataclass
class Late:
    """A deduction, and why."""

    days: int  # begun
    points: float  # taken off
    detail: str


@dataclasses.dataclass
class Result:
    submission: str
    milestones: List[MilestoneResult] = dataclasses.field(default_factory=list)
    integrity: List[Finding] = dataclasses.field(default_factory=list)
    environment: Dict[str, Any] = dataclasses.field(default_factory=dict)
    late: Optional[Late] = None
    extra: List[MilestoneResult] = dataclasses.field(default_factory=list)
    """Optional labs that the submission has begun: in none of the sums."""

    @property
    def score(self) -> float:
        earned = sum(milestone.score for milestone in self.milestones)
        return _rounded(max(0.0, earned - (self.late.points if self.late else 0.0)))

    @property
    def max_score(self) -> float:
        return _sum(milestone.max_score for milestone in self.milestones)

    @property
    def tests(self) -> List[TestResult]:
        """Of the milestones."""
        return [test for milestone in self.milestones for test in milestone.tests]

    @property
    def all_tests(self) -> List[TestResult]:
        """Those of optional labs, too."""
        return self.tests + [test for lab in self.extra for test in lab.tests]


def _sum(points: Iterable[float]) -> float:
    return _rounded(sum(points))


def _rounded(points: float) -> float:
    """Of shares like 20 / 69, what floating point adds to the sum is cut off."""
    return round(points, 4)


def number(value: float) -> Union[int, float]:
    """Points as people write them: 15, not 15.0."""
    return int(value) if float(value).is_integer() else value


def to_json(result: Result) -> Dict[str, Any]:
    return {
        "schema": SCHEMA,
        "submission": result.submission,
        "score": number(result.score),
        "max_score": number(result.max_score),
        "milestones": [_milestone_to_json(milestone) for milestone in result.milestones],
        "extra": [_milestone_to_json(lab) for lab in result.extra],
        "integrity": [dataclasses.asdict(finding) for finding in result.integrity],
        "environment": result.environment,
        "late": dataclasses.asdict(result.late) if result.late else None,
    }


def _milestone_to_json(milestone: MilestoneResult) -> Dict[str, Any]:
    return {
        "id": milestone.id,
        "title": milestone.title,
        "score": number(milestone.score),
        "max_score": number(milestone.max_score),
        "tests": [_test_to_json(test) for test in milestone.tests],
    }


def _test_to_json(test: TestResult) -> Dict[str, Any]:
    fields = dataclasses.asdict(test)
    if test.timeline is None:
        del fields["timeline"]
    return {
        **fields,
        "status": test.status.value,
        "visibility": test.visibility.value,
        "points": number(test.points),
        "max_points": number(test.max_points),
        "seconds": round(test.seconds, 3),
    }


def from_json(data: Dict[str, Any]) -> Result:
    """The inverse of to_json. Sums are not read but computed again."""
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"not a score file: schema is {schema!r}, not {SCHEMA!r}")
    return Result(
        submission=data["submission"],
        milestones=[_milestone_from_json(milestone) for milestone in data["milestones"]],
        extra=[_milestone_from_json(lab) for lab in data.get("extra", [])],
        integrity=[Finding(**finding) for finding in data["integrity"]],
        environment=data["environment"],
        late=Late(**data["late"]) if data.get("late") else None,
    )


def _milestone_from_json(data: Dict[str, Any]) -> MilestoneResult:
    return MilestoneResult(data["id"], data["title"], [_test_from_json(t) for t in data["tests"]])


def _test_from_json(data: Dict[str, Any]) -> TestResult:
    known: Dict[str, Any] = {
        **data,
        "status": Status(data["status"]),
        "visibility": Visibility(data.get("visibility", "visible")),
        "timeline": Excerpt.from_json(data["timeline"]) if data.get("timeline") else None,
    }
    return TestResult(**known)
