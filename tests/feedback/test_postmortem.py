"""What a student is told when the echo server dies in an end-to-end check: a sanitizer's report in a few
lines, from its beginning, where it says what is wrong."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.postmortem import cause_of_death
from tests.e2e.verdicts import Status

REFERENCE = Path(__file__).parents[2] / "solutions"
STACK_BELOW = "".join(
    f"    #{number} 0x55d{number} in run_round {REFERENCE}/m2-scheduler/scheduler.c:{number}\n"
    for number in range(1, 15)
)
USE_AFTER_FREE = f"""\
a line of the student's own
=================================================================
==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x60b0 at pc 0x1 bp 0x2 sp 0x3
READ of size 8 at 0x60b000 thread T0
    #0 0x55d0 in read_all /home/s/m5-echo-server/echo_server.c:88:7
{STACK_BELOW}
0x60b0 is located 8 bytes inside of 264-byte region
freed by thread T0 here:
    #0 0x7f00 in __interceptor_free ../asan_malloc_linux.cpp:52
    #1 0x55d1 in give_back /home/s/m5-echo-server/echo_server.c:80
    #2 0x55d1 in end_session /home/s/m5-echo-server/echo_server.c:84
{STACK_BELOW}
previously allocated by thread T0 here:
    #0 0x7f00 in __interceptor_malloc ../asan_malloc_linux.cpp:69
    #1 0x55d2 in begin /home/s/m5-echo-server/echo_server.c:20
{STACK_BELOW}
SUMMARY: AddressSanitizer: heap-use-after-free
"""
LEAKS = "==7==ERROR: LeakSanitizer: detected memory leaks\n\n" + "".join(
    f"Direct leak of {size} byte(s) in {count} object(s) allocated from:\n"
    "    #0 0x7f95 in __interceptor_malloc ../asan_malloc_linux.cpp:69\n"
    f"    #1 0x5623 in take_buffer /home/s/m5-echo-server/echo_server.c:{size}\n{STACK_BELOW}\n"
    for size, count in ((100, 1), (200, 2), (300, 3), (400, 4), (500, 5))
)


def test_a_use_after_free_is_told_with_where_it_was_freed() -> None:
    found = cause_of_death(99, USE_AFTER_FREE)
    assert found is not None and found.status is Status.CRASHED
    assert found.message.splitlines() == [
        "the server crashed:",
        "heap-use-after-free: memory was used after it had been freed",
        "in read_all, m5-echo-server/echo_server.c:88",
        "it had been freed in give_back, m5-echo-server/echo_server.c:80",
        "it had been allocated in begin, m5-echo-server/echo_server.c:20",
        "it wrote: a line of the student's own",
    ]


def test_each_leak_is_one_line() -> None:
    found = cause_of_death(99, LEAKS)
    assert found is not None and found.status is Status.LEAKED
    assert found.message.splitlines() == [
        "the server left memory behind:",
        "100 bytes, allocated in take_buffer, m5-echo-server/echo_server.c:100",
        "200 bytes in 2 blocks, allocated in take_buffer, m5-echo-server/echo_server.c:200",
        "300 bytes in 3 blocks, allocated in take_buffer, m5-echo-server/echo_server.c:300",
        "400 bytes in 4 blocks, allocated in take_buffer, m5-echo-server/echo_server.c:400",
        "and 1 more",
    ]


def test_undefined_behaviour_is_told_with_its_callers() -> None:
    found = cause_of_death(
        99,
        "/home/s/m5-echo-server/echo_server.c:7:5: runtime error: division by zero\n"
        "    #0 0x55d0 in share /home/s/m5-echo-server/echo_server.c:7\n"
        "    #1 0x55d0 in serve /home/s/m5-echo-server/echo_server.c:9\n"
        "    #2 0x55d0 in main /home/s/m5-echo-server/main.c:301\n",
    )
    assert found is not None
    assert found.message.splitlines() == [
        "the server crashed:",
        "undefined behaviour: division by zero",
        "in share, m5-echo-server/echo_server.c:7",
        "called from serve (m5-echo-server/echo_server.c:9)",
    ]


def test_a_stub_is_told_by_its_own_sentence() -> None:
    """Also when something has gone wrong before, which is a matter of its own."""
    missing = "echo_server_stop is not implemented yet (milestones/m5-echo-server/echo_server.c:9)"
    lost = "task 'session' failed, and nobody took its error: gone (-104) at echo_server.c:7"
    found = cause_of_death(78, f"{lost}\n{lost}\n{missing}\n")
    assert found is not None and found.status is Status.NOT_IMPLEMENTED
    assert found.message == missing


def test_without_a_report_its_last_words_are_quoted() -> None:
    found = cause_of_death(-6, "x" * 1000 + "\nassertion failed\n")
    assert found is not None and found.status is Status.CRASHED
    assert found.message.startswith("the server was killed by SIGABRT\nit wrote: xxx")
    assert found.message.endswith("\nassertion failed")
    assert cause_of_death(0, "counters") is None
