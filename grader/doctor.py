"""`./lab doctor`: tries out what the kit needs of a machine, and says what to do about what fails."""

from __future__ import annotations

import dataclasses
import platform
import select
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Callable, List, Optional, Sequence, Tuple

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grader.exit_codes import ExitCode
from grader.kit import Kit
from grader.processes import Ended, run_program
from grader.rubric import read_rubric
from grader.sandbox import Sandbox, why_not

_SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    needed: bool  # False: the kit does without, but something is missing then
    look: Callable[[], Tuple[bool, str]]  # whether it works, and what was seen
    advice: str


def report(console: Console, kit: Kit) -> ExitCode:
    table = Table("", "What", "Seen")
    advice: List[str] = []
    worst = ExitCode.DONE
    with console.status("Looking ..."):
        for check in checks(kit):
            works, seen = check.look()
            mark = "ok" if works else "MISSING" if check.needed else "without"
            table.add_row(mark, check.name, escape(seen))
            if not works:
                advice.append(f"{check.name}: {check.advice}")
                worst = ExitCode.KIT_FAILED if check.needed else worst
    console.print(table)
    for line in advice:
        console.print(escape(line))
    ready = "Everything that the kit needs is here." if worst == ExitCode.DONE else "Not ready."
    console.print(ready)
    return worst


def checks(kit: Kit) -> List[Check]:
    return [
        Check("Linux with epoll", True, _epoll, "the kit is for Linux; use a virtual machine or WSL 2"),
        Check("Python packages", True, _python_packages, "./lab setup"),
        Check("cmake", True, _tool("cmake", "--version"), "./lab setup, or install cmake 3.21"),
        Check("ninja", True, _tool("ninja", "--version"), "./lab setup, or install ninja"),
        Check("C compiler", True, _compiler, "./lab setup, or install gcc"),
        Check("library Check", True, _tool("pkg-config", "--modversion", "check"), "./lab setup"),
        Check("AddressSanitizer", True, _address_sanitizer, _SANITIZER_ADVICE),
        Check("UndefinedBehaviorSanitizer", True, _undefined_sanitizer, _SANITIZER_ADVICE),
        Check("LeakSanitizer", True, _leak_sanitizer, _LEAK_ADVICE),
        Check("sandbox (bubblewrap)", False, _bubblewrap, _SANDBOX_ADVICE),
        Check("clang", False, _tool("clang", "--version"), _OPTIONAL_ADVICE),
        Check("valgrind", False, _tool("valgrind", "--version"), _OPTIONAL_ADVICE),
        Check("writable kit folder", False, lambda: _writable(kit), "builds go to ~/.cache/lab instead"),
    ]


_SANITIZER_ADVICE = (
    "install the compiler's sanitizer libraries (gcc: libasan, libubsan); if a program dies at once, "
    "try: sysctl vm.mmap_rnd_bits=28"
)
_LEAK_ADVICE = (
    "it needs ptrace: in a container, run with --cap-add=SYS_PTRACE; not under gdb or strace. "
    "Without it the tests cannot see leaks"
)
_SANDBOX_ADVICE = (
    "./lab grade says what may help; without it only --no-sandbox grades, with the rights of who runs it"
)
_OPTIONAL_ADVICE = "only ./lab selftest needs it, and installs it"

_FREED = "#include <stdlib.h>\nint main(void){volatile char *p=malloc(1);free((void*)p);return *p;}\n"
_OVERFLOW = "int main(int n,char**v){(void)v;volatile int x=0x7fffffff;x+=n;return 0;}\n"
_LEAK = (
    "#include <stdlib.h>\nstatic void *volatile p;\n"
    "int main(void){p=malloc(10);p=0;return 0;}\n"
)


def _epoll() -> Tuple[bool, str]:
    works = hasattr(select, "epoll")
    return works, f"{platform.system()} {platform.release()}"


def _python_packages() -> Tuple[bool, str]:
    import importlib.util

    missing = [n for n in ("click", "rich", "jinja2", "pytest", "tomli") if not importlib.util.find_spec(n)]
    seen = f"Python {platform.python_version()} ({sys.executable})"
    return not missing, f"{seen}, without {', '.join(missing)}" if missing else seen


def _tool(*command: str) -> Callable[[], Tuple[bool, str]]:
    def look() -> Tuple[bool, str]:
        ended = _run(command)
        if ended is None:
            return False, "not found"
        return ended.returncode == 0, _first_line(ended.output)

    return look


def compiler() -> Optional[str]:
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def _compiler() -> Tuple[bool, str]:
    name = compiler()
    return _tool(name, "--version")() if name else (False, "neither cc, gcc nor clang")


def _address_sanitizer() -> Tuple[bool, str]:
    return _sanitizer("address", _FREED, "heap-use-after-free")


def _undefined_sanitizer() -> Tuple[bool, str]:
    return _sanitizer("undefined", _OVERFLOW, "signed integer overflow")


def _leak_sanitizer() -> Tuple[bool, str]:
    return _sanitizer("address", _LEAK, "detected memory leaks")


def _sanitizer(kind: str, code: str, expected: str) -> Tuple[bool, str]:
    """Compiles a faulty program and looks whether the fault is found."""
    name = compiler()
    if name is None:
        return False, "no compiler"
    with tempfile.TemporaryDirectory(prefix="lab-doctor-") as folder:
        source, program = Path(folder) / "fault.c", Path(folder) / "fault"
        source.write_text(code, encoding="utf-8")
        built = _run([name, "-w", f"-fsanitize={kind}", "-g", str(source), "-o", str(program)])
        if built is None or built.returncode != 0:
            return False, "does not link: " + _first_line(built.output if built else "")
        ran = _run([str(program)])
    if ran is not None and expected in ran.output:
        return True, f"finds a planted fault ({expected})"
    return False, "a planted fault was not found: " + _first_line(ran.output if ran else "")


def _bubblewrap() -> Tuple[bool, str]:
    words = why_not(Sandbox(read_rubric().limits))
    return words is None, _first_line(words) if words else "works"


def _writable(kit: Kit) -> Tuple[bool, str]:
    folder = kit.build_folder("student")
    return folder.is_relative_to(kit.root), f"builds are kept in {folder.parent}"


def _run(command: Sequence[str]) -> Optional[Ended]:
    try:
        return run_program(command, seconds=_SECONDS)
    except OSError:
        return None


def _first_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0] if lines else "no output"
