"""What winnowing promises: a long stretch is always seen, a short one and a given one never."""

from __future__ import annotations

import random
from typing import List

import pytest

from grader.similarity.fingerprints import (
    GRAM,
    THRESHOLD,
    WINDOW,
    Places,
    fingerprints,
    given_code,
)
from grader.similarity.tokens import Tokens, tokenize

NOTHING = given_code([])


def noise(random_: random.Random, length: int) -> List[int]:
    return [random_.randrange(20) for _ in range(length)]


def as_tokens(numbers: List[int]) -> Tokens:
    return Tokens(b"".join(number.to_bytes(2, "big") for number in numbers), range(len(numbers)))


def of(source: str, given: str = "") -> Places:
    return fingerprints(tokenize(source.encode()), given_code([tokenize(given.encode())]))


@pytest.mark.parametrize("seed", range(50))
def test_a_shared_stretch_of_the_threshold_is_always_seen(seed: int) -> None:
    r = random.Random(seed)
    stretch = noise(r, THRESHOLD)
    one = as_tokens(noise(r, r.randrange(99)) + stretch + noise(r, r.randrange(99)))
    other = as_tokens(noise(r, r.randrange(99)) + stretch + noise(r, r.randrange(99)))
    assert fingerprints(one, NOTHING).keys() & fingerprints(other, NOTHING).keys()


@pytest.mark.parametrize("seed", range(50))
def test_a_shared_stretch_shorter_than_a_gram_is_never_seen(seed: int) -> None:
    r = random.Random(seed)
    stretch = noise(r, GRAM - 1)
    one = as_tokens([*noise(r, 99), 30, *stretch, 31, *noise(r, 99)])
    other = as_tokens([*noise(r, 99), 32, *stretch, 33, *noise(r, 99)])
    assert not fingerprints(one, NOTHING).keys() & fingerprints(other, NOTHING).keys()


def test_there_are_few_of_them() -> None:
    """2 of WINDOW + 1, the article says."""
    found = fingerprints(as_tokens(noise(random.Random(1), 20_000)), NOTHING)
    assert len(found) == pytest.approx(20_000 * 2 / (WINDOW + 1), rel=0.05)


def test_repetition_is_fingerprinted_sparsely() -> None:
    [places] = fingerprints(as_tokens([7] * 1000), NOTHING).values()
    assert len(places) == pytest.approx(1000 / WINDOW, rel=0.1)


def test_less_than_the_threshold_has_none() -> None:
    assert not fingerprints(as_tokens(noise(random.Random(1), THRESHOLD - 1)), NOTHING)
    assert fingerprints(as_tokens(noise(random.Random(1), THRESHOLD)), NOTHING)


STUB = """
int task_get(task *t, intptr_t *value)
{
    (void)t;
    (void)value;
    not_implemented();
}

struct task { int code; const char *what; struct task *next, *previous; void (*release)(void *); };
"""
BODY = """
    if (t == NULL || t->state == RUNNING) { return -EINVAL; }
    for (int i = 0; i < 10; i++) { *value += i * t->numbers[i] - (t->failed ? 1 : 2); }
"""


def test_what_was_given_has_none() -> None:
    assert of(STUB)
    assert not of(STUB, given=STUB)
    assert not of(STUB.replace("task_get", "other").replace("value", "result"), given=STUB)


def test_the_head_of_a_given_function_is_no_evidence() -> None:
    """The same body below a given head and below another one: the same fingerprints."""
    head, rest = STUB.split("{", 1)
    with_given_head = of(head + "{" + BODY + "}", given=STUB)
    assert with_given_head.keys() == of("{" + BODY + "}").keys()
    assert with_given_head.keys() != of(head + "{" + BODY + "}").keys()


def test_own_code_between_given_code_is_seen() -> None:
    assert of(STUB + BODY + STUB, given=STUB).keys() & of(BODY).keys()


def test_a_condition_in_given_code_is_not_taken_for_the_head_of_a_function() -> None:
    given = "int f(void) { a(); if (a == NULL || b->c == D) { g(); } }"
    assert of(BODY + BODY, given=given) == of(BODY + BODY)
