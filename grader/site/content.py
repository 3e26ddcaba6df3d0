"""What is in a site: the files that its readers have, which are pages, and in which order."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path, PurePosixPath
from typing import Dict, List, Mapping, Sequence, Tuple

from grader.handout.manifest import read_manifest
from grader.kit import LABS, Kit

HOME = "README.md"

# Captions of the navigation, and what is under them; of patterns that fit a page, the first counts.
_SECTIONS: Sequence[Tuple[str, str]] = (
    ("Milestones", "milestones/*/README.md"),
    ("Concepts", "docs/concepts/*.md"),
    ("To look up", "docs/protocol.md"),
    ("To look up", "docs/pictures/*.md"),
    ("To look up", "docs/examples/*.md"),
    ("For instructors", "docs/instructor/*.md"),
    ("The kit", "docs/*.md"),
)
CAPTIONS = tuple(dict.fromkeys(caption for caption, _ in _SECTIONS))
# Of a folder. They name the others in the order in which to read them.
_FIRST = ("README.md", "index.md", "guide.md")
_FOLDERS_OF_THE_KIT = ("docs", "grader", "milestones", "solutions", "tests")
_LINK_TO_PAGE = re.compile(r"\]\(([\w./-]+\.md)[)#]")


@dataclasses.dataclass(frozen=True)
class Content:
    files: Mapping[str, Path]  # by the names that they have for the readers, and links use
    instructor: bool

    def text(self, name: str) -> str:
        return self.files[name].read_text(encoding="utf-8")

    @property
    def headers(self) -> List[str]:
        """Of the milestones, from the lowest layer up, and of the optional labs."""
        folders = [f"milestones/{lab.folder}/" for lab in LABS]
        found = [[n for n in self.files if n.startswith(f) and n.endswith(".h")] for f in folders]
        return [name for names in found for name in sorted(names)]

    def sections(self) -> Dict[str, List[str]]:
        """The pages, besides the first one, by caption."""
        sections: Dict[str, List[str]] = {caption: [] for caption in CAPTIONS}
        placed = {HOME}
        for caption, pattern in _SECTIONS:
            pages = [n for n in self.files if n not in placed and _fits(n, pattern)]
            placed.update(pages)
            sections[caption] += self._in_order(sorted(pages))
        return {caption: pages for caption, pages in sections.items() if pages}

    @property
    def pages(self) -> List[str]:
        return [HOME, *(page for pages in self.sections().values() for page in pages)]

    def _in_order(self, pages: List[str]) -> List[str]:
        first = [page for page in pages if PurePosixPath(page).name in _FIRST]
        if len(first) != 1:
            return pages
        folder = PurePosixPath(first[0]).parent
        named = [str(folder / link) for link in _LINK_TO_PAGE.findall(self.text(first[0]))]
        ordered = [*first, *(page for page in named if page in pages), *pages]
        return list(dict.fromkeys(ordered))


def student_content(kit: Kit) -> Content:
    """Exactly what a handout has."""
    return Content(read_manifest(kit.root), instructor=False)


def instructor_content(kit: Kit) -> Content:
    names = [path for path in kit.root.iterdir() if path.is_file() and path.name[0] != "."]
    for folder in _FOLDERS_OF_THE_KIT:
        found = (kit.root / folder).rglob("*")
        names += [path for path in found if path.is_file() and "__pycache__" not in path.parts]
    return Content({path.relative_to(kit.root).as_posix(): path for path in names}, instructor=True)


def _fits(name: str, pattern: str) -> bool:
    """`*` stays within a folder."""
    return PurePosixPath(name).match(pattern) and name.count("/") == pattern.count("/")
