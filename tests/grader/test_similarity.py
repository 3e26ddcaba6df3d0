"""Who is reported to share code with whom, and in which lines."""

from __future__ import annotations

import random
import time
from typing import Dict, List, Tuple

import pytest

from grader.similarity import Region, SharedCode, SourceSet, find_shared
from grader.similarity.shared import LEAST_TOKENS, PARTNERS

PATH = "m2-scheduler/scheduler.c"
_OPERATORS = "+ - * / % & | ^ << >> < > <= >= == != && ||".split()
_FORMS = (
    "if ({}) {{ x = {}; }}",
    "x->next = {};",
    "while ({}) {{ x -= {}; }}",
    "x[{}] = malloc({});",
    "if (!({})) {{ return {}; }}",
    "free({});",
    "for (int i = {}; i < {}; i++) {{ x(i, {}); }}",
)


def expression(r: random.Random, depth: int = 2) -> str:
    if depth == 0 or r.random() < 0.2:
        return r.choice(["x", "y->z", "7", "f(x)", "*z", "y[1]", "'c'", '"text"'])
    return f"{expression(r, depth - 1)} {r.choice(_OPERATORS)} {expression(r, depth - 1)}"


def code(seed: int, statements: int = 60) -> str:
    """What has nothing in common with another seed's: statements, one a line."""
    r = random.Random(seed)
    forms = [r.choice(_FORMS) for _ in range(statements)]
    return "".join(form.format(*(expression(r) for _ in range(3))) + "\n" for form in forms)


def function(body: str, name: str = "main") -> str:
    return f"static int {name}(struct node *p)\n{{\n{body}}}\n"


def found_in(sources: Dict[str, str], given: str = "") -> List[SharedCode]:
    submissions = [SourceSet(name, {PATH: text.encode()}) for name, text in sources.items()]
    return find_shared(submissions, {"stub.c": given.encode()})


def pairs(found: List[SharedCode]) -> List[Tuple[str, str]]:
    return [(shared.first, shared.second) for shared in found]


def others(number: int) -> Dict[str, str]:
    return {f"other{i}": function(code(1000 + i)) for i in range(number)}


@pytest.mark.parametrize("size", [2, 5, 60])
def test_a_copy_is_found_in_a_class_of_any_size(size: int) -> None:
    sources = {"ann": function(code(1)), "bob": function(code(1), "start"), **others(size - 2)}
    [shared] = found_in(sources)
    assert (shared.first, shared.second, shared.file) == ("ann", "bob", PATH)
    assert shared.share == 1
    assert shared.tokens > 500
    assert shared.regions == [Region((1, 62), (1, 62))]  # all but the last brace


def test_independent_work_is_not_reported() -> None:
    assert found_in(others(40)) == []


def test_the_lines_of_what_was_copied() -> None:
    """30 lines, from line 13 of one to line 53 of the other."""
    copied = code(1, 30)
    sources = {
        "ann": function(code(2, 10) + copied + code(3, 10)),
        "bob": function(code(4, 50) + copied + code(5, 10)),
    }
    [shared] = found_in(sources)
    [region] = shared.regions
    for lines, begin in ((region.first_lines, 13), (region.second_lines, 53)):
        assert begin <= lines[0] <= begin + 1
        assert begin + 28 <= lines[1] <= begin + 30
    assert 0.4 < shared.share < 0.8


def test_functions_in_another_order_are_regions_of_their_own() -> None:
    one, two = function(code(1, 30), "one"), function(code(2, 30), "two")
    [shared] = found_in({"ann": one + two, "bob": two + one})
    assert [region.first_lines[0] < 33 for region in shared.regions] == [True, False]
    assert [region.second_lines[0] < 33 for region in shared.regions] == [False, True]
    assert shared.regions == sorted(shared.regions)


def test_what_is_twice_in_one_file_is_shared_once() -> None:
    body = code(1, 30)
    once, twice = function(body), function(body) + function(body, "again")
    [alone] = found_in({"ann": once, "bob": once})
    for sources in ({"ann": once, "bob": twice}, {"ann": twice, "bob": once}):
        [shared] = found_in(sources)
        assert shared.tokens == alone.tokens
        assert len(shared.regions) == 1


def test_a_copied_function_is_found_in_a_file_that_differs_otherwise() -> None:
    copied = function(code(1, 25), "copied")
    sources = {name: function(code(seed, 400)) + copied for name, seed in (("ann", 2), ("bob", 3))}
    [shared] = found_in(sources)
    assert shared.share < 0.2
    assert shared.tokens >= LEAST_TOKENS
    assert any(begin > 400 for begin, _ in (region.first_lines for region in shared.regions))


