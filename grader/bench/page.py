"""docs/performance.md."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Dict, Sequence

import jinja2
import tomli

from grader.bench.goals import missed, verdicts
from grader.bench.model import Measured
from grader.bench.record import Surroundings
from grader.bench.table import (
    cell,
    figure_cell,
    grid,
    left_out_lines,
    markdown_table,
    verdict_line,
)
from grader.kit import Kit

_TEMPLATE = Path(__file__).parent / "performance.md.j2"


def path_of(kit: Kit) -> Path:
    return kit.root / "docs" / "performance.md"


def page(kit: Kit, around: Surroundings, measured: Sequence[Measured], counts: str) -> str:
    """`counts`: the page's last section, of what is exact."""
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    limits = read_limits(kit)
    found = [verdict for one in measured for verdict in verdicts(one)]
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        around=around,
        goals=len(found),
        goals_met=sum(verdict.met for verdict in found),
        missed=[verdict_line(verdict) for verdict in missed(found)],
        sections=[_section(one, limits) for one in measured],
        counts=counts,
    )


def read_limits(kit: Kit) -> Dict[str, str]:
    """What limits the figures, by bench: what profiles showed."""
    text = (kit.root / "tests" / "bench" / "limits.toml").read_text(encoding="utf-8")
    return {bench: text.strip() for bench, text in tomli.loads(text).items()}


def _section(measured: Measured, limits: Dict[str, str]) -> Dict[str, Any]:
    bench = measured.bench
    return {
        "id": bench.id,
        "title": bench.title,
        "figure": bench.figure.title,
        "table": markdown_table(*grid(measured, partial(cell, measured))),
        "more": [
            (figure.title, markdown_table(*grid(measured, partial(figure_cell, measured, figure))))
            for figure in bench.more_figures
        ],
        "left_out": left_out_lines(measured),
        "limits": limits.get(bench.id, ""),
    }
