"""Writes the reports of one result that were asked for. Every other module here only makes them."""

from __future__ import annotations

import dataclasses
import datetime
import os
from pathlib import Path
from typing import Dict, Optional

from grader.model import Result
from grader.reports.classroom50 import classroom50, occasion
from grader.reports.gradescope import gradescope
from grader.reports.junit import junit
from grader.reports.markdown import markdown
from grader.reports.student_page import student_page
from grader.reports.view import student_view
from grader.score_file import check_writable, replace_file


@dataclasses.dataclass(frozen=True)
class ReportFiles:
    """Where each report goes; None: not wanted."""

    html: Optional[Path] = None
    junit: Optional[Path] = None
    gradescope: Optional[Path] = None
    classroom50: Optional[Path] = None
    markdown: Optional[Path] = None

    def check(self) -> None:
        """WrongUse before minutes of grading, not after."""
        for field in dataclasses.fields(self):
            path = getattr(self, field.name)
            if path is not None:
                check_writable(path)
        if self.classroom50 is not None:
            occasion(os.environ)


def write_reports(files: ReportFiles, result: Result, due_passed: bool = False) -> None:
    """For the student; Gradescope hides by itself what is hidden. KitFailed for Classroom 50 if the
    result is no grade."""
    view = student_view(result, due_passed)
    texts: Dict[Path, str] = {}
    if files.html is not None:
        texts[files.html] = student_page(view)
    if files.junit is not None:
        texts[files.junit] = junit(view)
    if files.markdown is not None:
        texts[files.markdown] = markdown(view)
    if files.gradescope is not None:
        texts[files.gradescope] = gradescope(result)
    for path, text in texts.items():
        replace_file(path, text.encode("utf-8"))
    if files.classroom50 is not None:  # the last: it may fail
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        made = classroom50(view, occasion(os.environ), now)
        replace_file(files.classroom50, made.encode("utf-8"))
