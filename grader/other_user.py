"""How root runs a program as another user."""

from __future__ import annotations

from typing import List, Optional, Sequence


def as_user(user: Optional[int], program: Sequence[str]) -> List[str]:
    """The command that runs `program` as that user, in the group of the same number and no other.
    None: as whoever we are.

    subprocess could do it, but forks for it, where it otherwise has vfork(2): for a process of
    Python's size that costs more than all of a short test.
    """
    if user is None:
        return list(program)
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", *program]
