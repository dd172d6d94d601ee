"""Means over two crossed samples, such as persons and the mazes that they play, of which each stands for others."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

import attrs

from multinet_eval.statistics.clusters import average
from multinet_eval.statistics.intervals import effective_interval

__all__ = ["CrossedMean", "crossed_mean", "crossed_variance"]

Cells = Mapping[tuple[str, str], float]
"""Of each person and maze the score, where there is one."""


@attrs.frozen
class CrossedMean:
    """What is known of the mean."""

    persons: int
    mazes: int
    score: float
    """The mean over all persons and mazes, each pair counting the same."""
    interval: tuple[float, float]
    """95 %, for other persons on other mazes."""


def crossed_mean(cells: Cells) -> CrossedMean:
    """The mean of scores in [0, 1] with an interval that counts persons as well as mazes as samples.

    That of `effective_interval` with `crossed_variance`, the smaller of the two samples as the clusters, and the pairs
    as the trials. One person, or one maze, tells nothing of others: (0, 1).

    Args:
        cells: at least one.
    """
    persons, mazes = (len({pair[side] for pair in cells}) for side in (0, 1))
    score, fewest = average(cells.values()), min(persons, mazes)
    known = fewest > 1
    interval = effective_interval(score, crossed_variance(cells), fewest, len(cells)) if known else (0.0, 1.0)
    return CrossedMean(persons, mazes, score, interval)


def crossed_variance(cells: Cells) -> float:
    """The variance of the mean of scores that are alike within persons and within mazes.

    The variance by persons plus that by mazes minus that by pairs (Cameron, Gelbach and Miller 2011), without their
    factors for small samples; not less than either alone, since for few clusters the difference may even be negative.

    Args:
        cells: those of at least two persons and two mazes.
    """
    mean = average(cells.values())
    residuals = {pair: score - mean for pair, score in cells.items()}
    by_person = _variance(residuals, {pair: pair[0] for pair in cells})
    by_maze = _variance(residuals, {pair: pair[1] for pair in cells})
    by_pair = _variance(residuals, {pair: pair for pair in cells})
    return max(by_person, by_maze, by_person + by_maze - by_pair)


def _variance(residuals: Cells, cluster_of: Mapping[tuple[str, str], Hashable]) -> float:
    """The variance of the mean, of residuals that are alike within clusters."""
    sums: dict[Hashable, list[float]] = {}
    for pair, residual in residuals.items():
        sums.setdefault(cluster_of[pair], []).append(residual)
    return _sum_of_squares(sums.values()) / len(residuals) ** 2


def _sum_of_squares(groups: Iterable[Iterable[float]]) -> float:
    return math.fsum(math.fsum(group) ** 2 for group in groups)
