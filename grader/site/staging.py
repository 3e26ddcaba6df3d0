"""Lays out a site's pages in the way that Sphinx reads them. The originals stay as they are."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Callable, Dict, List, Mapping, Optional

from grader.exit_codes import KitFailed
from grader.site.content import HOME, Content
from grader.site.links import Link, anchor_here, anchor_on_github, headings, is_outside, resolved
from grader.site.links import with_links
from grader.site.pictures import drawn
from grader.site.reference import names_of, read_header, reference_page, without_repeats

_LEXERS = {".c": "c", ".h": "c", ".py": "python", ".json": "json", ".sh": "sh", ".toml": "toml"}
_PICTURE = re.compile(r"^\[([^\]]+)\]\(([\w./-]+(\.\w+))\)$", re.MULTILINE)

Draw = Callable[[Path, str], str]  # from what, with which caption: HTML
DRAWN: Mapping[str, Draw] = {".dot": drawn}  # by the ending of a file's name


class Staging:
    def __init__(self, content: Content, folder: Path, draw: Mapping[str, Draw] = DRAWN) -> None:
        """A link that stands alone, to a file that `draw` can draw, becomes a picture."""
        self._content = content
        self._draw = draw
        self._folder = folder
        self._pages = {name: _page_of(name) for name in content.pages}
        self._headers = {name: f"reference/{PurePosixPath(name).stem}" for name in content.headers}
        self._listings: Dict[str, str] = {}  # files that a page shows because others link to them

    def write(self) -> None:
        for name in self._pages:
            self._write(f"{self._pages[name]}.md", self._converted(name))
        headers = without_repeats(
            {name: read_header(self._content.files[name]) for name in self._headers}
        )
        names = names_of(headers)
        for name, header in headers.items():
            self._write(f"{self._headers[name]}.rst", reference_page(header, names))
        for name, page in self._listings.items():
            self._write(f"{page}.md", _listing(name, self._content.text(name)))
        with (self._folder / "index.md").open("a", encoding="utf-8") as file:
            file.write(self._navigation())

    def _converted(self, page: str) -> str:
        text = _PICTURE.sub(lambda m: self._picture(page, m), self._content.text(page))
        return with_links(text, lambda link: self._link(page, link))

    def _link(self, page: str, link: Link) -> str:
        text, target = link
        if is_outside(target):
            return f"[{text}]({target})"
        path, _, fragment = target.partition("#")
        name = resolved(page, path) if path else page
        to = self._place(page, name)
        if to is None:  # a folder: nothing to show
            return text
        if fragment:
            fragment = f"#{self._anchor(page, name, fragment)}"
        if not path:
            return f"[{text}]({fragment})"
        here = os.path.dirname(self._pages[page])
        return f"[{text}]({os.path.relpath(f'{to}.html', here or '.')}{fragment})"

    def _place(self, page: str, name: str) -> Optional[str]:
        if name in self._pages:
            return self._pages[name]
        if name in self._headers:
            return self._headers[name]
        if name in self._content.files:
            return self._listings.setdefault(name, f"files/{name}")
        if f"{name}/README.md" in self._pages:
            return self._pages[f"{name}/README.md"]
        if any(file.startswith(f"{name}/") for file in self._content.files):
            return None
        raise KitFailed(f"{page}: a link to {name}, which the readers of this site do not have")

    def _anchor(self, page: str, name: str, fragment: str) -> str:
        if name in self._pages:
            for heading in headings(self._content.text(name)):
                if anchor_on_github(heading) == fragment:
                    return anchor_here(heading)
        raise KitFailed(f"{page}: a link to #{fragment}, which is no heading of {name}")

    def _picture(self, page: str, link: "re.Match[str]") -> str:
        caption, target, ending = link.groups()
        if ending not in self._draw:
            return link[0]
        name = resolved(page, target)
        if name not in self._content.files:
            raise KitFailed(f"{page}: there is no picture {name}")
        return f"```{{raw}} html\n{self._draw[ending](self._content.files[name], caption)}\n```"

    def _navigation(self) -> str:
        sections: Dict[str, List[str]] = {
            caption: [self._pages[page] for page in pages]
            for caption, pages in self._content.sections().items()
        }
        sections["C reference"] = list(self._headers.values())
        sections["Files"] = sorted(self._listings.values())
        return "".join(_toctree(caption, pages) for caption, pages in sections.items() if pages)

    def _write(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _page_of(name: str) -> str:
    """Without ending. A folder's README is what the folder's address shows."""
    if name == HOME:
        return "index"
    return re.sub(r"README$", "index", name[: -len(".md")])


def _listing(name: str, text: str) -> str:
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall(r"`+", text) or [""]))
    lexer = _LEXERS.get(PurePosixPath(name).suffix, "text")
    return f"# {name}\n\n{fence}{lexer}\n{text.rstrip()}\n{fence}\n"


def _toctree(caption: str, pages: List[str]) -> str:
    names = "\n".join(pages)
    return f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{names}\n```\n"
