"""The benches: what each measures, in which cases, beside whom, and what its goal is."""

from __future__ import annotations

import resource
from typing import List, Sequence, Tuple

from grader.bench.model import Bench, Case, Figure, Goal, Load, Program
from grader.bench.peers import FLOOR, OURS, STACKFUL

MANY = 10_000  # connections
_SPARE_DESCRIPTORS = 100
_MILLION = 1_000_000
_NS = Figure("each", "ns")
_CPU = Figure("cpu_us", "server CPU, us a message")

_SWITCHERS = (OURS, "cpp20", *STACKFUL, "asio", "go", "python")
_SERVERS = (OURS, FLOOR, "libuv", "libev", "libevent", "asio", "go", "python")
_LOOPS = ("libuv", "libev", "libevent", "asio", "go")


def benches(connections: int) -> Tuple[Bench, ...]:
    """All, with no more than so many connections."""
    return (*_coroutines(), _timers(), _pool(), *_servers(connections))


def most_connections() -> int:
    """MANY, or what the limit of descriptors leaves."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return MANY
    return min(MANY, hard - _SPARE_DESCRIPTORS)


def _coroutines() -> Sequence[Bench]:
    pth_is_slow = {"pth": "its yield makes system calls: a round would take minutes"}
    return (
        Bench(
            id="switch",
            title="A yield, of so many coroutines in turn",
            figure=_NS,
            cases=(
                Case("1", Program(("1", "{count}"), 1000), x=1),
                Case("1,000", Program(("1000", "{count}"), 1, each=1000), x=1000),
                Case(
                    "1,000,000",
                    Program((str(_MILLION), "{count}"), 1, most=5, each=_MILLION),
                    x=_MILLION,
                    without=pth_is_slow,
                    memory={who: 9 * 2**30 for who in STACKFUL} | {"go": 4 * 2**30, "python": 2**31},
                    once=(*STACKFUL, "go", "python"),  # millions of pages of stacks and objects
                ),
            ),
            who=_SWITCHERS,
            goals=(Goal(1.2, ("cpp20",)), Goal(0.5, (*STACKFUL, "go"), below=True)),
        ),
        Bench(
            id="spawn",
            title="A coroutine's life: created, run, destroyed",
            figure=_NS,
            cases=(Case("a thousand at a time", Program(("{count}",), each=1000)),),
            who=_SWITCHERS,
            goals=(Goal(1.0, (*STACKFUL, "go"), below=True),),
        ),
        Bench(
            id="await",
            title="A child: created, awaited, destroyed",
            figure=_NS,
            cases=(
                Case("one after the other", Program(("children", "{count}"), 1000)),
                Case("fibonacci 27", Program(("fibonacci", "27"))),
            ),
            who=(OURS, "cpp20", "asio", "go", "python"),
            goals=(Goal(1.3, ("cpp20",)),),
        ),
        Bench(
            id="sync",
            title="Coroutines that wait for each other: a turn with a mutex, an item through a channel",
            figure=_NS,
            cases=(
                Case("mutex, 2", Program(("mutex", "2", "{count}"), 1000)),
                Case("mutex, 1,000", Program(("mutex", "1000", "{count}"), 100_000)),
                Case("channel, room for 1", Program(("channel", "1", "{count}"), 1000)),
                Case("channel, room for 64", Program(("channel", "64", "{count}"), 1000)),
            ),
            who=(OURS, "go"),
            goals=(Goal(1.0, ("go",), below=True),),
        ),
        Bench(
            id="memory",
            title="A suspended coroutine with one local variable, in memory",
            figure=Figure("each", "bytes"),
            cases=(
                Case(
                    "1,000,000",
                    Program((str(_MILLION),)),
                    without={who: "see 10,000" for who in (*STACKFUL, "python")},
                    memory={"go": 4 * 2**30},
                ),
                Case("10,000", Program(("10000",))),
            ),
            who=_SWITCHERS,
            goals=(Goal(200), Goal(1.0, (*STACKFUL, "asio", "go", "python"), below=True)),
            rounds=1,  # it is the same each time
        ),
    )


def _timers() -> Bench:
    """The longer, the more sleep: so someone is due every other microsecond, however many there are."""
    cases: List[Case] = []
    for count, sleeps, rounds in ((1000, 30, 100), (100_000, 3, 1), (_MILLION, 2, 1)):
        shortest = max(count, 10_000)
        slow = {"python": "a round would take a minute"} if count == _MILLION else {}
        sleep = Program(("sleep", str(count), str(sleeps), str(shortest)))
        cancel = Program(("cancel", str(count), str(rounds)))
        once = ("go",) if count == _MILLION else ()
        cases.append(Case(f"sleep, {count:,}", sleep, x=count, without=slow, once=once))
        cases.append(Case(f"cancel, {count:,}", cancel, x=count, without=slow))
    return Bench(
        id="timers",
        title="A sleep, from the await to the resumption, and its cancellation, while so many sleep",
        figure=_NS,
        cases=tuple(sorted(cases, key=lambda case: case.title.startswith("cancel"))),
        who=(OURS, "libuv", "libev", "asio", "go", "python"),
        goals=(Goal(1.0, ("libuv", "libev", "asio", "go"), below=True),),
        rounds=3,
    )


def _pool() -> Bench:
    """In real time: that two cores do it in less is what a pool is for."""
    cases = [
        Case(
            f"{title}, {cores} core{'s' * (cores > 1)}",
            Program((str(cores), steps, "{count}"), each=1000, cores=cores),
        )
        for title, steps in (("no work", "1"), ("some 10 us of work", "10000"))
        for cores in (1, 2)
    ]
    return Bench(
        id="pool",
        title="A task of a thread pool, in real time: started, run, joined",
        figure=_NS,
        cases=tuple(cases),
        who=(OURS, "libuv", "go"),
        goals=(Goal(1.0, ("libuv",), below=True),),
    )


def _servers(most: int) -> Sequence[Bench]:
    def echo(connections: int, size: int, name: str) -> Case:
        long = 1500 if connections > 1000 else 500  # until each has had its turn several times
        return Case(f"{name}, {connections:,}", Load("echo", connections, connections, size, long))

    counts = [1, 50, 1000, most]
    cases = [echo(n, 64, "64 B") for n in counts] + [echo(n, 4096, "4 KiB") for n in counts]
    cases += [echo(n, 2**20, "1 MiB") for n in (1, 50)]
    rate = Figure("per_second", "messages/s", more_is_better=True)
    latency = (Figure("p50_us", "p50, us"), Figure("p99_us", "p99, us"))
    busy = (Figure("server_busy", "server's core busy"), Figure("load_busy", "load's core busy"))
    return (
        Bench(
            id="echo",
            title="An echoed message, over so many connections that all talk",
            figure=_CPU,
            cases=tuple(cases),
            who=_SERVERS,
            goals=(Goal(1.03, (FLOOR,)), Goal(1.0, _LOOPS, below=True)),
            more_figures=(rate, *latency, *busy),
        ),
        Bench(
            id="threads",
            title="An echoed message, of 64 B over 1,000 connections, by a server on so many threads",
            figure=_CPU,
            cases=tuple(
                Case(f"{n} thread{'s' * (n > 1)}", Load("echo", 1000, 1000, milliseconds=1000, threads=n))
                for n in (1, 2)
            ),
            who=(OURS,),
            goals=(Goal(1.1, first_case=True),),
            more_figures=(rate, *latency, *busy),
        ),
        Bench(
            id="growth",
            title="An echoed message, over so many connections of which 10 talk, in turn",
            figure=_CPU,
            cases=tuple(
                Case(f"{n:,}", Load("echo", n, 10, milliseconds=500), x=n)
                for n in (10, 100, 1000, most)
            ),
            who=_SERVERS,
            goals=(Goal(1.25, first_case=True),),
            more_figures=(rate, *busy),
        ),
        Bench(
            id="churn",
            title="A client that connects, sends a message, gets it back, and closes",
            figure=Figure("cpu_us", "server CPU, us a client"),
            cases=(Case("64 B, 50 at a time", Load("churn", 50, 50)),),
            who=_SERVERS,
            goals=(Goal(1.03, (FLOOR,)),),
            more_figures=(Figure("per_second", "clients/s", more_is_better=True), *latency, *busy),
        ),
        Bench(
            id="idle",
            title="A connection that has spoken and is silent, in the server's memory",
            figure=Figure("resident_each", "bytes"),
            cases=(Case(f"{most:,}", Load("idle", most)),),
            who=_SERVERS,
            goals=(Goal(512), Goal(1.0, (*_LOOPS, "python"), below=True)),
            rounds=3,
        ),
        Bench(
            id="held",
            title="Connections held, of which 100 talk, 100 times a second",
            figure=_CPU,
            cases=(
                Case("those 100 alone, 10 s", Load("echo", 100, 100, milliseconds=10_000, pause=10)),
                Case(f"{most:,}, a minute", _held(most)),
            ),
            who=(OURS,),
            goals=(Goal(1.25, first_case=True),),
            more_figures=(Figure("resident", "growth in memory, bytes"), rate),
            rounds=1,
        ),
    )


def _held(most: int) -> Load:
    return Load("echo", most, 100, milliseconds=60_000, pause=10)
