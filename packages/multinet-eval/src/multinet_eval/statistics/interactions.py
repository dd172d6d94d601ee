"""Differences of differences: whether what is varied within mazes matters more to one model than to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import attrs

from multinet_eval.statistics.clusters import Observation, average, paired_differences
from multinet_eval.statistics.holm import holm_adjusted
from multinet_eval.statistics.mean_intervals import bounded_mean_interval
from multinet_eval.statistics.sign_flip import SignFlip, sign_flip_test

__all__ = ["Interaction", "find_interactions"]

Effects = Mapping[str, float]
"""Base maze to the difference of scores between two variants of it, in [-1, 1]."""


@attrs.frozen
class Interaction:
    """How much larger the effect of a variant is in the first of two runs."""

    variants: tuple[str, str]
    """The effect is the score of the first less that of the second."""
    first: int
    """The number of the run, from 0."""
    second: int
    clusters: int
    """The base mazes of which both variants have a score in both runs."""
    effects: tuple[float, float]
    """Those of the two runs over these mazes."""
    difference: float
    """The mean over the mazes of the differences of effects, in [-2, 2]."""
    interval: tuple[float, float]
    """95 %, by `bounded_mean_interval`."""
    test: SignFlip
    adjusted_p_value: float
    """That of the test, adjusted for the number of interactions by Holm's method."""


def find_interactions(runs: Sequence[Mapping[str, Sequence[Observation]]], seed: int) -> list[Interaction]:
    """The differences of effects of every two variants between every two runs that have played both.

    Args:
        runs: for each run, variant to the observations of its tasks, scores in [0, 1].
        seed: of tests that are sampled.
    """
    variants = list(dict.fromkeys(variant for run in runs for variant in run))
    found = []
    for one, other in combinations(variants, 2):
        effects = {
            number: paired_differences(run[one], run[other])
            for number, run in enumerate(runs)
            if one in run and other in run
        }
        pairs = ((first, second) for first, second in combinations(effects, 2))
        common = ((first, second) for first, second in pairs if effects[first].keys() & effects[second].keys())
        found += [_interaction((one, other), first, second, effects, seed) for first, second in common]
    adjusted = holm_adjusted([each.test.p_value for each in found])
    return [attrs.evolve(each, adjusted_p_value=p) for each, p in zip(found, adjusted, strict=True)]


def _interaction(
    variants: tuple[str, str], first: int, second: int, effects: Mapping[int, Effects], seed: int
) -> Interaction:
    mazes = sorted(effects[first].keys() & effects[second].keys())
    ours, theirs = ([effects[number][maze] for maze in mazes] for number in (first, second))
    halves = [(a - b) / 2 for a, b in zip(ours, theirs, strict=True)]  # in [-1, 1], as of differences of scores
    low, high = bounded_mean_interval(halves, -1.0, 1.0)
    test = sign_flip_test(halves, seed)
    return Interaction(
        variants=variants,
        first=first,
        second=second,
        clusters=len(mazes),
        effects=(average(ours), average(theirs)),
        difference=2 * average(halves),
        interval=(2 * float(low), 2 * float(high)),
        test=test,
        adjusted_p_value=test.p_value,
    )
