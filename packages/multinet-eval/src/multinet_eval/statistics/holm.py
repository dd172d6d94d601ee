"""Several tests at once: p-values adjusted by Holm's method."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holm_adjusted"]


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted so that with all of them the probability of any false alarm is kept (Holm 1979).

    The k-th smallest of m becomes the largest, over j ≤ k, of (m - j + 1) · p(j), and at most 1. It holds whatever
    depends on what, as comparisons with one run in common do. One value stays as it is.

    Args:
        p_values: in [0, 1].
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, (len(p_values) - rank) * p_values[place])
        adjusted[place] = min(1.0, highest)
    return adjusted
