"""Finds the submissions of a class that share more code with each other than chance explains.

What everybody got is no evidence, and neither is what many wrote: a fingerprint is left out when
more than COMMON_SHARE of the class have it, or COMMON_NUMBER if that is more (of five, 10 % would
be nobody, and three who share a part must be found). That is the usual way of writing it: a loop
that the handout suggests, an array that grows. Near copies count as one in this, or a solution that
goes round among thirty would pass for a way of writing.

Two files are reported when they share LEAST_TOKENS tokens, and these are LEAST_SHARE of the
fingerprints that are left, of the file that has fewer; or else they stand there without a break,
which is a copied function in files that differ otherwise. The numbers were set by measuring the
reference and the variants of the five milestones: one author's different designs, in one style,
some with the same helpers. Students will be less alike.

    independent, 23 pairs      share at most 0.19, longest run 121 tokens
    disguised copies           share at least 0.61
    mutants of the reference   share at least 0.83
    independent and begun      share above a third, but 207 tokens at most: files are short

A third is well above all that is independent, and far below copies in which names, layout,
comments, the order of the functions and half of the loops were changed, and a statement added after
every sixth. It is a reason to look at the two side by side, and no proof.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from itertools import combinations
from typing import Dict, FrozenSet, Iterable, Iterator, List, Mapping, Sequence, Set, Tuple

from grader.similarity.fingerprints import GRAM, WINDOW, Given, Places, fingerprints, given_code
from grader.similarity.regions import Matches, Region, longest_run, shared_regions
from grader.similarity.tokens import Tokens, tokenize

LEAST_SHARE = 1 / 3
LEAST_TOKENS = 250
COMMON_NUMBER = 3
COMMON_SHARE = 0.1
NEAR_COPY = 0.6  # the share, of all own fingerprints, from which two files count as one
PARTNERS = 10  # of each file, the most alike: thirty copies are 435 pairs, which nobody reads


@dataclasses.dataclass(frozen=True)
class SourceSet:
    """What one student handed in."""

    name: str
    files: Mapping[str, bytes]  # "m2-scheduler/scheduler.c": its content


@dataclasses.dataclass(frozen=True)
class SharedCode:
    first: str  # the names of the two
    second: str
    file: str
    share: float  # 0 to 1: of the fingerprints of the one that has fewer
    tokens: int
    regions: List[Region]


@dataclasses.dataclass(frozen=True)
class _File:
    name: str
    tokens: Tokens
    places: Places
    grams: FrozenSet[bytes]


@dataclasses.dataclass(frozen=True)
class _Pair:
    first: _File
    second: _File
    share: float
    count: int  # of the fingerprints that both have

    def matches(self, common: Set[bytes]) -> Matches:
        both = (self.first.grams & self.second.grams) - common
        return [(self.first.places[gram], self.second.places[gram]) for gram in both]

    def rank(self) -> Tuple[float, int, str, str]:
        return -self.share, -self.count, self.first.name, self.second.name


def find_shared(
    submissions: Sequence[SourceSet], given: Mapping[str, bytes]
) -> List[SharedCode]:
    """The most alike first. `given`: the stubs, headers and complete files that everybody got."""
    handed_out = given_code(tokenize(source) for source in given.values())
    found: List[SharedCode] = []
    for path in sorted({path for submission in submissions for path in submission.files}):
        found += _shared_in(path, _fingerprinted(path, submissions, handed_out))
    return sorted(found, key=lambda s: (-s.share, -s.tokens, s.file, s.first, s.second))


def _fingerprinted(path: str, submissions: Sequence[SourceSet], given: Given) -> List[_File]:
    """The files that have code of their own, by name."""
    files: List[_File] = []
    one_of_each: Dict[bytes, bytes] = {}  # grams that many have are kept once
    for name, source in sorted((s.name, s.files[path]) for s in submissions if path in s.files):
        tokens = tokenize(source)
        places = {
            one_of_each.setdefault(gram, gram): where
            for gram, where in fingerprints(tokens, given).items()
        }
        if places:
            files.append(_File(name, tokens, places, frozenset(places)))
    return files


def _shared_in(path: str, files: List[_File]) -> List[SharedCode]:
    numbers = range(len(files))
    counts = {(a, b): len(files[a].grams & files[b].grams) for a, b in combinations(numbers, 2)}
    common = _common(files, counts)
    pairs = [
        pair
        for pair in _candidates(files, counts, common)
        if pair.share >= LEAST_SHARE or longest_run(pair.matches(common)) >= LEAST_TOKENS
    ]
    found: List[SharedCode] = []
    for pair in _strongest(pairs):
        first, second = pair.first, pair.second
        tokens, regions = shared_regions(first.tokens, second.tokens, pair.matches(common))
        if tokens >= LEAST_TOKENS:
            found.append(SharedCode(first.name, second.name, path, pair.share, tokens, regions))
    return found


def _candidates(
    files: List[_File], counts: Mapping[Tuple[int, int], int], common: Set[bytes]
) -> Iterator[_Pair]:
    """Those that have enough fingerprints in common for a large share, or else for a long run."""
    in_long_run = (LEAST_TOKENS - GRAM) // WINDOW  # one in each WINDOW grams
    own = [file.grams - common for file in files]
    for (a, b), count in counts.items():
        smaller = min(len(own[a]), len(own[b]))
        enough = min(LEAST_SHARE * smaller, in_long_run)
        if smaller > 0 and count >= enough:
            count = len(own[a] & own[b])
            if count >= enough:
                yield _Pair(files[a], files[b], count / smaller, count)


def _common(files: List[_File], counts: Mapping[Tuple[int, int], int]) -> Set[bytes]:
    group = _groups(files, counts)
    having = {(gram, group[i]) for i, file in enumerate(files) for gram in file.grams}
    limit = max(COMMON_NUMBER, COMMON_SHARE * len(set(group)))
    return {gram for gram, number in Counter(gram for gram, _ in having).items() if number > limit}


def _groups(files: List[_File], counts: Mapping[Tuple[int, int], int]) -> List[int]:
    """Of each file the number of its group: near copies, and the near copies of these."""
    group = list(range(len(files)))
    for (a, b), count in counts.items():
        smaller = min(len(files[a].grams), len(files[b].grams))
        if group[a] != group[b] and count >= NEAR_COPY * smaller:
            kept, dropped = group[a], group[b]
            group = [kept if number == dropped else number for number in group]
    return group


def _strongest(pairs: Iterable[_Pair]) -> List[_Pair]:
    """Those that are among the PARTNERS first of one of the two."""
    seen: Counter[str] = Counter()
    strongest: List[_Pair] = []
    for pair in sorted(pairs, key=_Pair.rank):
        names = (pair.first.name, pair.second.name)
        if any(seen[name] < PARTNERS for name in names):
            strongest.append(pair)
        seen.update(names)
    return strongest
