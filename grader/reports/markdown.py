"""A summary in Markdown, for the page of a run in GitHub Actions ($GITHUB_STEP_SUMMARY).

What was printed stands in <pre>, where Markdown has no say; in a line, every letter that could mean
something is escaped.
"""

from __future__ import annotations

import html
import re
from typing import List

from grader.alike import alike
from grader.model import MilestoneResult, Result, Status, TestResult
from grader.report_terminal import points
from grader.reports.view import View
from grader.reports.wording import PARTIAL, WORDS, explanation_text, lateness, otherwise
from grader.reports.wording import passed_of, verdict

_ROOM = 500_000  # bytes of the failures: GitHub takes a summary of 1 MiB
_FINDINGS_SHOWN = 50


def markdown(view: View) -> str:
    result = view.result
    lines = [f"## {_escaped(verdict(view))}", "", f"Submission: {_escaped(result.submission)}", ""]
    if view.withheld:
        lines += [PARTIAL, ""]
    if result.late is not None:
        lines += [_escaped(lateness(result.late)), ""]
    lines += _table(result)
    lines += _failures([*result.milestones, *result.extra])
    if result.integrity:
        lines += ["### About the files", ""]
        lines += [
            f"- {_escaped(f.kind)}: {_escaped(f.where)}: {_escaped(f.detail)}"
            for f in result.integrity[:_FINDINGS_SHOWN]
        ]
        if len(result.integrity) > _FINDINGS_SHOWN:
            lines.append(f"- and {len(result.integrity) - _FINDINGS_SHOWN} more")
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(result: Result) -> List[str]:
    rows = [_row(milestone, "") for milestone in result.milestones]
    if result.late is not None:
        rows.append(f"| Late | | | −{points(result.late.points)} |")
    total = f"{points(result.score)} / {points(result.max_score)}"
    return [
        "| Milestone | Tests passed | Otherwise | Points |",
        "| :-- | --: | :-- | --: |",
        *rows,
        f"| **Total** | {passed_of(result.tests)} | {otherwise(result.tests)} | **{total}** |",
        *(_row(lab, " (extra)") for lab in result.extra),
        "",
    ]


def _row(m: MilestoneResult, note: str) -> str:
    return (
        f"| {_escaped(m.id)} {_escaped(m.title)}{note} | {passed_of(m.tests)} |"
        f" {otherwise(m.tests)} | {points(m.score)} / {points(m.max_score)} |"
    )


def _failures(milestones: List[MilestoneResult]) -> List[str]:
    lines: List[str] = []
    room = _ROOM
    left_out = 0
    for milestone in milestones:
        bad = [test for test in milestone.tests if test.status != Status.PASSED]
        if not bad:
            continue
        lines += [f"### {_escaped(milestone.id)} {_escaped(milestone.title)}", ""]
        for group in alike(bad):
            folded = _folded(group)
            room -= len(folded.encode("utf-8"))
            if room >= 0:
                lines += [folded, ""]
            else:
                left_out += len(group)
    if left_out:
        lines += [f"{left_out} more tests did not pass: there is no room for them here.", ""]
    return lines


def _folded(group: List[TestResult]) -> str:
    test = group[0]
    more = f" and {len(group) - 1} more like it" if len(group) > 1 else ""
    heading = f"<b>{WORDS[test.status]}</b> {_html(test.id)}: {_html(test.title)}{more}"
    text = explanation_text(test)
    if len(group) > 1:
        text += "\n  the same in:  " + ", ".join(other.id for other in group[1:])
    # Of the blank lines, the first ends the HTML block, the second one the <pre>'s.
    return f"<details><summary>{heading}</summary>\n\n<pre>{_html(text)}</pre>\n\n</details>"


def _html(text: str) -> str:
    return html.escape(text, quote=False)


def _escaped(text: str) -> str:
    """One line of Markdown that means nothing but itself."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
