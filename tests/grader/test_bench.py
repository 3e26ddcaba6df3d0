"""./lab bench: what it makes of samples, and of what its programs print. The programs themselves are run by
the self-test's part `bench`."""

from __future__ import annotations

import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Dict, List, Tuple

import pytest
from conftest import KIT_ROOT

from grader.bench import runs
from grader.bench.building import Programs, release_flags
from grader.bench.catalogue import MANY, benches
from grader.bench.command import choose
from grader.bench.counts_record import differences, growth, why_not_compared
from grader.bench.goals import verdicts
from grader.bench.model import Bench, Case, Figure, Goal, Load, Measured, Program
from grader.bench.page import page, read_limits
from grader.bench.peers import FLOOR, OURS, PEERS, missing
from grader.bench.plot import plot
from grader.bench.record import Surroundings, to_json
from grader.bench.rounds import measure
from grader.bench.runs import Runner, RunFailed, derived, parse_figures
from grader.bench.table import cell, left_out_lines, markdown_table, number
from grader.exit_codes import KitFailed, WrongUse
from grader.kit import Kit

KIT = Kit(KIT_ROOT)
FEW, MANY_CASE = Case("few", Program(("1",)), x=1), Case("many", Program(("2",)), x=1000)


def bench(*goals: Goal, who: Tuple[str, ...] = (OURS, "cpp20", "go")) -> Bench:
    return Bench("switch", "A yield", Figure("each", "ns"), (FEW, MANY_CASE), who, goals)


def measured(samples: Dict[Tuple[str, str], List[float]], *goals: Goal) -> Measured:
    found = Measured(bench(*goals))
    for (title, who), values in samples.items():
        [case] = [case for case in found.bench.cases if case.title == title]
        for value in values:
            found.add(case, who, {"each": value})
    return found


def test_a_ratio_is_the_median_of_the_rounds_ratios() -> None:
    """The machine was half as fast in the second round, for both."""
    one = measured({("few", OURS): [10, 20, 10], ("few", "go"): [30, 60, 31]})
    assert one.ratio(FEW, "go") == 3.0
    assert one.median(FEW, OURS) == 10
    assert cell(one, FEW, "go") == "31.0 (3.00)"
    assert cell(one, FEW, OURS) == "10.0"


@pytest.mark.parametrize(
    "goal, met",
    [
        (Goal(1.2, ("cpp20",)), True),  # 12 / 10
        (Goal(1.2, ("cpp20",), below=True), False),
        (Goal(1.19, ("cpp20",)), False),
        (Goal(12.0), True),
        (Goal(11.9), False),
        (Goal(0.5, ("go",), below=True), True),
    ],
)
def test_goals(goal: Goal, met: bool) -> None:
    samples = {("few", OURS): [12.0], ("few", "cpp20"): [10.0], ("few", "go"): [25.0]}
    [verdict] = verdicts(measured(samples, goal))
    assert (verdict.case, verdict.met) == ("few", met)


def test_a_goal_beside_a_peer_that_is_not_here_says_nothing() -> None:
    assert verdicts(measured({("few", OURS): [12.0]}, Goal(1.2, ("cpp20",)))) == []


def test_growth_is_ours_from_the_first_case_to_the_last() -> None:
    samples = {("few", OURS): [10.0], ("many", OURS): [12.0], ("many", "go"): [1.0]}
    [verdict] = verdicts(measured(samples, Goal(1.25, first_case=True)))
    assert (verdict.case, verdict.value, verdict.met) == ("many", 1.2, True)


class _Runner(Runner):
    """Runs nothing: says who was asked, and gives what it is told."""

    def __init__(self, broken: str = "") -> None:
        self.asked: List[str] = []
        self._broken = broken

    def run(self, bench: str, case: Case, who: str) -> Dict[str, float]:
        self.asked.append(who)
        if who == self._broken:
            raise RunFailed("exit code 3: no memory")
        return {"each": 1.0}


def test_rounds_are_interleaved_and_turn_round() -> None:
    runner = _Runner()
    found = measure(bench(), runner, {OURS, "cpp20", "go"}, rounds=2, tell=lambda text: None)
    assert runner.asked == [OURS, "cpp20", "go", "go", "cpp20", OURS] * 2
    assert len(found.samples["few", OURS]) == 2


