"""Results for the tests of the reports: a usual one, one with hidden tests, one that means harm."""

from __future__ import annotations

from typing import List

from grader.model import Finding, Late, MilestoneResult, Result, Status, TestResult, Visibility
from grader.timeline.excerpt import Excerpt, Happening, Lane, Stretch, Wake

# What must reach no reader as it is: markup, escape sequences, letters that turn the line round,
# and what XML cannot carry.
EVIL = (
    "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)> \x1b[31mred\x1b[0m"
    "\x1b]0;title\x07 \u202edesrever\u2066 \x00\x08\ufffe\ud800"
    " ]]> &amp; \"quoted\" 'too' | `x` [a](b)"
    " {{ 7 * 7 }} {% raw %}"
)
FORMULA = "=cmd|' /C calc'!A0"


def case(
    id: str,
    status: Status = Status.PASSED,
    maximum: float = 1.0,
    message: str = "",
    visibility: Visibility = Visibility.VISIBLE,
) -> TestResult:
    points = maximum if status == Status.PASSED else 0.0
    title = f"title of {id}"
    return TestResult(id, title, status, points, maximum, 0.25, message, visibility=visibility)


def usual() -> Result:
    """Every status but `error` once; 3.5 of 6.25 points."""
    message = "the order of events\nexpected: A B\nactual:   B A"
    failed = case("m1.fails", Status.FAILED, 0.5, message)
    failed.steps = ["spawn A and B", "run"]
    failed.hint = 'the queue gives the newest first; handout, "Step 1: the ready queue"'
    return Result(
        "jo",
        [
            MilestoneResult(
                "m1",
                "Task",
                [case("m1.passes", maximum=1.5), failed, case("m1.crashes", Status.CRASHED, 0.25)],
            ),
            MilestoneResult(
                "m2",
                "Scheduler",
                [
                    case("m2.passes", maximum=2.0),
                    case("m2.hangs", Status.TIMEOUT, 0.5, "did not end"),
                    case("m2.leaks", Status.LEAKED, 0.5, "never freed: 8 bytes"),
                    case("m2.leaves", Status.EARLY_EXIT, 0.5, "exit code 0"),
                    case("m2.stub", Status.NOT_IMPLEMENTED, 0.5, "spawn is not implemented"),
                ],
            ),
        ],
        [
            Finding("missing", "m5/e.c", "graded as the stub"),
            Finding("forbidden", "m3/t.c:7", "fork"),
        ],
        {"base": "reference", "complete": True, "seconds": 12.5, "seed": 4711},
    )


def late() -> Result:
    result = usual()
    result.late = Late(1, 0.75, "due yesterday")
    return result


def secretive() -> Result:
    """Of 10 points, 4 are visible, of which 3 are earned; 2 more come after the due date, with 1
    earned; 4 are hidden, with none earned. One milestone is hidden as a whole. 1 point is taken
    off."""
    after, hidden = Visibility.AFTER_DUE_DATE, Visibility.HIDDEN
    return Result(
        "jo",
        [
            MilestoneResult(
                "m1",
                "Task",
                [
                    case("m1.secret", Status.FAILED, 1.0, "secret words", hidden),
                    case("m1.open", maximum=3.0),
                    case("m1.later", maximum=1.0, visibility=after),
                    case("m1.open_too", Status.FAILED, 1.0),
                    case("m1.later_too", Status.CRASHED, 1.0, "later words", after),
                ],
            ),
            MilestoneResult("m9", "Surprise", [case("m9.secret", Status.FAILED, 3.0, "", hidden)]),
        ],
        environment={"seconds": 12.5},
        late=Late(1, 1.0, "a tenth of the maximum"),
    )


def machine_failed() -> Result:
    result = usual()
    lost = result.milestones[0].tests[0]
    lost.status, lost.points, lost.message = Status.ERROR, 0.0, "a keeper was lost"
    return result


def hostile() -> Result:
    """All that a submission can write, it has written."""
    tests: List[TestResult] = []
    for status in Status:
        test = case(f"m1.{status.value}", status, 1.0, EVIL + "\n" + "x" * 65_536)
        test.steps, test.hint, test.title = [EVIL, "a\nb"], EVIL, f"{EVIL} {status.value}"
        test.timeline = hostile_timeline()
        tests.append(test)
    tests.append(case("m1.long_line", Status.FAILED, 1.0, "y" * 1_000_000))
    tests.append(case("m1.many_lines", Status.FAILED, 1.0, "z\n" * 500_000))
    tests = [test for test in tests if test.status != Status.ERROR]
    return Result(
        f"{FORMULA}\n{EVIL}",
        [MilestoneResult("m1", "Task", tests)],
        [Finding("refused", EVIL, EVIL), Finding("forbidden", EVIL, EVIL)],
        {"compiler": EVIL, "complete": True, EVIL: EVIL},
        Late(2, 1.5, EVIL),
    )


def hostile_timeline() -> Excerpt:
    """As large as it gets, with such texts."""
    kinds = ("new", "ready", "run", "wait", "ended", "failed")
    stretches = [Stretch(kind, 10 * n, 10 * n + 10, EVIL, EVIL) for n, kind in enumerate(kinds)]
    return Excerpt(
        lanes=[Lane(EVIL, stretches) for _ in range(12)],
        wakes=[Wake(by, to, at) for by, to, at in ((-1, 0, 40), (3, 1, 7), (1, 3, 7), (2, 2, 7))],
        events=[Happening(n % 13 - 1, EVIL, (-1) ** n * 10**18 * n) for n in range(60)],
        coroutines_left_out=10**18,
        events_left_out=10**18,
        full=True,
    )


def assert_harmless(text: str) -> None:
    """No letter is left that acts on a terminal, an editor or a parser."""
    bad = {c for c in text if c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff"}
    assert bad <= {"\n"}
    assert not set("\u202e\u2066\ufffe").intersection(text)
    assert len(text.encode("utf-8")) < 1_000_000
