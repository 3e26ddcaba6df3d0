"""The numbered history of a check: what was done until it failed."""

from __future__ import annotations


class Steps:
    """Call it with a sentence before each thing that a test does."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.untried: list[str] = []

    def __call__(self, step: str) -> None:
        self.done.append(step)

    def not_tried(self, reason: str) -> None:
        """Something that this machine does not allow to try; it is not held against the server."""
        self.untried.append(reason)
        self.done.append(f"not tried: {reason}")

    def numbered(self) -> str:
        return "\n".join(f"{number:3}. {step}" for number, step in enumerate(self.done, 1))
