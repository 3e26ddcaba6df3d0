"""grader/reports/junit.py, by the rules that all readers of the format share."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Dict, Set, Tuple

from report_results import assert_harmless, hostile, machine_failed, usual

from grader.reports.junit import junit
from grader.reports.view import instructor_view, student_view

# The children and attributes that all known schemas of this format allow.
JUNIT_SHAPE: Dict[str, Tuple[Set[str], Set[str]]] = {
    "testsuites": ({"testsuite"}, {"name", "tests", "failures", "errors", "time"}),
    "testsuite": (
        {"properties", "testcase"},
        {"name", "tests", "failures", "errors", "skipped", "time"},
    ),
    "properties": ({"property"}, set()),
    "property": (set(), {"name", "value"}),
    "testcase": ({"failure", "error", "skipped"}, {"classname", "name", "time"}),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), {"message"}),
}


def read_junit(text: str) -> ElementTree.Element:
    """The root, if all is as a reader expects it."""
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert root.tag == "testsuites"
    for element in root.iter():
        children, attributes = JUNIT_SHAPE[element.tag]
        assert {child.tag for child in element} <= children
        assert set(element.keys()) <= attributes
        if "message" in attributes:
            assert element.get("message", "").strip()
    for element in [root, *root]:
        for counted, tag in {"tests": "testcase", "failures": "failure", "errors": "error"}.items():
            assert element.get(counted) == str(len(list(element.iter(tag))))
        times = [float(case.get("time", "")) for case in element.iter("testcase")]
        assert float(element.get("time", "")) == sum(times)
    for suite in root:
        assert [child.tag for child in suite][:2] == ["properties", "testcase"]
        assert suite.get("skipped") == str(len(list(suite.iter("skipped"))))
        assert all(len(case) <= 1 for case in suite.iter("testcase"))
    return root


def test_junit_has_a_suite_for_each_milestone() -> None:
    root = read_junit(junit(student_view(usual())))
    assert [suite.get("name") for suite in root] == ["m1 Task", "m2 Scheduler"]
    first = root[0].find("testcase")
    assert first is not None and first.attrib == {
        "classname": "m1",
        "name": "m1.passes: title of m1.passes",
        "time": "0.250",
    }


def test_junit_tells_failure_error_and_skipped_apart() -> None:
    root = read_junit(junit(instructor_view(machine_failed())))
    told = [(c[0].tag, c[0].get("type")) if len(c) else ("", None) for c in root.iter("testcase")]
    assert told == [
        ("error", "error"),
        ("failure", "failed"),
        ("failure", "crashed"),
        ("", None),
        ("failure", "timeout"),
        ("failure", "leaked"),
        ("failure", "early-exit"),
        ("skipped", None),
    ]
    messages = [element.get("message") for element in root.iter("failure")]
    assert messages[0] == "failed: the order of events"
    assert messages[1] == "crashed: the test crashed, and left no trace"
    text = next(root.iter("failure")).text or ""
    assert "->  2. run" in text and "likely cause: the queue gives the newest first" in text


def test_junit_has_points_as_properties() -> None:
    root = read_junit(junit(student_view(usual())))
    properties = {p.get("name"): p.get("value") for p in root[0].iter("property")}
    assert properties["points"] == "1.5" and properties["max_points"] == "2.25"
    assert properties["points of m1.fails"] == "0" and properties["max_points of m1.fails"] == "0.5"


def test_a_hostile_result_does_no_harm() -> None:
    text = junit(instructor_view(hostile()))
    read_junit(text)
    assert_harmless(text)
