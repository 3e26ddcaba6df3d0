"""Code that submissions of a class have in common: who looks like whom, and in which lines."""

from grader.similarity.regions import Region
from grader.similarity.shared import SharedCode, SourceSet, find_shared

__all__ = ["Region", "SharedCode", "SourceSet", "find_shared"]
