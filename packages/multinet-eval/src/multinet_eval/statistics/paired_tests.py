"""Paired tests of runs: sign flips, intervals of differences, Holm's adjustment, and ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.clusters import Observation, average, paired_differences
from multinet_eval.statistics.intervals import Range

EXACT_CLUSTERS = 20
"""Maximum number of nonzero differences for which all sign assignments are enumerated: at most 2**20."""
SAMPLES = 99_999
"""Number of sampled assignments for more than `EXACT_CLUSTERS` differences."""
BATCH = 1 << 22
"""Number of signs held in memory at once."""
ROUNDING = 1e-9
"""Tolerance for equal sums."""


class TestKind(StrEnum):
    """Method used to compute a p-value."""

    __test__ = False
    """Prevents pytest from collecting the class."""

    NONE = "no difference"
    """There are no differences, so nothing is tested."""
    MCNEMAR = "exact McNemar"
    EXACT = "exact sign flips"
    SAMPLED = "sampled sign flips"


@attrs.frozen
class SignFlip:
    """Result of a sign-flip test."""

    p_value: float
    """Two-sided p-value, in (0, 1]."""
    kind: TestKind


def sign_flip_test(differences: Sequence[float], seed: int) -> SignFlip:
    """Test, two-sided, that two runs are interchangeable in every cluster, by their differences.

    If they are, each difference is as likely with the opposite sign (Fisher 1935): p is the share of all sign
    assignments for which the sum is at least as far from 0. Equal means do not suffice: if one run is slightly worse
    nearly everywhere and far better once, the test is significant in more than 5 %. Zero differences have no effect. If
    all others are 1 or -1, as for single successes, it is McNemar's exact test: 2 P(X ≤ min(b, c)), at most 1, with b
    and c their numbers, X ~ Bin(b + c, ½). Otherwise all assignments of up to `EXACT_CLUSTERS` nonzero differences are
    enumerated, and beyond that `SAMPLES` are drawn: p = (1 + as far) / (1 + drawn) (Phipson & Smyth 2010). Without
    nonzero differences, p is 1.

    Args:
        differences: one for each cluster, in [-1, 1].
        seed: seed of drawn assignments.
    """
    others = [each for each in differences if each != 0]
    if not others:
        return SignFlip(1.0, TestKind.NONE)
    if all(abs(each) == 1 for each in others):
        tail = sum(math.comb(len(others), number) for number in range(min(others.count(1), others.count(-1)) + 1))
        return SignFlip(min(1.0, 2 * tail / (1 << len(others))), TestKind.MCNEMAR)
    # A fixed order, so that what is drawn does not depend on the order of the clusters.
    sizes = np.sort(np.abs(np.array(others, dtype=np.float64)))
    least = abs(math.fsum(others)) - ROUNDING
    if len(others) <= EXACT_CLUSTERS:
        return SignFlip(float(np.mean(np.abs(_all_sums(sizes)) >= least)), TestKind.EXACT)
    return SignFlip((1 + _count_drawn(sizes, least, seed)) / (1 + SAMPLES), TestKind.SAMPLED)


def _all_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of the sizes for all sign assignments, float, shape (2**n,)."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _count_drawn(sizes: NDArray[np.float64], least: float, seed: int) -> int:
    """Count how many of `SAMPLES` random sums are at least as far from 0."""
    rng, found, left = np.random.default_rng(seed), 0, SAMPLES
    while left:
        rows = min(left, max(1, BATCH // len(sizes)))
        signs = 2.0 * rng.integers(0, 2, size=(rows, len(sizes)), dtype=np.int8) - 1
        found += int(np.count_nonzero(np.abs(signs @ sizes) >= least))
        left -= rows
    return found


LEVEL = 0.05
"""Level of tests: the maximum probability of a difference, or jointly of any rank, between interchangeable runs."""
EXACT_SUBSETS = 16
"""Maximum number of values for which all subsets are enumerated for an interval."""
SUBSETS = 9_999
"""Number of sampled subsets for more than `EXACT_SUBSETS` values."""


def sign_flip_interval(differences: Sequence[float], p_value: float, seed: int) -> Range:
    """Return the 95 % interval of a mean difference that agrees with the sign-flip test.

    The interval is the `subset_interval` after adding a difference of 1 and one of -1, without which it has no length
    if all differences are equal. It is extended to 0 if p > 0.05, and if p ≤ 0.05, an end beyond 0 is moved to
    `ROUNDING` on this side, so that interval and test never contradict each other. If no maze differs, it is
    ±(1 - 0.025^(1/n)), the exact limit of the share of mazes that differ (Clopper and Pearson 1934).

    Args:
        differences: one for each cluster, in [-1, 1].
        p_value: the result of `sign_flip_test` for these differences.
        seed: seed of drawn subsets.
    """
    if differences and not any(differences):
        limit = 1 - (LEVEL / 2) ** (1 / len(differences))
        return (-limit, limit)
    low, high = subset_interval([*differences, -1.0, 1.0], seed) or (-1.0, 1.0)
    if p_value > LEVEL:
        return (min(low, 0.0), max(high, 0.0))
    return (max(low, ROUNDING), high) if math.fsum(differences) > 0 else (low, min(high, -ROUNDING))


def subset_interval(values: Sequence[float], seed: int) -> Range | None:
    """Return the interval of all means θ that the sign-flip test does not reject for the values minus θ.

    Its ends are order statistics of the means of all subsets of the values (Hartigan 1969), or of `SUBSETS` random ones
    of more than `EXACT_SUBSETS` values: the k-th from below and from above, k = ⌊(1 + their number) · 0.025⌋. None if k
    is 0.
    """
    ordered, mirrored = np.sort(np.array(values)), np.sort(-np.array(values))
    sign = -1.0 if mirrored.tolist() < ordered.tolist() else 1.0  # the order of the runs changes nothing but signs
    means = sign * _subset_means(mirrored if sign < 0 else ordered, seed)
    rank = math.floor((1 + len(means)) * LEVEL / 2)
    if rank == 0:
        return None
    means = np.partition(means, (rank - 1, len(means) - rank))
    return (float(means[rank - 1]), float(means[len(means) - rank]))


def _subset_means(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return the means of all nonempty subsets, float, shape (2**n - 1,); of `SUBSETS` random ones for many values."""
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
    """Adjust p-values so that the family-wise error rate holds (Holm 1979).

    The k-th smallest of m becomes the maximum, over j ≤ k, of (m - j + 1) · p(j), and at most 1. It holds for any
    dependence, such as comparisons with one run in common. A single value is unchanged.

    Args:
        p_values: unadjusted p-values, in [0, 1].
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, (len(p_values) - rank) * p_values[place])
        adjusted[place] = min(1.0, highest)
    return adjusted


@attrs.frozen
class PairedTest:
    """Paired test of two runs."""

    first: int
    """Index of the first run, from 0."""
    second: int
    differences: tuple[float, ...]
    """Differences of the base mazes with a score in both runs, the first's minus the second's, in [-1, 1]."""
    test: SignFlip | None
    """Test of the differences; None without such a maze."""
    adjusted_p_value: float | None
    """p-value of the test after Holm's adjustment for the number of pairs."""

    @property
    def clusters(self) -> int:
        """Number of base mazes with a score in both runs."""
        return len(self.differences)

    @property
    def difference(self) -> float | None:
        """Mean difference over the mazes; None without a maze."""
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
        """Whether one run has the higher mean but the other is better in more mazes."""
        return (self.difference or 0.0) * (self.better - self.worse) < 0

    def columns(self) -> dict[str, Any]:
        """Return the columns of a table that describe the test."""
        return {
            "better": self.better,
            "worse": self.worse,
            "difference": self.difference,
            "majority_disagrees": self.majority_disagrees,
            "test": None if self.test is None else self.test.kind.value,
            "p_value": None if self.test is None else self.test.p_value,
            "adjusted_p_value": self.adjusted_p_value,
        }

    @property
    def winner(self) -> int | None:
        """Index of the run that scores significantly higher, by the adjusted p-value; None if neither does."""
        difference = self.difference
        if difference is None or self.adjusted_p_value is None or self.adjusted_p_value > LEVEL:
            return None
        return self.first if difference > 0 else self.second