def test_who_takes_long_runs_once_and_is_compared_with_that_round() -> None:
    runner = _Runner()
    slow = Case("1", Program(("{count}",)), once=("go",))
    found = measure(
        Bench("switch", "", Figure("each", "ns"), (slow,), (OURS, "go")), runner, {OURS, "go"}, 3, print
    )
    assert runner.asked == [OURS, OURS, "go", OURS, OURS]
    assert (found.ratio(slow, "go"), len(found.samples["1", OURS])) == (1.0, 3)


def test_the_run_that_finds_out_how_often_does_not_count() -> None:
    runner = _Runner()
    scaled = Bench("switch", "", Figure("each", "ns"), (Case("1", Program(("{count}",))),), (OURS,))
    found = measure(scaled, runner, {OURS}, rounds=2, tell=lambda text: None)
    assert (len(runner.asked), len(found.samples["1", OURS])) == (3, 2)


def test_a_peer_that_fails_is_left_out_with_the_reason() -> None:
    found = measure(bench(), _Runner("go"), {OURS, "cpp20", "go"}, 2, lambda text: None)
    assert found.who == [OURS, "cpp20"]
    assert left_out_lines(found) == ["left out: Go: exit code 3: no memory"]


def test_ours_must_not_fail() -> None:
    with pytest.raises(KitFailed, match="no memory"):
        measure(bench(), _Runner(OURS), {OURS, "go"}, 2, lambda text: None)


@pytest.mark.parametrize("cores", [1, 2])
def test_a_program_has_the_cores_that_it_needs(
    cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "raise_descriptor_limit", lambda: None)  # of the whole process
    here = len(os.sched_getaffinity(0))
    (tmp_path / "some-ours").write_text(
        f"#!{sys.executable}\nimport os\nprint(len(os.sched_getaffinity(0)))\n", encoding="utf-8"
    )
    (tmp_path / "some-ours").chmod(0o755)
    case = Case("-", Program((), cores=cores))
    runner = Runner(Programs(Kit(KIT_ROOT), tmp_path))
    if cores > here:
        with pytest.raises(RunFailed, match=f"needs {cores} cores"):
            runner.run("some", case, OURS)
    else:
        assert runner.run("some", case, OURS) == {"each": cores}


def test_our_server_has_as_many_threads_as_a_case_says(tmp_path: Path) -> None:
    for name in ("echo-ours", "echo-floor"):
        (tmp_path / name).touch()
    programs = Programs(KIT, tmp_path)
    assert programs.command("echo", OURS) == [str(tmp_path / "echo-ours"), "--port", "0"]
    assert (programs.command("echo", OURS, 2) or [])[1:] == ["--port", "0", "--threads", "2"]
    assert programs.command("echo", FLOOR, 2) == [str(tmp_path / "echo-floor")]


