"""Truth values that are given as arguments."""

from __future__ import annotations

import numpy as np

__all__ = ["truth_value"]


def truth_value(name: str, value: object) -> bool:
    """The value of an argument as a `bool`.

    Args:
        name: the argument's.
        value: what is given; NumPy's truth values are some too. Texts such as ``"no"`` and numbers are none.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} has to be True or False, got {value!r}")
    return bool(value)
