"""What the browser's checks find: each fault is planted once."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, Optional

import pytest
from conftest import KIT_ROOT

from grader.kit import Kit
from grader.selftest.chromium import BrowserFailed, Tab, chromium, find_chromium
from grader.selftest.site_in_browser import installed_axe, problems_of_page
from grader.selftest.workshop import Workshop

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title>
<meta name="viewport" content="width=device-width"></head><body><main><h1>x</h1>{}</main></body></html>"""
PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium here")


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with chromium(str(PROGRAM), tmp_path_factory.mktemp("browser")) as opened:
        opened.look(390, 800, dark=True)
        yield opened


def found(tab: Tab, folder: Path, body: str, axe: Optional[str] = None) -> str:
    page = folder / "page.html"
    page.write_text(PAGE.format(body), encoding="utf-8")
    tab.open(page.as_uri())
    return "\n".join(problems_of_page(tab, axe))


@pytest.mark.parametrize(
    "body, message",
    [
        ("<p>fine</p>", ""),
        ("<script>console.log('fine')</script>", ""),
        ("<script>console.warn('oh')</script>", "console.warning"),
        ("<script>nonsense()</script>", "nonsense is not defined"),
        ("<script>Promise.reject(new Error('oh'))</script>", "oh"),
        ("<img src='gone.png' alt='x'>", "ERR_FILE_NOT_FOUND"),
        ("<div style='width: 500px'>wide</div>", "px wide, and has 390"),
    ],
)
def test_problems_of_a_page(tab: Tab, tmp_path: Path, body: str, message: str) -> None:
    said = found(tab, tmp_path, body)
    assert message in said and bool(message) == bool(said)


def test_axe_finds_what_is_serious(tab: Tab, tmp_path: Path) -> None:
    axe = installed_axe(Workshop(Kit(KIT_ROOT), tmp_path))
    if axe is None:
        pytest.skip("axe-core is not installed")
    assert found(tab, tmp_path, "<p>fine</p>", axe) == ""
    assert "axe: button-name" in found(tab, tmp_path, "<button></button>", axe)


def test_the_theme_is_the_one_that_was_asked_for(tab: Tab) -> None:
    dark = "return matchMedia('(prefers-color-scheme: dark)').matches"
    assert tab.run(dark) is True
    tab.look(390, 800, dark=False)
    assert tab.run(dark) is False


def test_a_click_hits_what_lies_on_top(tab: Tab, tmp_path: Path) -> None:
    cover = "<div style='position: fixed; inset: 0' onclick='window.hit = true'></div>"
    found(tab, tmp_path, "<button id='b' onclick='window.pressed = true'>b</button>" + cover)
    tab.click("#b")
    assert tab.run("return [window.hit, window.pressed]") == [True, None]


def test_an_error_in_a_script_is_told(tab: Tab) -> None:
    with pytest.raises(BrowserFailed, match="nonsense is not defined"):
        tab.run("nonsense()")
