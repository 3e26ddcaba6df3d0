"""What `./lab test` prints of each test as it ends: brief where all is well, in full where not."""

from __future__ import annotations

import dataclasses
import re
import shlex
from typing import Dict, Iterable, List, Tuple

from rich.console import Console
from rich.markup import escape

from grader.alike import FEW, looped_in, names
from grader.kit import END_TO_END_POINTS, LABS, Kit
from grader.model import Finding, Status, TestResult
from grader.report_terminal import print_failure

_HEADINGS = {
    **{lab.id: lab.title for lab in LABS},
    "m5.e2e": "Real clients against the echo server",
    "m5.own": "Real clients against the echo server on the whole stack of one's own",
}

# The program has explained these itself; of the others it had no chance to, or nothing to say.
_TOLD = (Status.FAILED, Status.CRASHED, Status.TIMEOUT, Status.LEAKED)

_SHOWN = {Status.CRASHED: 1, Status.TIMEOUT: FEW}  # of those that ended at one place: more are counted

_END_TO_END = [group.split(".") for group in END_TO_END_POINTS]


def _is_told(result: TestResult, text: str) -> bool:
    """An early exit may also come before the program could explain anything."""
    if result.status == Status.EARLY_EXIT:
        return text.startswith(f"{result.status.value}  {result.id}: ")
    return bool(text.strip()) and result.status in _TOLD


def _where(result: TestResult) -> "Tuple[str, ...]":
    """What happened, and where; empty if the program could not say that."""
    loop = looped_in(result)
    if loop:
        return "", loop[loop.index("in ") :]
    lines = result.message.splitlines()
    if result.status != Status.CRASHED or not lines[1:]:
        return ()
    caller = lines[2].split(",")[0] if lines[2:] and lines[2].startswith("called from ") else ""
    return lines[0], lines[1], caller


class StudentReport:
    """Call `group`, then `tested` for each of its tests, and `close` at the end."""

    def __init__(self, console: Console, kit: Kit) -> None:
        self._console = console
        self._kit = kit
        self._to_do: Dict[str, List[str]] = {}  # by what is not implemented: what each test printed
        self._ended: Dict[Tuple[str, ...], List[TestResult]] = {}  # by what happened where

    def group(self, name: str) -> None:
        self.close()
        self._console.print(f"\n[bold]{name}  {_HEADINGS[name]}[/bold]")

    def tested(self, result: TestResult, text: str = "") -> None:
        """`text`: what the test program printed for the student."""
        if result.status == Status.PASSED:
            self._line(f"[green]passed[/green]  {result.id}: {escape(result.title)}")
        elif result.status == Status.NOT_IMPLEMENTED:
            self._to_do.setdefault(self._shorten(result.message), []).append(text)
        elif self._is_shown_already(result):
            pass
        elif _is_told(result, text):
            self._line(escape(self._shorten(text)))
        else:
            shown = dataclasses.replace(result, message=self._shorten(result.message))
            print_failure(self._console, shown, self._place(result), self._debug_server(result))

    def _is_shown_already(self, result: TestResult) -> bool:
        """Tests before it have crashed or hung at the same place."""
        where = _where(result)
        if not where:
            return False
        others = self._ended.setdefault((result.status.value, *where), [])
        others.append(result)
        return len(others) > _SHOWN[result.status]

    def close(self) -> None:
        """A stub that stops many tests is one line, and so are all further ends at a place."""
        for message, texts in self._to_do.items():
            if len(texts) == 1 and texts[0].strip():
                self._line(escape(self._shorten(texts[0])))
                continue
            plural = "" if len(texts) == 1 else "s"
            self._line(f"[yellow]to do[/yellow]   {escape(message)}: {len(texts)} test{plural}")
        self._to_do.clear()
        for (status, _, place, *_), results in self._ended.items():
            more = results[_SHOWN[results[0].status] :]
            if more:
                where = f"{escape(self._shorten(place))}, as {results[0].id} did"
                self._line(f"[red]{status}[/red] {where}: {len(more)} more: {names(more)}")
        self._ended.clear()

    def not_built(self, texts: Iterable[str]) -> None:
        """The compiler's own words, each once, though several programs need the same file."""
        for text in dict.fromkeys(texts):
            self._line(escape(text))

    def warnings(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            where = f"milestones/{finding.where}"
            self._line(f"[yellow]warning[/yellow] {escape(where)}: {escape(finding.detail)}")

    def _place(self, result: TestResult) -> str:
        """Of an end-to-end check: the others tell it themselves."""
        words = result.id.split(".")
        if words[:2] not in _END_TO_END:
            return ""
        for path in sorted(self._kit.end_to_end.glob("test_*.py")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if line.startswith(f"def test_{words[2]}("):
                    return self._shorten(f"{path}:{number}")
        return ""

    def _debug_server(self, result: TestResult) -> List[str]:
        """How to run the server of an end-to-end check by hand, if it is where this kit builds it."""
        name = "echo-server-own" if result.id.startswith("m5.own.") else "echo-server"
        folder = self._kit.build_folder(f"student-on-{self._kit.default_base()}")
        server = folder / "milestones" / name
        if result.id.split(".")[:2] not in _END_TO_END or not server.is_file():
            return []
        mode = " --level-triggered" if result.id.endswith(".level") else ""
        # In a debugger the search for leaks at the end cannot work.
        options = "-iex 'set environment ASAN_OPTIONS detect_leaks=0' -ex run"
        command = f"gdb {options} --args {shlex.quote(str(server))} --port 7007{mode}"
        return [self._shorten(command), "(and in another terminal: nc 127.0.0.1 7007)"]

    def _line(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def _shorten(self, text: str) -> str:
        """Paths from the kit's folder on."""
        return re.sub(re.escape(f"{self._kit.root}/"), "", text.rstrip())
