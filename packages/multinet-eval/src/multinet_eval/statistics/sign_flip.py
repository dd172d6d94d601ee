"""Whether paired differences could be chance: the sign-flip test, of which McNemar's exact test is a case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import attrs
import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT_CLUSTERS", "SAMPLES", "SignFlip", "TestKind", "sign_flip_test"]

EXACT_CLUSTERS = 20
"""Up to so many differences other than 0, all ways of giving them signs are gone through: at most 2**20."""
SAMPLES = 99_999
"""How many ways are drawn where there are more."""
BATCH = 1 << 22
"""How many signs are in memory at once."""
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
    """What came of a test."""

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
        return SignFlip(_mcnemar(others.count(1), others.count(-1)), TestKind.MCNEMAR)
    # In one order, so that what is drawn does not depend on the order of the clusters.
    sizes = np.sort(np.abs(np.array(others, dtype=np.float64)))
    least = abs(math.fsum(others)) - ROUNDING
    if len(others) <= EXACT_CLUSTERS:
        return SignFlip(float(np.mean(np.abs(_all_sums(sizes)) >= least)), TestKind.EXACT)
    return SignFlip((1 + _count_drawn(sizes, least, seed)) / (1 + SAMPLES), TestKind.SAMPLED)


def _mcnemar(won: int, lost: int) -> float:
    total = won + lost
    tail = sum(math.comb(total, number) for number in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / (1 << total))


def _all_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums of the sizes with all combinations of signs, float, shape (2**n,)."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _count_drawn(sizes: NDArray[np.float64], least: float, seed: int) -> int:
    """How many of `SAMPLES` random sums are as far from 0."""
    rng, found, left = np.random.default_rng(seed), 0, SAMPLES
    while left:
        rows = min(left, max(1, BATCH // len(sizes)))
        signs = 2.0 * rng.integers(0, 2, size=(rows, len(sizes)), dtype=np.int8) - 1
        found += int(np.count_nonzero(np.abs(signs @ sizes) >= least))
        left -= rows
    return found
