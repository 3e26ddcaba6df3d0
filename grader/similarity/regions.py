"""Where two files share code: pairs of line ranges, to be shown side by side.

A stretch of one file is shown beside one stretch of the other; the longest pairs are taken first,
as in greedy string tiling: what is twice in one file and once in the other is shared once.
"""

from __future__ import annotations

import dataclasses
from typing import Iterable, List, Sequence, Tuple

from grader.similarity.fingerprints import GRAM
from grader.similarity.tokens import Tokens

Lines = Tuple[int, int]  # the first and the last, from 1
Matches = Sequence[Tuple[List[int], List[int]]]  # of each gram that both have: its places in each

MOST_PLACES = 100  # of one gram, that are looked at: a megabyte of `(((((` has it everywhere


@dataclasses.dataclass(frozen=True, order=True)
class Region:
    first_lines: Lines
    second_lines: Lines


@dataclasses.dataclass(frozen=True)
class _Tile:
    """`length` tokens from `first` in one file are those from `second` in the other."""

    first: int
    second: int
    length: int


def shared_regions(first: Tokens, second: Tokens, matches: Matches) -> Tuple[int, List[Region]]:
    """The number of tokens, and the regions in the order of the first file."""
    tiles = _without_overlap(first, second, _runs(matches))
    regions: List[Region] = []
    for region in sorted(
        Region(_lines(first, tile.first, tile.length), _lines(second, tile.second, tile.length))
        for tile in tiles
    ):
        if regions and _goes_on(regions[-1], region):
            region = _joined(regions.pop(), region)
        regions.append(region)
    return sum(tile.length for tile in tiles), regions


def longest_run(matches: Matches) -> int:
    """In tokens: what the two have in common without a break."""
    return max((run.length for run in _runs(matches)), default=0)


def _runs(matches: Matches) -> List[_Tile]:
    """Grams that overlap or touch in both files in the same way are one run."""
    starts = {pair for ones, others in matches for pair in _pairs(ones, others)}
    runs: List[_Tile] = []
    shift, end = 0, -1  # of the last run: between the files, and in the first
    for first, second in sorted(starts, key=lambda pair: (pair[0] - pair[1], pair[0])):
        if runs and first - second == shift and first <= end:
            last = runs.pop()
            runs.append(_Tile(last.first, last.second, first + GRAM - last.first))
        else:
            runs.append(_Tile(first, second, GRAM))
        shift, end = first - second, first + GRAM
    return runs


def _pairs(ones: List[int], others: List[int]) -> Iterable[Tuple[int, int]]:
    """The first with the first, and so on: all with all would be too many."""
    ones, others = ones[:MOST_PLACES], others[:MOST_PLACES]
    rest = len(ones) - len(others)
    return zip(ones + ones[-1:] * -rest, others + others[-1:] * rest)


def _without_overlap(first: Tokens, second: Tokens, runs: List[_Tile]) -> List[_Tile]:
    """The longest ones, and what these leave of the others."""
    used = bytearray(len(first)), bytearray(len(second))
    tiles: List[_Tile] = []
    for run in sorted(runs, key=lambda run: (-run.length, run.first, run.second)):
        free = [
            not used[0][run.first + i] and not used[1][run.second + i] for i in range(run.length)
        ]
        if True not in free:
            continue
        begin = free.index(True)
        end = run.length - free[::-1].index(True)
        if end - begin >= GRAM // 2 and all(free[begin:end]):
            tile = _Tile(run.first + begin, run.second + begin, end - begin)
            tiles.append(tile)
            used[0][tile.first : tile.first + tile.length] = b"\1" * tile.length
            used[1][tile.second : tile.second + tile.length] = b"\1" * tile.length
    return tiles


def _lines(tokens: Tokens, begin: int, length: int) -> Lines:
    return tokens.lines[begin], tokens.lines[begin + length - 1]


def _goes_on(last: Region, region: Region) -> bool:
    """It begins where the last one ends, give or take an inserted line, in both files."""
    first_gap = region.first_lines[0] - last.first_lines[1]
    second_gap = region.second_lines[0] - last.second_lines[1]
    return 0 <= first_gap <= 2 and 0 <= second_gap <= 2


def _joined(last: Region, region: Region) -> Region:
    return Region(
        (last.first_lines[0], max(last.first_lines[1], region.first_lines[1])),
        (last.second_lines[0], max(last.second_lines[1], region.second_lines[1])),
    )
