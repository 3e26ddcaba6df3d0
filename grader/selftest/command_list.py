"""What is special about commands that pages show. All others are run as they stand there, end within a
few minutes, and with exit code 0."""

from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Tuple

# Not run, by the reason.
NOT_RUN: Mapping[str, Tuple[str, ...]] = {
    "it is the self-test, of which this is a part, or another part of it": (
        "./lab selftest",
        "./lab selftest commands",
        "./lab selftest feedback",
        "./lab selftest mutants",
        "./lab selftest outline",
        "./lab selftest reference",
        "./lab selftest seeds",
        "./lab selftest variants",
        "./lab selftest --repeat 20 --load",
    ),
    "the part grade runs it, with all tests": (
        "./lab grade solutions",
        "time ./lab grade solutions",
    ),
    "the part cpp does the same, with other compilers and options": (
        "cmake -S . -B build/cpp -G Ninja -DLAB_CPP=ON",
        "cmake --build build/cpp",
        "ctest --test-dir build/cpp -L x3",
    ),
    "the part site runs it": (
        "./lab docs",
        "./lab docs --out site",
        "./lab docs --out site-of-instructors --instructor",
    ),
    "it writes a page anew from what takes minutes to measure; the parts bench, feedback, mutants and seeds do the "
    "same, or what is exact of it, and compare": (
        "./lab bench --peers --write",
        "python3 -m grader.feedback --update",
        "python3 -m grader.mutants --update",
        "python3 -m grader.mutants m1.starts_at_once",
        "python3 -m grader.seeds --update",
    ),
    "it names a command or an option; how to use it is shown elsewhere": (
        "./lab batch",
        "./lab handout",
        "./lab trace",
        "./lab trace --text",
        "git clone --bare",
        "ninja -k 0",
        "perf lock",
        "perf stat",
        "strace -c",
        "strace -f",
    ),
}

# What the reader is to put something else in the place of.
PLACES: Mapping[str, str] = {
    "m1.CASE": "m1.only",
    "trace TEST": "trace m1.only",
    "LAB_SEED=NUMBER": "LAB_SEED=7",
}

# Commands that begin alike are run once, with the arguments and options of all of them.
TOGETHER: Tuple[str, ...] = ("./lab grade SUBMISSION ", "./lab batch SUBMISSIONS ")


class Expected(NamedTuple):
    exit_code: int = 0
    output: str = ""  # a regular expression


TO_DO = Expected(1, r"\b0 passed, [1-9]\d* failed")  # of the stubs

EXPECTED: Dict[str, Expected] = {
    "./lab test": TO_DO,
    **{f"./lab test m{number}": TO_DO for number in range(1, 6)},
    "./lab test m1.CASE": TO_DO,
    "./lab test m1.CASE --solution": Expected(output="1 passed, 0 failed"),
    "./lab test m2 --base own": TO_DO,
    "./lab test m3 --base own": TO_DO,
    "LAB_SEED=NUMBER ./lab test m5.e2e": TO_DO,
    "./lab test --watch m1": Expected(1, "0 of 1 passed"),
    "ctest --preset student -L m3": Expected(output="100% tests passed, 0 tests failed out of 1"),
    "yes | timeout 3 socat -u - TCP:127.0.0.1:7000": Expected(124),
    "nc 127.0.0.1 7000": Expected(output="^hello$"),
    "echo hello | socat -t 0.1 - TCP:127.0.0.1:7000,linger=0": Expected(output="^hello$"),
    "head -c 1000000 /dev/urandom > sent; nc -N 127.0.0.1 7000 < sent | cmp - sent && echo same": Expected(
        output="^same$"
    ),
    "seq 200 | xargs -P 20 -I{} sh -c 'echo {} | nc -N 127.0.0.1 7000' | sort -n | uniq | wc -l": Expected(
        output="^200$"
    ),
}

# They go on until ^C, or until the server ends, which happens as soon as they have printed this.
UNTIL: Mapping[str, str] = {
    "./lab test --watch m1": "Waiting for the next save",
    "nc 127.0.0.1 7000": "hello",
}
