"""Tests of every two of several runs: sign flips, p-values adjusted by Holm's method, and the ranks that follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.clusters import Observation, average, paired_differences

EXACT_CLUSTERS = 20
"""Up to so many differences other than 0, all ways of giving them signs are gone through: at most 2**20."""
SAMPLES = 99_999
"""Number of ways that are drawn where there are more."""
BATCH = 1 << 22
"""Number of signs in memory at once."""
ROUNDING = 1e-9
"""Sums that differ by no more than this are the same."""


class TestKind(StrEnum):
    """How the probability was found."""

    __test__ = False
    """It is no test of pytest's."""

    MCNEMAR = "exact McNemar"
    EXACT = "exact sign flips"
    SAMPLED = "sampled sign flips"


@attrs.frozen
class SignFlip:
    """Result of a test."""

    p_value: float
    """In (0, 1]."""
    kind: TestKind


def sign_flip_test(differences: Sequence[float], seed: int) -> SignFlip:
    """Test that neither of two runs is better, two-sided, by their differences in each cluster.

    If so, each difference is as likely with the other sign (Fisher 1935): p is the share of all ways to give signs to
    the differences in which their sum is at least as far from 0. Differences of 0 change nothing. Where all others are
    1 or -1, as of single successes, it is McNemar's exact test: 2 P(X ≤ min(b, c)), at most 1, with b and c the
    numbers of either, X ~ Bin(b + c, ½). Otherwise it goes through all ways up to `EXACT_CLUSTERS` differences other
    than 0, and beyond that it draws `SAMPLES`: p = (1 + as far) / (1 + drawn) (Phipson & Smyth 2010). No difference
    other than 0: p is 1.

    Args:
        differences: one for each cluster, in [-1, 1].
        seed: of what is drawn.
    """
    others = [each for each in differences if each != 0]
    if all(abs(each) == 1 for each in others):
        tail = sum(math.comb(len(others), number) for number in range(min(others.count(1), others.count(-1)) + 1))
        return SignFlip(min(1.0, 2 * tail / (1 << len(others))), TestKind.MCNEMAR)
    # In one order, so that what is drawn does not depend on the order of the clusters.
    sizes = np.sort(np.abs(np.array(others, dtype=np.float64)))
    least = abs(math.fsum(others)) - ROUNDING
    if len(others) <= EXACT_CLUSTERS:
        return SignFlip(float(np.mean(np.abs(_all_sums(sizes)) >= least)), TestKind.EXACT)
    return SignFlip((1 + _count_drawn(sizes, least, seed)) / (1 + SAMPLES), TestKind.SAMPLED)


def _all_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of the sizes with all combinations of signs, float, shape (2**n,)."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _count_drawn(sizes: NDArray[np.float64], least: float, seed: int) -> int:
    """Number of `SAMPLES` random sums that are as far from 0."""
    rng, found, left = np.random.default_rng(seed), 0, SAMPLES
    while left:
        rows = min(left, max(1, BATCH // len(sizes)))
        signs = 2.0 * rng.integers(0, 2, size=(rows, len(sizes)), dtype=np.int8) - 1
        found += int(np.count_nonzero(np.abs(signs @ sizes) >= least))
        left -= rows
    return found


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


@attrs.frozen
class PairedTest:
    """Whether one of two runs scores higher."""

    first: int
    """The number of the run, from 0."""
    second: int
    differences: tuple[float, ...]
    """Of each base maze that has a score in both, the first's minus the second's, in [-1, 1]."""
    test: SignFlip | None
    """None where there is no such maze."""
    adjusted_p_value: float | None
    """The p-value of the test, adjusted for the number of pairs by Holm's method."""

    @property
    def difference(self) -> float | None:
        """The mean over mazes; None where there is none."""
        return average(self.differences) if self.differences else None

    def winner(self, level: float) -> int | None:
        """The number of the run that scores significantly higher; None where neither does.

        Args:
            level: above which no adjusted p-value is significant, in (0, 1).
        """
        difference = self.difference
        if difference is None or self.adjusted_p_value is None or self.adjusted_p_value > level:
            return None
        return self.first if difference > 0 else self.second


def paired_tests(runs: Sequence[Sequence[Observation]], seed: int) -> list[PairedTest]:
    """Test every two runs.

    Args:
        runs: the observations of each run, scores in [0, 1].
        seed: of what is drawn at random.
    """
    found = []
    for first, second in combinations(range(len(runs)), 2):
        differences = tuple(paired_differences(runs[first], runs[second]).values())
        test = sign_flip_test(differences, seed) if differences else None
        found.append(PairedTest(first, second, differences, test, None))
    adjusted = iter(holm_adjusted([each.test.p_value for each in found if each.test is not None]))
    return [each if each.test is None else attrs.evolve(each, adjusted_p_value=next(adjusted)) for each in found]


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
