"""Winnowing: a few fingerprints of a text that are sure to tell of every longer stretch shared.

S. Schleimer, D. S. Wilkerson, A. Aiken: "Winnowing: local algorithms for document fingerprinting",
SIGMOD 2003. Of each WINDOW consecutive grams (GRAM tokens) the one with the smallest hash is kept.
So two texts that share THRESHOLD = WINDOW + GRAM - 1 consecutive tokens share a fingerprint,
wherever the stretch stands; and no stretch shorter than GRAM is ever seen.
"""

from __future__ import annotations

import dataclasses
import zlib
from typing import Dict, FrozenSet, Iterable, Iterator, List, Set, Tuple

from grader.similarity.tokens import WIDTH, Tokens, code_of

# GRAM is longer than most idioms that right solutions of different design have in common, and
# shorter than what a disguise leaves in one piece. Measured on the reference and the variants of
# all milestones, and on copies of these with all the disguises of
# tests/grader/test_similarity_disguises.py at once: the share of fingerprints in common, the
# highest among the independent and the lowest among the copies.
#     GRAM           12     16     20     24     28
#     independent   0.28   0.23   0.19   0.17   0.15
#     copies        0.71   0.70   0.61   0.53   0.43
# The two are three times apart from 16 on; at 20 the independent are low enough for a limit of a
# third, and copies are still well seen. WINDOW makes little difference (4: 0.20 and 0.63, 12: 0.17
# and 0.59); with 8, a stretch of 27 tokens, three or four lines, is sure to be seen.
GRAM = 20
WINDOW = 8
THRESHOLD = WINDOW + GRAM - 1

_SIZE = GRAM * WIDTH
_ENDS = frozenset(map(code_of, (b"{", b"}", b";")))
_OPEN, _CLOSE, _PARENTHESIS = map(code_of, (b"{", b"}", b"("))

Places = Dict[bytes, List[int]]  # a gram, and where it is: the numbers of its first tokens


@dataclasses.dataclass(frozen=True)
class Given:
    """What every student was handed, and so is nobody's own."""

    grams: FrozenSet[bytes]
    heads: FrozenSet[bytes]  # of functions, up to the opening brace


def given_code(sources: Iterable[Tokens]) -> Given:
    grams: Set[bytes] = set()
    heads: Set[bytes] = set()
    for tokens in sources:
        grams.update(_grams(tokens.codes))
        heads.update(_heads(tokens.codes))
    return Given(frozenset(grams), frozenset(heads))


def fingerprints(tokens: Tokens, given: Given) -> Places:
    """Those of the file's own code."""
    places: Places = {}
    for begin, end in _own_stretches(tokens.codes, given):
        grams = _grams(tokens.codes[begin * WIDTH : end * WIDTH])
        for i in _winnow([zlib.crc32(gram) for gram in grams]):
            places.setdefault(grams[i], []).append(begin + i)
    return places


def _grams(codes: bytes) -> List[bytes]:
    return [codes[i : i + _SIZE] for i in range(0, len(codes) - _SIZE + 1, WIDTH)]


def _winnow(hashes: List[int]) -> Iterator[int]:
    """Robust winnowing: of equal hashes the last, but one chosen before while in sight."""
    chosen = -1
    for end in range(WINDOW, len(hashes) + 1):
        if chosen < end - WINDOW:
            window = hashes[end - WINDOW : end]
            chosen = end - 1 - window[::-1].index(min(window))
        elif hashes[end - 1] < hashes[chosen]:
            chosen = end - 1
        else:
            continue
        yield chosen


def _phrases(codes: bytes) -> Iterator[Tuple[int, int, bytes]]:
    """(first token, end, what ends it): the stretches between braces and semicolons."""
    begin = 0
    for i in range(len(codes) // WIDTH):
        code = codes[i * WIDTH : (i + 1) * WIDTH]
        if code in _ENDS:
            yield begin, i, code
            begin = i + 1


def _heads(codes: bytes) -> Iterator[bytes]:
    depth = 0
    for begin, end, stop in _phrases(codes):
        phrase = codes[begin * WIDTH : end * WIDTH]
        if stop == _OPEN and depth == 0 and _PARENTHESIS in phrase:
            yield phrase
        depth += (stop == _OPEN) - (stop == _CLOSE)


def _own_stretches(codes: bytes, given: Given) -> List[Tuple[int, int]]:
    """(first token, end) of what is left between the given code."""
    is_given = bytearray(len(codes) // WIDTH)
    for i, gram in enumerate(_grams(codes)):
        if gram in given.grams:
            is_given[i : i + GRAM] = b"\1" * GRAM
    for begin, end, stop in _phrases(codes):
        if stop == _OPEN and codes[begin * WIDTH : end * WIDTH] in given.heads:
            is_given[begin:end] = b"\1" * (end - begin)
    stretches: List[Tuple[int, int]] = []
    end = 0
    while end < len(is_given):
        begin = is_given.find(0, end)
        if begin < 0:
            break
        end = is_given.find(1, begin)
        end = len(is_given) if end < 0 else end
        if end - begin >= THRESHOLD:
            stretches.append((begin, end))
    return stretches
