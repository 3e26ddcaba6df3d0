"""What a batch leaves in its output folder: gradebook.csv, class.html, a page for each student."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterable, List

from grader.batch.entries import Hand
from grader.batch.run import BatchRequest
from grader.kit import LABS, Kit
from grader.reports.class_entry import Entry
from grader.reports.class_page import class_page
from grader.reports.gradebook import gradebook
from grader.reports.shared_code import Passage, Shared
from grader.reports.student_page import not_graded_page, student_page
from grader.reports.view import student_view
from grader.score_file import replace_file
from grader.similarity import SharedCode, SourceSet, find_shared


def write_student_page(request: BatchRequest, entry: Entry) -> None:
    if entry.result is None:
        text = not_graded_page(entry.name, entry.not_graded)
    else:
        text = student_page(student_view(entry.result, request.rubric.late.is_over()))
    _write(request.output / entry.page, text)


def write_gradebook(output: Path, entries: Iterable[Entry]) -> None:
    _write(output / "gradebook.csv", gradebook(entries))


def write_class_page(request: BatchRequest, entries: List[Entry]) -> None:
    graded = {entry.name for entry in entries if entry.result is not None}
    hands = [hand for hand in request.hands if hand.name in graded]
    _write(request.output / "class.html", class_page(entries, shared_code(request, hands)))


def shared_code(request: BatchRequest, hands: Iterable[Hand]) -> List[Shared]:
    sets = [SourceSet(hand.name, _files(request.taken(hand))) for hand in hands]
    files = {one.name: one.files for one in sets}
    return [
        Shared(
            shared.first,
            shared.second,
            shared.file,
            shared.share,
            _passages(shared, files[shared.first][shared.file], files[shared.second][shared.file]),
        )
        for shared in find_shared(sets, _given(request.kit))
    ]


def _files(tree: Path) -> Dict[str, bytes]:
    paths = [path for lab in LABS for path in lab.paths]
    return {path: (tree / path).read_bytes() for path in paths if (tree / path).is_file()}


def _given(kit: Kit) -> Dict[str, bytes]:
    """What everybody got."""
    return {
        str(path.relative_to(kit.milestones)): path.read_bytes()
        for path in sorted(kit.milestones.rglob("*.[ch]"))
    }


def _passages(shared: SharedCode, first: bytes, second: bytes) -> List[Passage]:
    lines = [content.decode("utf-8", "replace").splitlines() for content in (first, second)]
    return [
        Passage(
            region.first_lines[0],
            lines[0][region.first_lines[0] - 1 : region.first_lines[1]],
            region.second_lines[0],
            lines[1][region.second_lines[0] - 1 : region.second_lines[1]],
        )
        for region in shared.regions
    ]


def _write(path: Path, text: str) -> None:
    replace_file(path, text.encode("utf-8"))
