"""What must be true of a site before anybody reads it: it holds together, needs nobody else's
server, and what students get tells them nothing of the solution."""

from __future__ import annotations

import os
import re
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path
from typing import Dict, List, Optional, Set, Tuple

from grader.handout.check import SHARED_LINES
from grader.handout.leaks import read_secrets, read_shared
from grader.kit import Kit
from grader.site.content import Content

_HOME = "index.html"
_UNLINKED = {"genindex.html", "search.html"}  # the theme's own ways lead there
_LOADS = {"script": "src", "img": "src", "iframe": "src", "object": "data", "source": "src"}
_LINE_SIZE = 40  # characters without white space that are nobody's by chance
_FOR_INSTRUCTORS = re.compile(r"docs/instructor/|solutions/|docs/(?:design|faults|feedback)\b")


class _Page(HTMLParser):
    """What a page links to, loads, can be linked at, and says."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: List[str] = []
        self.loads: List[str] = []
        self.anchors: Set[str] = set()
        self.text: List[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and "stylesheet" in values.get("rel", "") + values.get("as", ""):
            self.loads.append(values["href"])
        if _LOADS.get(tag, "") in values:
            self.loads.append(values[_LOADS[tag]])
        if tag in ("p", "pre", "li", "td", "dt", "dd", "div", "br", "h1", "h2", "h3"):
            self.text.append("\n")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def problems(folder: Path) -> List[str]:
    pages = {name: _Page(folder / name) for name in _files(folder, ".html")}
    return [*_dead_links(folder, pages), *_unreached(pages), *_requests_outside(folder, pages)]


def leaks(kit: Kit, content: Content, folder: Path) -> List[str]:
    """Places in a student's site that tell of the solution, or come from an instructor's page."""
    secrets = read_secrets(kit.solutions, kit.milestones, read_shared(SHARED_LINES))
    private = _private_lines(kit, content)
    found = []
    for name in _files(folder, ""):
        if _FOR_INSTRUCTORS.search(name):
            found.append(f"{name}: is for instructors")
    for name in [*_files(folder, ".html"), *_files(folder, ".js")]:
        path = folder / name
        is_page = name.endswith(".html")
        text = "".join(_Page(path).text) if is_page else path.read_text(encoding="utf-8")
        found += [f"{name}: {leak}" for leak in secrets.in_text(text)]
        squeezed = _squeezed(text)
        found += [f"{name}: has {private[line]}: {line}" for line in private if line in squeezed]
    return found


def _private_lines(kit: Kit, content: Content) -> Dict[str, str]:
    """Lines of the instructor's pages, as a page shows them, that no page of the students has."""
    known = "".join(_squeezed(_unmarked(content.text(page))) for page in content.pages)
    lines: Dict[str, str] = {}
    for path in sorted((kit.root / "docs" / "instructor").glob("*.md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            short = _squeezed(_unmarked(line))
            if len(short) >= _LINE_SIZE and short not in known:
                lines.setdefault(short, f"{path.relative_to(kit.root)}:{number}")
    return lines


def _unmarked(markdown: str) -> str:
    text = re.sub(r"\]\([^)]*\)|^[#>*+-]+ |^\d+\. ", "", markdown, flags=re.MULTILINE)
    return re.sub(r"[`*\[\]|]", "", text)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _files(folder: Path, ending: str) -> List[str]:
    found = [path for path in folder.rglob(f"*{ending}") if path.is_file()]
    return sorted(path.relative_to(folder).as_posix() for path in found)


def _dead_links(folder: Path, pages: Dict[str, _Page]) -> List[str]:
    dead = []
    for name, page in pages.items():
        for link in [*page.links, *page.loads]:
            if _is_outside(link):
                continue
            target, anchor = _target(name, link)
            if not (folder / target).is_file():
                dead.append(f"{name}: {link} leads nowhere")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                dead.append(f"{name}: {link}: there is no such place on that page")
    return dead


def _unreached(pages: Dict[str, _Page]) -> List[str]:
    """By links alone, from the first page on."""
    reached, to_do = {_HOME}, [_HOME]
    while to_do:
        name = to_do.pop()
        targets = {_target(name, link)[0] for link in pages[name].links if not _is_outside(link)}
        new = (targets & pages.keys()) - reached
        reached |= new
        to_do += new
    return [f"{name} cannot be reached" for name in pages if name not in reached | _UNLINKED]


def _requests_outside(folder: Path, pages: Dict[str, _Page]) -> List[str]:
    loads = [(name, load) for name, page in pages.items() for load in page.loads]
    found = [f"{name} loads {load}" for name, load in loads if _is_outside(load)]
    for name in _files(folder, ".css"):
        text = (folder / name).read_text(encoding="utf-8")
        urls = re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]+)", text)
        found += [f"{name} loads {url}" for url in urls]
    return found


def _is_outside(link: str) -> bool:
    return link.startswith("//") or re.match(r"[a-z]+:", link) is not None


def _target(page: str, link: str) -> Tuple[str, str]:
    """The file in the site's folder, and the place in it."""
    path, _, anchor = urllib.parse.unquote(link).partition("#")
    path = path.partition("?")[0]
    if not path:
        return page, anchor
    target = os.path.normpath(os.path.join(os.path.dirname(page), path))
    return (os.path.join(target, _HOME) if path.endswith("/") else target), anchor
