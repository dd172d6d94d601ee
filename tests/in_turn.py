"""Crosses two parameters of a test: wholly in thorough runs, by default so that each value has its turn."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

__all__ = ["in_turn"]


def in_turn(
    names: str, firsts: Sequence[Any], seconds: Sequence[Any], ids: Callable[[Any], str] = str
) -> pytest.MarkDecorator:
    """Run a test on all pairs of values, most of them in thorough runs alone.

    By default each value of the longer sequence is tried with one of the other, which take turns.

    Args:
        names: those of the two parameters, as for ``pytest.mark.parametrize``.
        firsts: the values of the first.
        seconds: those of the second.
        ids: what a value is called.
    """
    turns = min(len(firsts), len(seconds))
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(
                first,
                second,
                id=f"{ids(first)}-{ids(second)}",
                marks=pytest.mark.thorough if (number - other) % turns else (),
            )
            for number, first in enumerate(firsts)
            for other, second in enumerate(seconds)
        ],
    )