def test_stubs_are_no_copies() -> None:
    stub = function(code(1))
    assert found_in({"ann": stub, "bob": stub}, given=stub) == []
    started = {name: stub + function(code(seed)) for name, seed in (("ann", 2), ("bob", 3))}
    assert found_in(started, given=stub) == []
    [shared] = found_in({"ann": stub + function(code(2)), "bob": stub + function(code(2))}, stub)
    assert shared.regions[0].first_lines[0] > 60  # and what was given is not shown


def test_tiny_files_give_nothing() -> None:
    assert found_in({"ann": function(code(1, 3)), "bob": function(code(1, 3))}) == []
    assert found_in({"ann": "", "bob": "", "eve": "int x;"}) == []
    [shared] = found_in({"ann": function(code(1, 15)), "bob": function(code(1, 15))})
    assert shared.tokens >= LEAST_TOKENS


def test_what_many_wrote_is_no_evidence() -> None:
    """40 lines in common: for two of the class evidence, for all of it the way one writes this."""
    usual = code(1, 40)
    sources = {f"s{i}": function(code(100 + i, 60) + usual) for i in range(12)}
    assert found_in(sources) == []
    two = {name: sources[name] for name in ("s1", "s2")}
    assert pairs(found_in({**two, **others(10)})) == [("s1", "s2")]


def test_what_is_many_grows_with_the_class() -> None:
    """Five of 60 are no tenth."""
    part = code(1, 40)
    some = {f"s{i}": function(code(100 + i, 40) + part) for i in range(5)}
    found = pairs(found_in({**some, **others(55)}))
    assert sorted(found) == [(a, b) for a in sorted(some) for b in sorted(some) if a < b]


def test_a_solution_that_goes_round_is_not_taken_for_what_many_wrote() -> None:
    """8 of 20 have it; each is found."""
    copies = {f"copy{i}": function(code(1) + code(50 + i, 5)) for i in range(8)}
    found = pairs(found_in({**copies, **others(12)}))
    assert {name for pair in found for name in pair} == set(copies)
    assert len(found) == 28


def test_of_a_large_group_each_is_reported_with_the_most_alike() -> None:
    copies = {f"copy{i:02}": function(code(1) + code(50 + i, 5)) for i in range(30)}
    found = pairs(found_in(copies))
    for name in copies:
        assert sum(name in pair for pair in found) >= PARTNERS
    assert len(found) <= PARTNERS * len(copies)


def test_the_most_alike_come_first() -> None:
    sources = {
        "ann": function(code(1)),
        "bob": function(code(1, 59)),
        "eve": function(code(1, 60)[: len(code(1, 60)) // 2] + code(2, 30)),
        **others(5),
    }
    found = found_in(sources)
    assert pairs(found)[0] == ("ann", "bob")
    assert [shared.share for shared in found] == sorted((s.share for s in found), reverse=True)
    assert found[-1].share < 0.9


def test_files_are_compared_with_their_like_only() -> None:
    text = function(code(1)).encode()
    submissions = [SourceSet("ann", {PATH: text}), SourceSet("bob", {"m1-task/task.c": text})]
    assert find_shared(submissions, {}) == []


def test_the_order_of_the_class_changes_nothing() -> None:
    sources = {f"copy{i}": function(code(1) + code(50 + i, 20)) for i in range(15)}
    sources.update(others(10))
    names = sorted(sources)
    expected = found_in({name: sources[name] for name in names})
    assert expected
    for seed in range(3):
        random.Random(seed).shuffle(names)
        assert found_in({name: sources[name] for name in names}) == expected


@pytest.mark.parametrize("piece", ["(", "a = b; "])
def test_hostile_files_do_not_take_long_together(piece: str) -> None:
    long = piece * ((1 << 20) // len(piece))
    sources = {"ann": long, "bob": long[: len(long) // 3], "eve": long[1:]}
    sources["abe"] = function(code(1))
    before = time.process_time()
    assert all("abe" not in pair for pair in pairs(found_in(sources)))
    assert time.process_time() - before < 60  # 5 here


def test_an_inserted_statement_does_not_cut_a_region() -> None:
    lines = function(code(1)).splitlines(keepends=True)
    inserted = "".join([*lines[:30], "log_something_else();\n", *lines[30:]])
    [shared] = found_in({"ann": "".join(lines), "bob": inserted})
    assert shared.regions == [Region((1, 62), (1, 63))]
    assert shared.share < 1
