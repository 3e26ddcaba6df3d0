"""grader/integrity: what an object file defines, lets run by itself, and has in its sections."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Iterator, List, Optional

import pytest

from conftest import KIT_ROOT
from grader.integrity import elf
from grader.integrity.declared import declared_functions
from grader.integrity.elf import BadFile, Elf, archive_members
from grader.integrity.inspect import Use, inspect_objects
from grader.kit import MILESTONES, Milestone
from integrity_lab import IntegrityLab, integrity_lab


@pytest.fixture(scope="module", params=["gcc", "clang"])
def lab(request: pytest.FixtureRequest) -> Iterator[IntegrityLab]:
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param} here")
    with integrity_lab(request.param) as made:
        yield made


def forbidden(uses: List[Use]) -> List[str]:
    return [use.what for use in uses if use.forbidden]


# ---- Definitions ---------------------------------------------------------------------------------

TAKEN = [
    ("int x;\nvoid *malloc(unsigned long n) { return (void *)n; }", "malloc", 2),
    ("long write(int fd, const void *b, unsigned long n) { return fd; }", "write", 1),
    ("int x;\nvoid *memcpy(void *a, const void *b, unsigned long n) { return a; }", "memcpy", 2),
    ("int puts(const char *s) { return *s; }", "puts", 1),
    ("void abort(void) { for (;;) { } }", "abort", 1),
    ("__attribute__((weak)) int puts(const char *s) { return *s; }", "puts", 1),
    ("int x;\nint main(void) { return 0; }", "main", 2),
    ("int lsearch(int n) { return n; }", "lsearch", 1),  # which the tests wrap
    ("void _start(void) { }", "_start", 1),
    ("void *__wrap_malloc(unsigned long n) { return 0; }", "__wrap_malloc", 1),
    ("void *__wrap_calloc(unsigned long n) { return 0; }", "__wrap_calloc", 1),
    ("void fail_test(const char *why) { }", "fail_test", 1),
    ("int case_log;", "case_log", None),
    ("__attribute__((common)) int case_log;", "case_log", None),
    ('const char *__asan_default_options(void) { return "detect_leaks=0"; }',
     "__asan_default_options", 1),
    ("int __lsan_is_turned_off(void) { return 1; }", "__lsan_is_turned_off", 1),
    ("void __asan_report_load4(long a) { }", "__asan_report_load4", 1),
    ("void __asan_poison_memory_region(void *p, long n) { }", "__asan_poison_memory_region", 1),
    ('int x __asm__("puts");', "puts", None),
    ("int own(const char *s) { return *s; }\n__asm__(\".globl puts\\n.set puts, own\");",
     "puts", 1),
    ('__asm__(".globl puts\\n.set puts, 0");', "puts", None),
    ('__asm__(".globl puts\\nputs: nop");', "puts", None),
    ("int own(const char *s) { return *s; }\n"
     "int puts(const char *) __attribute__((alias(\"own\")));", "puts", 1),
]  # fmt: skip


@pytest.mark.parametrize("code, name, line", TAKEN)
def test_other_peoples_names_are_taken(
    lab: IntegrityLab, code: str, name: str, line: Optional[int]
) -> None:
    found = [use for use in lab.uses(code + "\n") if use.forbidden]
    assert [use.what for use in found] == [name]
    assert "another name" in found[0].reason
    assert found[0].where.startswith("m1-task/task.c" + (f":{line}" if line else ""))


def test_another_milestones_function_is_not_ones_own(lab: IntegrityLab) -> None:
    code = """
        #include "echo_server.h"
        task *task_init(task *t, const char *n, void (*b)(co_handle), void (*r)(co_handle))
        {
            return t;
        }
        """
    [use] = lab.uses(code, "m5")
    assert (use.what, use.where) == ("task_init", "m5-echo-server/echo_server.c:3")
    assert use.forbidden
    assert "m1" in use.reason
    assert lab.uses(code, "m1") == []


def test_what_is_given_is_not_written_again(lab: IntegrityLab) -> None:
    code = '#include "timers.h"\nlab_clock *lab_clock_monotonic(void) { return NULL; }\n'
    assert forbidden(lab.uses(code, "m3")) == ["lab_clock_monotonic"]


def test_names_of_ones_own_are_free(lab: IntegrityLab) -> None:
    code = """
        #include "scheduler.h"
        int ready_count = 3;
        const char *const reason_texts[] = {"one", "two"};
        _Thread_local int depth;
        void push(int n) { ready_count += n; }
        int check(void) { return ready_count; }
        static void *malloc_or_die(size_t n) { return malloc(n); }
        void *room(void) { return malloc_or_die(3); }
        __attribute__((weak)) void hook(void) { }
        int _grow(int n) { return n; }
        """
    assert lab.uses(code, "m2") == []


def test_a_name_of_a_function_that_nobody_uses_is_unusual(lab: IntegrityLab) -> None:
    assert lab.uses("int step(int n) { return n; }\n") == []  # for programs of the last century
    [use] = lab.uses("int x;\nint hsearch(int n) { return n; }\n")
    assert (use.what, use.where, use.forbidden) == ("hsearch", "m1-task/task.c:2", False)
    assert "static" in use.reason


def test_a_static_function_of_any_name_is_ones_own(lab: IntegrityLab) -> None:
    code = "static int fail_test(int n) { return n; }\nint f(int n) { return fail_test(n); }\n"
    assert lab.uses(code) == []


# ---- What runs by itself -------------------------------------------------------------------------

STARTED = [
    ("volatile int x;\n__attribute__((constructor)) static void early(void) { x = 1; }",
     "early", 2),
    ("int x;\n__attribute__((constructor(99))) static void early(void) { x = 1; }", "early", 2),
    ("int x;\n__attribute__((constructor(1))) static void early(void) { x = 1; }", "early", 2),
    ("int x;\n__attribute__((destructor)) static void late(void) { x = 1; }", "late", 2),
    ("int x;\n__attribute__((destructor(99))) static void late(void) { x = 1; }", "late", 2),
    ("int x;\nvoid early(void) { x = 1; }\n"
     '__attribute__((section(".init_array"), used)) static void (*p)(void) = early;', "early", 2),
    ("int x;\nvoid early(void) { x = 1; }\n"
     '__attribute__((section(".init_array.00099"), used)) static void (*p)(void) = early;',
     "early", 2),
    ("int x;\nstatic void early(void) { x = 1; }\n"
     '__attribute__((section(".preinit_array"), used)) static void (*p)(void) = early;',
     "early", 2),
    ("int x;\nstatic void early(void) { x = 1; }\n"
     '__attribute__((section(".ctors"), used)) static void (*p)(void) = early;',
     "early", 2),
    ("int x;\nstatic void early(void) { x = 1; }\n"
     '__attribute__((section(".dtors.1"), used)) static void (*p)(void) = early;', "early", 2),
    ('__asm__(".section .init, \\"ax\\"\\nnop\\n.text");', ".init", None),
    ('__asm__(".section .fini, \\"ax\\"\\nnop\\n.text");', ".fini", None),
    ('__asm__(".section .other, \\"aw\\", @init_array\\n.quad 4096\\n.text");', ".other", None),
    ("static int one(void) { return 1; }\nstatic void *choose(void) { return one; }\n"
     'int chosen(void) __attribute__((ifunc("choose")));', "chosen", 2),
    ("static int one(void) { return 1; }\nstatic void *choose(void) { return one; }\n"
     'static int chosen(void) __attribute__((ifunc("choose")));\nint f(void) { return chosen(); }',
     "chosen", 2),
]  # fmt: skip


@pytest.mark.parametrize("code, name, line", STARTED)
def test_nothing_runs_by_itself(
    lab: IntegrityLab, code: str, name: str, line: Optional[int]
) -> None:
    found = [use for use in lab.uses(code + "\n") if use.forbidden]
    assert [use.what for use in found] == [name]
    assert "runs by itself" in found[0].reason
    assert found[0].where == "m1-task/task.c" + (f":{line}" if line else "")


def test_a_function_of_the_compilers_name_is_one_too_many(lab: IntegrityLab) -> None:
    name = "_sub_I_00099_7" if lab.stage.compiler == "gcc" else "asan.module_ctor"
    section = ".init_array.00099" if lab.stage.compiler == "gcc" else ".init_array.1"
    code = (
        f'int x = 3; static void early(void) __asm__("{name}");\n'
        "static void early(void) { x = 1; }\n"
        f'__attribute__((section("{section}"), used)) static void (*p)(void) = early;\n'
        'const char *f(void) { return "x"; }\n'
    )
    assert len(forbidden(lab.uses(code))) == 1


# ---- System calls --------------------------------------------------------------------------------

x86_64 = pytest.mark.skipif(
    subprocess.run(["uname", "-m"], stdout=subprocess.PIPE, check=True).stdout.strip() != b"x86_64",
    reason="instructions of another machine",
)


@x86_64
@pytest.mark.parametrize(
    "instruction, name",
    [
        ("syscall", "syscall"),
        (".byte 0x48, 0x0f, 0x05", "syscall"),
        ("sysenter", "sysenter"),
        ("int $0x80", "int $0x80"),
        (".byte 0x0f, 0x05", "syscall"),
    ],
)
def test_system_calls_are_found(lab: IntegrityLab, instruction: str, name: str) -> None:
    code = f'int x;\nstatic inline void call(void)\n{{ __asm__ volatile("{instruction}"); }}\n' \
           "int f(int n) {\n    n += x;\n    call();\n    return n;\n}\n"  # fmt: skip
    [use] = lab.uses(code)
    assert (use.what, use.where, use.forbidden) == (name, "m1-task/task.c:3", True)


@x86_64
def test_a_system_call_inside_an_instruction_is_unusual(lab: IntegrityLab) -> None:
    [use] = lab.uses("int f(volatile int *x) {\n    *x = 0x7e050f;\n    return 0;\n}\n")
    assert (use.what, use.where, use.forbidden) == ("system call", "m1-task/task.c:2", False)


@x86_64
def test_system_calls_without_end_are_told_once(lab: IntegrityLab) -> None:
    uses = lab.uses('void f(void) { __asm__(".rept 5000\\nsyscall\\n.endr"); }\n')
    assert [use.what for use in uses] == ["syscall", "system calls"]


@x86_64
def test_assembly_alone_is_nothing(lab: IntegrityLab) -> None:
    assert lab.uses('void f(void) { __asm__ volatile("pause" ::: "memory"); }\n') == []


# ---- Sections ------------------------------------------------------------------------------------

SECTIONS = [
    ('__asm__(".section .both, \\"awx\\"\\nnop\\n.text");', ".both", True),
    ('__asm__(".section .gnu.lto_x, \\"\\"\\nnop\\n.text");', ".gnu.lto_x", True),
    ('__asm__(".section .interp, \\"a\\"\\n.asciz \\"/x\\"\\n.text");', ".interp", True),
    ('__asm__(".section .debug_gdb_scripts, \\"MS\\",@progbits,1\\n.byte 4, 65, 0\\n.text");',
     ".debug_gdb_scripts", True),
    ('__asm__(".section .mine, \\"\\", @6\\nnop\\n.text");', ".mine", True),
    ('__asm__(".section .plugin, \\"ax\\"\\nnop\\n.text");', ".plugin", False),
    ('__attribute__((section("mine"))) int x = 3;', "mine", False),
    ('__asm__(".section .gnu.warning.x, \\"\\"\\n.asciz \\"x\\"\\n.text");',
     ".gnu.warning.x", False),
    ('__asm__(".section .note.GNU-stack, \\"x\\", @progbits\\n.text");', ".note.GNU-stack", False),
]  # fmt: skip


@pytest.mark.parametrize("code, name, refused", SECTIONS)
def test_sections(lab: IntegrityLab, code: str, name: str, refused: bool) -> None:
    if name == ".note.GNU-stack" and "clang" in lab.stage.compiler:
        pytest.skip("clang's assembler does not let it be changed")
    [use] = lab.uses(code + "\n")
    assert (use.what, use.forbidden) == (name, refused)


# ---- What is no object file ----------------------------------------------------------------------


def test_what_cannot_be_read_is_forbidden(lab: IntegrityLab) -> None:
    source = lab.folder / "task.c"
    source.write_text("int f(int n) { return n + 1; }\n", encoding="utf-8")
    made = lab.compiled(source)
    whole = made.read_bytes()
    for wrong in (b"", b"int f;", whole[:40], whole[: len(whole) // 2], b"\x7fELF\x01" + whole[5:],
                  whole[:16] + b"\x03\x00" + whole[18:]):  # fmt: skip
        made.write_bytes(wrong)
        [use] = inspect_objects(lab.stage, lab.sandbox, {"m1-task/task.c": made})
        assert (use.what, use.where, use.forbidden) == ("object file", "m1-task/task.c", True)


def test_damaged_files_are_read_or_refused(lab: IntegrityLab) -> None:
    source = lab.folder / "task.c"
    source.write_text("void exit(int); int x; void f(void) { exit(x); }\n", encoding="utf-8")
    whole = lab.compiled(source).read_bytes()
    for at in range(0, len(whole), 7):
        data = bytearray(whole)
        data[at] ^= 0xFF
        try:
            damaged = Elf(bytes(data))
            list(damaged.references())
            [damaged.content(section) for section in damaged.sections]
        except BadFile:
            pass


def test_too_many_symbols_are_refused(lab: IntegrityLab, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "int x; void f(void) { x = 1; }\n"
    assert lab.uses(code) == []
    monkeypatch.setattr(elf, "MOST_SYMBOLS", 60)
    assert lab.uses(code) == []
    [use] = lab.uses(code + "".join(f"int x{n};\n" for n in range(60)))
    assert (use.what, use.forbidden) == ("object file", True)
    assert "too many" in use.reason


def test_an_archive_is_read(tmp_path: Path) -> None:
    for name in ("one_with_a_name_of_more_than_sixteen_letters", "b"):
        (tmp_path / f"{name}.c").write_text(f"int in_{name};\n", encoding="utf-8")
        subprocess.run(["gcc", "-c", f"{name}.c"], cwd=tmp_path, check=True)
    objects = sorted(path.name for path in tmp_path.glob("*.o"))
    subprocess.run(["ar", "rc", "lib.a", *objects], cwd=tmp_path, check=True)
    members = [Elf(member) for member in archive_members((tmp_path / "lib.a").read_bytes())]
    names = [symbol.name for member in members for symbol in member.symbols if symbol.exported]
    assert names == ["in_b", "in_one_with_a_name_of_more_than_sixteen_letters"]


# ---- Headers -------------------------------------------------------------------------------------


GIVEN = {  # what is declared beside the stub's functions, and defined in files that are given
    "m3": {"lab_clock_monotonic", "virtual_clock_init"},
    "m5": {"parse_options", "stopping_open", "stopping_spawn", "stopping_close", "order_others"},
}


@pytest.mark.parametrize("milestone", MILESTONES, ids=[m.id for m in MILESTONES])
def test_declared_functions_are_what_a_stub_defines(
    milestone: Milestone, lab: IntegrityLab
) -> None:
    stub = lab.folder / milestone.source
    shutil.copy(KIT_ROOT / "milestones" / milestone.path, stub)
    defined = {s.name for s in Elf(lab.compiled(stub).read_bytes()).symbols if s.exported}
    given = GIVEN.get(milestone.id, set())
    declared = declared_functions(KIT_ROOT / "milestones" / milestone.folder)
    assert declared == {name for name in defined if not name.startswith("__odr_asan")} | given