def test_the_bench_of_threads_asks_for_one_and_for_two(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: List[int] = []

    class Nobody(Programs):
        def command(self, bench: str, who: str, threads: int = 1) -> None:
            asked.append(threads)

    monkeypatch.setattr(runs, "raise_descriptor_limit", lambda: None)  # of the whole process
    [one] = [bench for bench in benches(MANY) if bench.id == "threads"]
    for case in one.cases:
        with pytest.raises(RunFailed):
            Runner(Nobody(KIT, KIT_ROOT)).run(one.id, case, OURS)
    assert asked == [1, 2]


def test_who_is_not_installed_is_named_with_its_package() -> None:
    assert [(p.title, p.package) for p in missing(["go", OURS, "go"], [OURS])] == [("Go", "golang-go")]


def test_names() -> None:
    known = benches(MANY)
    assert [one.id for one in choose(known, [])[0]] == [one.id for one in known]
    assert choose(known, ["counts"]) == ([], True)
    with pytest.raises(WrongUse, match="no bench swich; did you mean switch"):
        choose(known, ["swich"])


def test_every_who_of_the_catalogue_is_known_and_has_its_program() -> None:
    sources = KIT.root / "tests" / "bench"
    for one in benches(MANY):
        folder = "echo" if isinstance(one.cases[0].work, Load) else one.id
        for who in one.who:
            assert who in PEERS
            if who != OURS:
                found = list((sources / folder / "peers").glob(f"{who}.*"))
                assert len(found) == 1, f"{one.id}: {who}"


def test_fewer_descriptors_mean_fewer_connections_and_are_told() -> None:
    titles = [case.title for one in benches(900) for case in one.cases]
    assert "64 B, 900" in titles and not any("10,000" in t for t in titles if t.startswith("64 B"))


def test_what_the_load_prints() -> None:
    text = "messages 1000\ntime_ns 2000000\nserver_ns 1000000\nload_ns 1900000\np50_ns 1500\np99_ns 9000\nresident 4096\n"
    figures = derived(parse_figures(text))
    assert figures["cpu_us"] == 1.0
    assert figures["per_second"] == 500_000
    assert (figures["server_busy"], figures["load_busy"]) == (0.5, 0.95)
    with pytest.raises(RunFailed):
        derived({**parse_figures(text), "messages": 0.0})


def test_the_preset_is_the_kits_own() -> None:
    flags = release_flags(KIT)
    assert "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON" in flags
    assert any(flag.startswith("-DCMAKE_CXX_FLAGS_RELEASE=-O2") for flag in flags)


def test_counts_are_compared_with_the_same_compiler_only() -> None:
    record = {"made with": {"compiler": "GNU 12.2.0", "machine": "x86_64"}}
    assert why_not_compared(record, {"compiler": "GNU 12.4.1", "machine": "x86_64"}) == ""
    assert "GNU 13" in why_not_compared(record, {"compiler": "GNU 13.2.0", "machine": "x86_64"})
    assert "Clang" in why_not_compared(record, {"compiler": "Clang 12.2.0", "machine": "x86_64"})
    assert "aarch64" in why_not_compared(record, {"compiler": "GNU 12.2.0", "machine": "aarch64"})


def test_counts_may_differ_by_five_percent() -> None:
    recorded = {"yield": 100.0, "await": 200.0}
    assert differences(recorded, {"yield": 104.9, "await": 190.1}) == []
    assert differences(recorded, {"yield": 105.1, "await": 200.0}) == [
        "yield: 105.1 instructions, and 100.0 are recorded"
    ]
    assert len(differences(recorded, {"yield": 94.0, "spawn": 1.0})) == 3


def test_growth_of_a_sleep() -> None:
    assert growth({"sleep, 1,000 asleep": 600.0, "sleep, 32,000 asleep": 890.0}) == ""
    assert "2.00 times" in growth({"sleep, 1,000 asleep": 600.0, "sleep, 32,000 asleep": 1200.0})


def around() -> Surroundings:
    return Surroundings(
        {"processor": "P"}, {"Go": "1.19"}, {"GNU Pth": "libpth-dev"}, 5, MANY, 0.1, 120.0
    )


def test_the_page_and_the_record_tell_the_same() -> None:
    samples = {("few", OURS): [12.0, 14.0], ("few", "cpp20"): [10.0, 10.0], ("many", OURS): [20.0]}
    one = measured(samples, Goal(1.2, ("cpp20",)))
    one.leave_out(MANY_CASE, "go", "needs 4 GiB of memory")
    text = page(KIT, around(), [one], "## counts\n")
    assert "| this kit | 13.0 | 20.0 |" in text
    assert "| plain C++20 | 10.0 (0.77) | - |" in text
    assert "switch, few: at most 1.2 x plain C++20; it is 1.30" in text
    assert "0 of 1 are met" in text
    assert "GNU Pth (libpth-dev)" in text
    assert "left out: Go, many: needs 4 GiB of memory" in text
    record = json.loads(json.dumps(to_json(around(), [one])))
    assert record["benches"][0]["cases"][0]["who"]["cpp20"]["samples"] == [{"each": 10.0}] * 2
    assert record["goals"][0]["met"] is False


def test_what_limits_each_figure_is_written_down() -> None:
    assert set(read_limits(KIT)) == {one.id for one in benches(MANY)}


def test_plots_are_drawn_for_all_benches(tmp_path: Path) -> None:
    for one in benches(MANY):
        found = Measured(one)
        for case in one.cases:
            for place, who in enumerate(one.who, 1):
                found.add(case, who, {figure.name: 7.0 * place for figure in (one.figure, *one.more_figures)})
        root = ElementTree.fromstring(plot(found))
        texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert any("this kit" in text for text in texts), one.id
        width = float(root.attrib["viewBox"].split()[2])
        assert all(0 <= float(e.attrib["x"]) < width for e in root.iter("{http://www.w3.org/2000/svg}text"))


def test_numbers() -> None:
    assert [number(v) for v in (0.123, 9.876, 12.34, 123.4, 1234.5)] == ["0.12", "9.88", "12.3", "123", "1,234"]
    assert markdown_table(["", "a"], [["x", "1"]]) == "|  | a |\n|---|---:|\n| x | 1 |"
