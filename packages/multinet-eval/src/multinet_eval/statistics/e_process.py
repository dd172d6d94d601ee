"""Sequential paired test of two runs, maze by maze, and the interval that holds at any stopping time.

The test bets against equal means (Waudby-Smith and Ramdas 2024). With d the difference on a maze, in [-1, 1], and λ
the shares staked,

    E = ½ (mean over λ of Π (1 + λ d) + mean over λ of Π (1 - λ d)),    λ in {.05, .15, ..., .95}.

If each difference has mean 0 given those before, E is a martingale that starts at 1, so it ever reaches 1/alpha with a
probability of at most alpha (Ville 1939), however often it is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BETS = np.arange(5, 100, 10) / 100
"""Fractions staked (λ)."""
HALVINGS = 40
"""Number of bisection steps for an end of an interval."""


def e_process(differences: Sequence[float], mean: float = 0.0) -> NDArray[np.float64]:
    """Return the evidence against a mean of differences after each of them, float, shape (n,).

    For a mean m other than 0 the factors are 1 + λ (d - m) / (1 + m) and 1 - λ (d - m) / (1 - m), which are positive
    for any d in [-1, 1].

    Args:
        differences: differences on the mazes, in [-1, 1], in the order of the looks.
        mean: hypothetical mean of the differences, in (-1, 1).
    """
    centred = np.asarray(differences, dtype=np.float64) - mean
    sides = (centred / (1 + mean), -centred / (1 - mean))
    logs = np.stack([np.log1p(np.outer(BETS, side)).cumsum(axis=1) for side in sides])
    with np.errstate(over="ignore"):
        evidence: NDArray[np.float64] = np.exp(logs).mean(axis=(0, 1))
    return evidence


def deciding_look(differences: Sequence[float], alpha: float) -> int | None:
    """Return after how many differences the evidence against a mean of 0 first reaches 1/alpha; None if never.

    Args:
        differences: differences on the mazes, in [-1, 1], in the order of the looks.
        alpha: probability of a false decision, in (0, 1).
    """
    reached = np.flatnonzero(e_process(differences) >= 1 / alpha)
    return int(reached[0]) + 1 if len(reached) else None


def anytime_interval(differences: Sequence[float], alpha: float) -> tuple[float, float]:
    """Return the interval of means that the differences so far do not reject: means with evidence below 1/alpha.

    If the mazes were drawn independently, the interval covers the mean with a probability of at least 1 - alpha,
    whatever the reason for stopping. It contains the observed mean, against which the evidence is at most 1, and is an
    interval, since the evidence is convex in the mean.

    Args:
        differences: differences on the mazes, in [-1, 1], in any order; without any, the interval is (-1, 1).
        alpha: probability of a false decision, in (0, 1).
    """
    if not differences:
        return -1.0, 1.0
    observed = math.fsum(differences) / len(differences)
    low, high = (_refuted_towards(differences, observed, end, alpha) for end in (-1.0, 1.0))
    return low, high


def _refuted_towards(differences: Sequence[float], inside: float, end: float, alpha: float) -> float:
    """Find the first rejected mean from an accepted one to an end of [-1, 1]; that end if no mean is rejected."""
    outside = end
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if abs(middle) == 1:
            break
        if e_process(differences, middle)[-1] >= 1 / alpha:
            outside = middle
        else:
            inside = middle
    return outside


def earliest_look(reference: Sequence[float], alpha: float) -> int | None:
    """Return the minimum number of mazes after which the test can stop; None if it cannot stop at all.

    The test stops then if the other run fails in all mazes, or solves them all.

    Args:
        reference: rates of the reference, in [0, 1], in the order of the looks.
        alpha: probability of a false decision, in (0, 1).
    """
    extremes = ([1 - rate for rate in reference], [-rate for rate in reference])
    looks = [look for each in extremes if (look := deciding_look(each, alpha)) is not None]
    return min(looks, default=None)
