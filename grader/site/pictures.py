"""Draws pictures from text: Graphviz, in colours that follow the page's."""

from __future__ import annotations

import html
import re
from pathlib import Path

from grader.exit_codes import KitFailed
from grader.processes import run_program

_SECONDS = 30.0


def drawn(path: Path, caption: str) -> str:
    """HTML. The picture's colours are left to the style sheet, by its classes, if it has some."""
    ended = run_program(["dot", "-Tsvg", str(path)], seconds=_SECONDS)
    svg = ended.output[ended.output.find("<svg") :].strip()
    if ended.returncode != 0 or not svg.startswith("<svg"):
        raise KitFailed(f"{path.name} cannot be drawn:\n{ended.output.strip()}")
    svg = re.sub(r"<!--.*?-->\n?|<title>.*?</title>\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (?:fill|stroke)="(?:black|white|transparent|none)"', "", svg)
    svg = re.sub(r' id="[^"]*"', "", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(caption)}" ', 1)
    return figure(svg, caption)


def figure(svg: str, caption: str) -> str:
    text = html.escape(caption)
    return f'<figure class="picture">\n{svg}\n<figcaption>{text}</figcaption>\n</figure>'
