"""Budgets of memory for tests: `@hlobuf.budget(peak="12GiB")`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

MARK = "hlobuf_budget"
T = TypeVar("T", bound=Callable[..., Any])


def budget(
    peak: str | int, *, module: str = "*", space: str | None = None
) -> Callable[[T], T]:
    """A decorator of a test: each program that XLA compiles in it needs at most
    `peak` bytes, as "12GiB", of the memory space `space` (default: the main one).

    Programs whose names do not match the glob `module` are not asked. It has an
    effect under `pytest --hlobuf`.
    """
    import pytest

    text = f"{module}:{space}={peak}" if space else f"{module}:{peak}"
    mark: Callable[[T], T] = getattr(pytest.mark, MARK)(text)
    return mark