def paired_tests(
    runs: Sequence[Sequence[Observation]], seed: int, pairs: Iterable[tuple[int, int]] | None = None
) -> list[PairedTest]:
    """Test pairs of runs, as one family.

    Args:
        runs: the observations of each run, scores in [0, 1].
        seed: seed of random draws.
        pairs: the indices of the runs of each pair; by default every pair.
    """
    found = []
    for first, second in combinations(range(len(runs)), 2) if pairs is None else pairs:
        differences = tuple(paired_differences(runs[first], runs[second]).values())
        test = sign_flip_test(differences, seed) if differences else None
        found.append(PairedTest(first, second, differences, test, None))
    adjusted = iter(holm_adjusted([each.test.p_value for each in found if each.test is not None]))
    return [each if each.test is None else attrs.evolve(each, adjusted_p_value=next(adjusted)) for each in found]


@attrs.frozen
class Rank:
    """Possible ranks of a run, from 1 for the best."""

    first: int
    last: int


def rank_intervals(tests: Iterable[PairedTest], runs: int) -> list[Rank]:
    """Return [1 + number of significantly better runs, M - number of significantly worse ones] for each of M runs.

    Since the tests of all pairs are adjusted together, runs that are pairwise interchangeable in every cluster are not
    ranked above one another, with a probability of at least 1 - `LEVEL` jointly (Mogstad, Romano, Shaikh and Wilhelm
    2024). For runs that have equal means and are not interchangeable, there is no such limit (`sign_flip_test`).
    Intervals of the scores themselves may overlap although a paired test shows a difference, since they ignore how
    alike two runs find the tasks.

    Args:
        tests: tests of each pair of runs.
        runs: number of runs.
    """
    better, worse = [0] * runs, [0] * runs
    for each in tests:
        if each.winner is not None:
            loser = each.second if each.winner == each.first else each.first
            better[loser] += 1
            worse[each.winner] += 1
    return [Rank(1 + above, runs - below) for above, below in zip(better, worse, strict=True)]
