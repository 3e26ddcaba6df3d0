"""The sites and a timeline, in a browser, on a desk and on a phone, light and dark: nothing is wrong in the
console, nothing is too wide, axe finds nothing serious, and what can be clicked works."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import tarfile
from pathlib import Path
from typing import Iterator, Optional, Tuple

from grader.selftest.chromium import Tab, chromium, find_chromium
from grader.selftest.tester import Tester, require
from grader.selftest.workshop import Workshop
from grader.site.timelines import recorded
from grader.timeline.page import html_page

_AXE = "axe-core@4.14.1"
_AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"  # of axe.min.js
_SERIOUS = ("serious", "critical")
_TIMELINE = "docs/pictures/printers.timeline"


@dataclasses.dataclass(frozen=True)
class Look:
    width: int
    dark: bool

    def __str__(self) -> str:
        return f"{self.width} px, {'dark' if self.dark else 'light'}"


# The instructors' site has all the students' pages, so that each of them is seen in all four ways.
STUDENTS_LOOKS = (Look(1280, dark=False), Look(390, dark=True))
INSTRUCTORS_LOOKS = (Look(1280, dark=True), Look(390, dark=False))


def check_in_browser(workshop: Workshop, tester: Tester, students: Path, instructors: Path) -> None:
    program = find_chromium()
    if program is None:
        tester.progress("not looked at in a browser: here is no Chromium (Debian: apt-get install chromium)")
        return
    axe = _axe(workshop)
    if axe is None:
        tester.progress(f"not looked at with axe: {_AXE} is not to be had here (npm install -g {_AXE})")
    timeline = workshop.folder / "timeline.html"
    story = recorded(workshop.kit, workshop.kit.root / _TIMELINE)
    timeline.write_text(html_page(story, "printers.c"), encoding="utf-8")
    with chromium(program, workshop.folder) as tab:
        for looks, site in ((STUDENTS_LOOKS, students), (INSTRUCTORS_LOOKS, instructors)):
            for look in looks:
                tab.look(look.width, 900, look.dark)
                with tester.check(f"{look}: every page of {site.name}"):
                    _check_pages(tab, site, axe)
                with tester.check(f"{look}: its buttons and its search"):
                    _use_site(tab, site, look)
                with tester.check(f"{look}: a timeline: zoom, choose, follow the link to the line"):
                    _use_timeline(tab, timeline, axe)


# ---- What holds for every page


def _check_pages(tab: Tab, site: Path, axe: Optional[str]) -> None:
    wrong = []
    for page in sorted(site.rglob("*.html")):
        tab.open(page.as_uri())
        wrong += [f"{page.relative_to(site)}: {problem}" for problem in problems_of_page(tab, axe)]
    require(not wrong, "\n".join(wrong))


def problems_of_page(tab: Tab, axe: Optional[str]) -> Iterator[str]:
    yield from tab.problems()
    room, needed = tab.run("const html = document.documentElement; return [html.clientWidth, html.scrollWidth]")
    if needed > room:
        yield f"it is {needed} px wide, and has {room}"
    if axe is not None:
        found = tab.run(f"{axe}; return (await axe.run({{preload: false}})).violations")
        for violation in found:
            if violation["impact"] in _SERIOUS:
                where = violation["nodes"][0]["target"]
                yield f"axe: {violation['id']}: {violation['help']}: {where}"


# ---- What can be done


def _use_site(tab: Tab, site: Path, look: Look) -> None:
    tab.open((site / "index.html").as_uri())
    before = tab.run("return getComputedStyle(document.body).backgroundColor")
    tab.click("#theme-button")
    require(tab.run("return getComputedStyle(document.body).backgroundColor") != before, "no other theme")
    tab.click("#theme-button")
    if look.width < 600:
        require(not _is_shown(tab, "#contents"), "the contents are in the way")
        tab.click("#contents-button")
    require(_is_shown(tab, "#contents"), "no contents")
    tab.open((site / "search.html").as_uri() + "?q=yield")
    found = tab.run(
        "for (let i = 0; i < 100 && !document.querySelector('ul.search li'); i++)"
        " await new Promise(done => setTimeout(done, 50));"
        "return document.querySelectorAll('ul.search li').length;"
    )
    require(found > 0, "the search finds nothing")
    require(not tab.problems(), "\n".join(tab.problems()))


def _is_shown(tab: Tab, selector: str) -> bool:
    script = f"return document.querySelector({json.dumps(selector)}).getClientRects().length > 0"
    return bool(tab.run(script))


def _use_timeline(tab: Tab, page: Path, axe: Optional[str]) -> None:
    tab.open(page.as_uri())
    whole = _shown_part(tab)
    tab.click("#zoom-in")
    half = _shown_part(tab)
    require(half[1] - half[0] < whole[1] - whole[0], f"the button does not zoom: {whole}, {half}")
    tab.run("document.getElementById('chart').focus()")
    tab.press("+")
    quarter = _shown_part(tab)
    require(quarter[1] - quarter[0] < half[1] - half[0], f"the key does not zoom: {half}, {quarter}")
    tab.press("0", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    require(_shown_part(tab) == whole, f"0 does not show everything: {_shown_part(tab)}")
    said = tab.run("return document.getElementById('chosen').textContent")
    require("printers.c:" in said, f"what is chosen: {said}")
    tab.click("#chosen a")
    line, inside = tab.run(
        "const here = document.querySelector('.source .here');"
        "const box = here.getBoundingClientRect();"
        "return [here.textContent, box.top >= 0 && box.bottom <= innerHeight];"
    )
    require("scheduler_yield" in line, f"the link leads to: {line}")
    require(inside, "the line is not in view")
    wrong = list(problems_of_page(tab, axe))
    require(not wrong, "\n".join(wrong))


def _shown_part(tab: Tab) -> Tuple[float, float]:
    script = "const chart = document.getElementById('chart'); return [+chart.dataset.from, +chart.dataset.to]"
    begin, end = tab.run(script)
    return begin, end


# ---- axe-core


def _axe(workshop: Workshop) -> Optional[str]:
    """The script: what is installed, or else what npm gives."""
    return installed_axe(workshop) or _fetched_axe(workshop)


def installed_axe(workshop: Workshop) -> Optional[str]:
    if shutil.which("npm") is None:
        return None
    folder = workshop.try_run(["npm", "root", "--global"], seconds=60).output.strip()
    return _script(Path(folder) / "axe-core" / "axe.min.js")


def _fetched_axe(workshop: Workshop) -> Optional[str]:
    if shutil.which("npm") is None:
        return None
    folder = workshop.folder / "npm"
    folder.mkdir(exist_ok=True)
    command = ["npm", "pack", "--silent", _AXE, "--pack-destination", str(folder)]
    workshop.try_run(command, seconds=60, environment={"HOME": str(folder)})
    for archive in folder.glob("axe-core-*.tgz"):
        with tarfile.open(archive) as opened:
            opened.extract("package/axe.min.js", folder)
    return _script(folder / "package" / "axe.min.js")


def _script(path: Path) -> Optional[str]:
    """No other version than the one that is known here."""
    data = path.read_bytes() if path.is_file() else b""
    return data.decode("utf-8") if hashlib.sha256(data).hexdigest() == _AXE_SHA256 else None
