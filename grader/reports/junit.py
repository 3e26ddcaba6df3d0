"""JUnit XML, for systems that show the tests of a build.

What is not implemented is `skipped`: there is nothing yet to judge, and the failures that can be
worked on do not drown in three hundred red lines. The machine's fault is `error`, what the
submission did `failure`. Points are properties of the suite: of a test case, not all readers allow
them.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Iterable

from grader.model import MilestoneResult, Status, TestResult, number
from grader.reports.view import View
from grader.reports.wording import WORDS, explanation_text, message


def junit(view: View) -> str:
    root = ElementTree.Element("testsuites", name=view.result.submission)
    _count(root, view.result.all_tests)
    for milestone in view.result.milestones:
        root.append(_suite(milestone, ""))
    for lab in view.result.extra:
        root.append(_suite(lab, " (extra)"))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(milestone: MilestoneResult, note: str) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=f"{milestone.id} {milestone.title}{note}")
    _count(suite, milestone.tests)
    properties = ElementTree.SubElement(suite, "properties")
    points = {"points": milestone.score, "max_points": milestone.max_score}
    for test in milestone.tests:
        points[f"points of {test.id}"] = test.points
        points[f"max_points of {test.id}"] = test.max_points
    for name, value in points.items():
        ElementTree.SubElement(properties, "property", name=name, value=str(number(value)))
    suite.extend(_case(milestone, test) for test in milestone.tests)
    return suite


def _case(milestone: MilestoneResult, test: TestResult) -> ElementTree.Element:
    name = f"{test.id}: {test.title}"
    case = ElementTree.Element("testcase", classname=milestone.id, name=name, time=_time([test]))
    first_line = message(test).splitlines()[0]
    if test.status == Status.NOT_IMPLEMENTED:
        ElementTree.SubElement(case, "skipped", message=first_line)
    elif test.status != Status.PASSED:
        tag = "error" if test.status == Status.ERROR else "failure"
        told = f"{WORDS[test.status]}: {first_line}"
        verdict = ElementTree.SubElement(case, tag, type=test.status.value, message=told)
        verdict.text = f"{test.title}\n{explanation_text(test)}\n"
    return case


def _count(element: ElementTree.Element, tests: "list[TestResult]") -> None:
    statuses = [test.status for test in tests]
    errors = statuses.count(Status.ERROR)
    skipped = statuses.count(Status.NOT_IMPLEMENTED)
    failures = len(tests) - errors - skipped - statuses.count(Status.PASSED)
    element.set("tests", str(len(tests)))
    element.set("failures", str(failures))
    element.set("errors", str(errors))
    if element.tag == "testsuite":
        element.set("skipped", str(skipped))
    element.set("time", _time(tests))


def _time(tests: Iterable[TestResult]) -> str:
    return f"{sum(test.seconds for test in tests):.3f}"
