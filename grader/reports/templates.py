"""The HTML templates beside this file. All that is put into one is escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, page: Any) -> str:
    return _ENVIRONMENT.get_template(template).render(page=page)
