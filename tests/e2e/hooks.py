"""A typed name for what pytest's own decorator leaves untyped."""

from __future__ import annotations

from typing import Callable, TypeVar

import pytest

Function = TypeVar("Function", bound=Callable[..., object])


def wraps_hook(function: Function) -> Function:
    """Marks a generator that runs around the other implementations of a hook."""
    pytest.hookimpl(hookwrapper=True)(function)
    return function
