"""`rank_intervals`: which ranks several runs may have, by which of them are significantly better than which."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from multinet_eval.statistics.paired_tests import PairedTest

__all__ = ["LEVEL", "Rank", "rank_intervals"]

LEVEL = 0.05
"""The probability that any of the intervals is wrong, at most."""


@attrs.frozen
class Rank:
    """The ranks that a run may have, from 1 for the best."""

    first: int
    last: int


def rank_intervals(tests: Iterable[PairedTest], runs: int, level: float = LEVEL) -> list[Rank]:
    """The interval [1 + how many are significantly better, M - how many are significantly worse] of each of M runs.

    As the tests of all pairs are adjusted together, all intervals at once hold the true ranks with a probability of
    at least 1 - level (Mogstad, Romano, Shaikh and Wilhelm 2024). Intervals of the scores themselves may overlap where
    a paired test shows a difference, since they know nothing of how alike two runs find the tasks.

    Args:
        tests: those of every two runs.
        runs: how many there are.
        level: above which no adjusted p-value is significant, in (0, 1).
    """
    better, worse = [0] * runs, [0] * runs
    for each in tests:
        winner = each.winner(level)
        if winner is not None:
            loser = each.second if winner == each.first else each.first
            better[loser] += 1
            worse[winner] += 1
    return [Rank(1 + above, runs - below) for above, below in zip(better, worse, strict=True)]
