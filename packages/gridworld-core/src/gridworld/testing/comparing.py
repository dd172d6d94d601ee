"""Copying and comparing observations, including arrays."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

__all__ = ["copied", "same"]

PLAIN, LISTED = (str, int), (list, tuple)


def copied(seen: Any) -> Any:
    """Return a copy of an observation, which later drawing does not change."""
    return deepcopy(seen)


def same(first: Any, second: Any) -> bool:
    """Whether two values are equal, including arrays inside lists, tuples and dictionaries."""
    if isinstance(first, PLAIN) and isinstance(second, PLAIN):
        return first == second
    if isinstance(first, LISTED) and isinstance(second, LISTED):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    import numpy as np

    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return bool(np.array_equal(first, second))
    return bool(first == second)
