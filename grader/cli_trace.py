"""`./lab trace`: what the coroutines of a test or a program do: page, Chrome trace, text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional, Tuple

import click

from grader.build import BuildRequest
from grader.cli_options import BASES, chosen_base
from grader.exit_codes import KitFailed, WrongUse
from grader.kit import Kit, find_kit
from grader.score_file import check_writable
from grader.student_test import TestRequest, locked
from grader.terminal import make_console
from grader.timeline.chrome import chrome_trace
from grader.timeline.page import html_page
from grader.timeline.record import (
    ECHO_SERVER,
    ECHO_SERVER_SOURCES,
    Recorded,
    chosen_test,
    record_program,
    record_test,
)
from grader.timeline.text import text_form

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("trace")
@click.argument("what", metavar="TEST|PROGRAM.c|echo-server")
@click.argument("arguments", nargs=-1, metavar="[-- ARGUMENT ...]")
@click.option("--out", type=_FILE, help="The page to write; default: below build/.")
@click.option("--chrome", type=_FILE, help="Write Chrome's trace JSON, which Perfetto opens.")
@click.option("--text", is_flag=True, help="Print it.")
@click.option("--base", type=BASES, help="Whose lower layers it is built on.")
@click.option("--solution", is_flag=True, help="Trace the reference, not milestones/.")
@click.option(
    "--seconds", type=click.FloatRange(min=0), help="Ask a program to end (SIGTERM) after so long."
)
def trace_command(
    what: str,
    arguments: Tuple[str, ...],
    out: Optional[Path],
    chrome: Optional[Path],
    text: bool,
    base: Optional[str],
    solution: bool,
    seconds: Optional[float],
) -> None:
    """Show what coroutines do: who runs, who waits for what, who wakes whom.

    TEST is one test (m3.sleeps_overlap), PROGRAM.c any program on this runtime. A program runs
    until it ends or you press ^C."""
    kit, console = find_kit(), make_console()
    if solution and not kit.solutions.is_dir():
        raise WrongUse("this copy of the kit has no reference solution")
    for path in (out, chrome):
        if path is not None:
            check_writable(path.absolute())
    request = TestRequest(kit, [what], chosen_base(kit, base), solution)
    folder = kit.build_folder(request.build_name)
    building = BuildRequest(kit.root, request.tree, folder, request.base)
    with locked(folder, console):
        recorded = _record(kit, building, what, arguments, seconds)
    if recorded.output:
        console.print(recorded.output.rstrip(), markup=False, soft_wrap=True)
    if text:
        click.echo(text_form(recorded.story, recorded.title, console.width), nl=False)
    if chrome is not None:
        _write(chrome, json.dumps(chrome_trace(recorded.story, recorded.title)))
        console.print(str(chrome), markup=False, soft_wrap=True)
    if out is not None or not (text or chrome):
        page = out or kit.build_folder("traces") / f"{recorded.title}.html"
        _write(page, html_page(recorded.story, recorded.title, recorded.ending))
        console.print(str(page), markup=False, soft_wrap=True)


def _record(
    kit: Kit, request: BuildRequest, what: str, arguments: Tuple[str, ...], seconds: Optional[float]
) -> Recorded:
    if what != ECHO_SERVER and not what.endswith(".c"):
        if arguments:
            raise WrongUse("arguments are for programs; a test takes none")
        return record_test(request, chosen_test(kit, what))
    source = kit.root / ECHO_SERVER_SOURCES[-1] if what == ECHO_SERVER else Path(what)
    if not source.is_file():
        raise WrongUse(f"there is no file {what}")
    return record_program(request, source.absolute(), arguments, seconds)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KitFailed(f"cannot write {path}: {error.strerror}") from error
