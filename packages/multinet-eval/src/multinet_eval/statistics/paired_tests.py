"""Tests of every two of several runs: sign flips, the intervals of differences, Holm's adjustment, and ranks."""

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

    NONE = "no difference"
    """No pair differs, so that nothing is tested."""
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
    """Test that two runs are interchangeable in every cluster, two-sided, by their differences in each.

    If so, each difference is as likely with the other sign (Fisher 1935): p is the share of all ways to give signs to
    the differences in which their sum is at least as far from 0. Equal means are not enough for that: where one run is
    slightly worse nearly everywhere and far better once, it is significant in more than 5 %. Differences of 0 change
    nothing. Where all others are 1 or -1, as of single successes, it is McNemar's exact test: 2 P(X ≤ min(b, c)), at
    most 1, with b and c the numbers of either, X ~ Bin(b + c, ½). Otherwise it goes through all ways up to
    `EXACT_CLUSTERS` differences other than 0, and beyond that it draws `SAMPLES`: p = (1 + as far) / (1 + drawn)
    (Phipson & Smyth 2010). No difference other than 0: p is 1.

    Args:
        differences: one for each cluster, in [-1, 1].
        seed: of what is drawn.
    """
    others = [each for each in differences if each != 0]
    if not others:
        return SignFlip(1.0, TestKind.NONE)
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


LEVEL = 0.05
"""Level of tests: the probability of a wrong interval, and, together, of any wrong rank, at most."""
EXACT_SUBSETS = 16
"""Up to so many values, all of their subsets are gone through for an interval."""
SUBSETS = 9_999
"""Number of subsets that are drawn where there are more."""


def sign_flip_interval(differences: Sequence[float], p_value: float, seed: int) -> tuple[float, float]:
    """The 95 % interval of a mean difference that agrees with the sign-flip test.

    It holds all θ that the test of the differences minus θ does not refute, with two more differences, ½ and -½, among
    them, without which it has no length where all differences are alike. Its ends are order statistics of the means of
    all subsets of the differences (Hartigan 1969), of `SUBSETS` random ones of more than `EXACT_SUBSETS` differences:
    the k-th from below and from above, k = ⌊(1 + their number) · 0.025⌋, and -1 and 1 where k is 0. It is extended to 0
    where p > 0.05, and where p ≤ 0.05, an end on the other side of 0 is moved to `ROUNDING` on this side, so that
    interval and test never contradict each other.

    Args:
        differences: one for each cluster, in [-1, 1].
        p_value: that of `sign_flip_test` of these differences.
        seed: of what is drawn.
    """
    low, high = -1.0, 1.0
    given = np.array([*differences, -0.5, 0.5])
    ordered, mirrored = np.sort(given), np.sort(-given)
    sign = -1.0 if mirrored.tolist() < ordered.tolist() else 1.0  # the order of the runs changes nothing but signs
    means = sign * _subset_means(mirrored if sign < 0 else ordered, seed)
    rank = math.floor((1 + len(means)) * LEVEL / 2)
    if rank:
        means = np.partition(means, (rank - 1, len(means) - rank))
        low, high = float(means[rank - 1]), float(means[len(means) - rank])
    if p_value > LEVEL:
        return (min(low, 0.0), max(high, 0.0))
    return (max(low, ROUNDING), high) if math.fsum(differences) > 0 else (low, min(high, -ROUNDING))


def _subset_means(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """The means of all subsets but the empty one, float, shape (2**n - 1,); of `SUBSETS` random ones of many values."""
    if len(values) <= EXACT_SUBSETS:
        sums, sizes = np.zeros(1), np.zeros(1)
        for value in values:
            sums, sizes = np.concatenate([sums, sums + value]), np.concatenate([sizes, sizes + 1])
        return sums[1:] / sizes[1:]
    rng, found, left = np.random.default_rng(seed), [np.empty(0)], SUBSETS
    while left:
        chosen = rng.integers(0, 2, size=(min(left, max(1, BATCH // len(values))), len(values)), dtype=np.int8)
        sizes = chosen.sum(axis=1, dtype=np.int64)
        found.append((chosen @ values)[sizes > 0] / sizes[sizes > 0])
        left -= len(found[-1])
    return np.concatenate(found)


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

    @property
    def better(self) -> int:
        """Number of mazes in which the first scores higher."""
        return sum(each > 0 for each in self.differences)

    @property
    def worse(self) -> int:
        """Number of mazes in which the second scores higher."""
        return sum(each < 0 for each in self.differences)

    @property
    def majority_disagrees(self) -> bool:
        """Whether one run has the higher mean, and the other is better in more mazes."""
        return (self.difference or 0.0) * (self.better - self.worse) < 0

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
