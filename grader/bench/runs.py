"""Runs one program, or one server under load, and reads its figures."""

from __future__ import annotations

import os
import re
import resource
import select
import subprocess
from typing import Dict, List, Mapping, Sequence

from grader.bench.building import Programs
from grader.bench.model import Case, Load, Program, Sample
from grader.descendants import end_with_parent
from grader.processes import clean_environment, describe_exit, run_program

_PROGRAM_SECONDS = 90.0
_SERVER_SECONDS = 15.0  # until it listens
_A_GOOD_WHILE = 150e6  # nanoseconds that a program should run


class RunFailed(Exception):
    """There is no figure, and why."""


class Runner:
    """On fixed cores: servers on the first one, the load and all other programs on the last one."""

    def __init__(self, programs: Programs) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self.server_core, self.load_core = cores[0], cores[-1]
        self._cores = cores
        self._programs = programs
        self._counts: Dict[Sequence[str], int] = {}
        raise_descriptor_limit()

    def run(self, bench: str, case: Case, who: str) -> Sample:
        """The first run of a program finds out how often it must repeat: it should not count."""
        if isinstance(case.work, Load):
            return self._serve(case.work, who)
        command = self._programs.command(bench, who)
        if command is None:
            raise RunFailed("it is not here")
        return self._repeat(case.work, command)

    def _repeat(self, work: Program, command: List[str]) -> Sample:
        key = (*command, *work.arguments)
        count = self._counts.get(key, work.least)
        arguments = [argument.format(count=count) for argument in work.arguments]
        ended = run_program(
            ["taskset", "-c", self._last_cores(work.cores), *command, *arguments],
            seconds=_PROGRAM_SECONDS,
            environment=clean_environment(),
        )
        if ended.timed_out:
            raise RunFailed(f"not done after {_PROGRAM_SECONDS:g} s")
        if ended.returncode != 0:
            raise RunFailed(f"{describe_exit(ended.returncode)}: {ended.output.strip()[-200:]}")
        each = float(ended.output)
        if key not in self._counts:
            enough = int(_A_GOOD_WHILE / max(each, 0.1) / work.each)
            self._counts[key] = max(work.least, min(work.most, enough))
        return {"each": each}

    def _last_cores(self, count: int) -> str:
        if count > len(self._cores):
            raise RunFailed(f"it needs {count} cores, and here are {len(self._cores)}")
        return ",".join(map(str, self._cores[-count:]))

    def _serve(self, work: Load, who: str) -> Sample:
        command = self._programs.command("echo", who, work.threads)
        if command is None:
            raise RunFailed("it is not here")
        with Server(["taskset", "-c", str(self.server_core), *command]) as server:
            load = ["taskset", "-c", str(self.load_core), str(self._programs.load)]
            ended = run_program(
                [*load, *load_arguments(work, server)],
                seconds=work.milliseconds / 1000 + _PROGRAM_SECONDS,
                environment=clean_environment(),
            )
        if ended.timed_out or ended.returncode != 0:
            raise RunFailed(f"{describe_exit(ended.returncode)}: {ended.output.strip()[-200:]}")
        return derived(parse_figures(ended.output))


def load_arguments(work: Load, server: "Server") -> List[str]:
    numbers = (
        server.port, server.pid, work.connections, work.workers, work.size, work.milliseconds, work.pause,
    )  # fmt: skip
    return [work.mode, *map(str, numbers)]


def parse_figures(output: str) -> Dict[str, float]:
    """Lines of `name number`."""
    return {name: float(number) for name, number in re.findall(r"^(\w+) (-?\d+)$", output, re.MULTILINE)}


def derived(raw: Mapping[str, float]) -> Dict[str, float]:
    messages, nanoseconds = raw["messages"], raw["time_ns"]
    if messages <= 0 or nanoseconds <= 0:
        raise RunFailed("no message came back in time")
    return {
        "cpu_us": raw["server_ns"] / messages / 1e3,
        "per_second": messages / nanoseconds * 1e9,
        "p50_us": raw["p50_ns"] / 1e3,
        "p99_us": raw["p99_ns"] / 1e3,
        "server_busy": raw["server_ns"] / nanoseconds,
        "load_busy": raw["load_ns"] / nanoseconds,
        "resident": raw["resident"],
        "resident_each": raw["resident"] / messages,
    }


class Server:
    """An echo server that says where it listens, for the time of a `with`."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self.port = 0

    def __enter__(self) -> "Server":
        self._process = subprocess.Popen(
            list(self._command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=clean_environment(),
            preexec_fn=end_with_parent,
        )
        try:
            self.port = self._read_port()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read_port(self) -> int:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], _SERVER_SECONDS)
        line = self._process.stdout.readline().decode() if ready else ""
        found = re.search(r":(\d+)$", line)
        if found is None:
            raise RunFailed(f"the server does not say where it listens: {line!r}")
        return int(found[1])


def raise_descriptor_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
