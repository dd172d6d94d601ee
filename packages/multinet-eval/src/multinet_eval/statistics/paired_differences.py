"""Comparisons of runs: scores, paired differences, and interactions with variants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import attrs

from multinet_eval.statistics.clusters import (
    Observation,
    average,
    cluster_means,
    paired_differences,
    with_missing,
)
from multinet_eval.statistics.intervals import Range, mean_interval
from multinet_eval.statistics.paired_tests import (
    PairedTest,
    SignFlip,
    holm_adjusted,
    paired_tests,
    sign_flip_interval,
    sign_flip_test,
)


@attrs.frozen
class Estimate:
    """The score of one run."""

    clusters: int
    """Number of base mazes with a score."""
    episodes: int
    """Number of planned episodes."""
    missing: int
    """Number of episodes without a score: they ended with an infrastructure fault, or are unfinished."""
    score: float | None
    """Mean over clusters, without missing scores; None if all are missing."""
    interval: Range
    """95 % confidence interval of the score."""
    bounds: Range
    """Score if all missing episodes had scored 0, and if they had scored 1."""


def estimate_score(observations: Sequence[Observation]) -> Estimate:
    """Estimate the mean score of a run, from scores in [0, 1] such as success: the mean over clusters.

    Its interval is the `mean_interval` of the means of clusters, so it depends on the number of mazes, and hardly on
    how often each was played.
    """
    means = list(cluster_means(observations).values())
    imputed = [list(cluster_means(with_missing(observations, score)).values()) for score in (0.0, 1.0)]
    lowest, highest = (average(each) if each else default for each, default in zip(imputed, (0.0, 1.0), strict=True))
    return Estimate(
        clusters=len(means),
        episodes=len(observations),
        missing=sum(each.score is None for each in observations),
        score=average(means) if means else None,
        interval=mean_interval(means),
        bounds=(lowest, highest),
    )


@attrs.frozen
class Difference(PairedTest):
    """Paired test of two runs, with the interval of their difference."""

    interval: Range
    """95 % confidence interval of the difference, by `sign_flip_interval`; (-1, 1) without a common cluster."""
    bounds: Range
    """Difference if all missing episodes were as bad, and as good, as possible for the first run."""


def compare_pairs(
    runs: Sequence[Sequence[Observation]], seed: int, pairs: Iterable[tuple[int, int]] | None = None
) -> list[Difference]:
    """Compute the paired difference of pairs of runs.

    Args:
        runs: the observations of each run, scores in [0, 1].
        seed: seed of random draws.
        pairs: the indices of the runs of each pair; by default every pair.
    """
    return [_difference(runs, tested, seed) for tested in paired_tests(runs, seed, pairs)]


def _difference(runs: Sequence[Sequence[Observation]], tested: PairedTest, seed: int) -> Difference:
    first, second, differences = runs[tested.first], runs[tested.second], tested.differences
    interval = (-1.0, 1.0) if tested.test is None else sign_flip_interval(differences, tested.test.p_value, seed)
    return Difference(
        first=tested.first,
        second=tested.second,
        differences=differences,
        test=tested.test,
        adjusted_p_value=tested.adjusted_p_value,
        interval=interval,
        bounds=(_imputed(first, 0.0, second, 1.0), _imputed(first, 1.0, second, 0.0)),
    )


def _imputed(first: Sequence[Observation], ours: float, second: Sequence[Observation], theirs: float) -> float:
    """Compute the difference after replacing missing scores; without any score, that of the replacements."""
    differences = paired_differences(with_missing(first, ours), with_missing(second, theirs))
    return average(differences.values()) if differences else ours - theirs


Effects = Mapping[str, float]
"""Differences of scores between two variants of each base maze, in [-1, 1]."""


@attrs.frozen
class Interaction:
    """The interaction of a pair of variants with a pair of runs: the effect in the first minus that in the second."""

    variants: tuple[str, str]
    """Names of the two variants; the effect is the score of the first minus the score of the second."""
    first: int
    """Index of the first run, from 0."""
    second: int
    clusters: int
    """Number of base mazes with a score of both variants in both runs."""
    effects: tuple[float, float]
    """Effects in the two runs over these mazes."""
    difference: float
    """Mean over the mazes of the differences of effects, in [-2, 2]."""
    interval: Range
    """95 % confidence interval of the difference, by `sign_flip_interval` of half the differences."""
    test: SignFlip
    adjusted_p_value: float
    """p-value of the test after Holm's adjustment for the number of interactions."""


def find_interactions(runs: Sequence[Mapping[str, Sequence[Observation]]], seed: int) -> list[Interaction]:
    """Find the interactions of each pair of variants with each pair of runs that have played both.

    Args:
        runs: for each run, the observations by variant, scores in [0, 1].
        seed: seed of resampled tests.
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
    test = sign_flip_test(halves, seed)
    low, high = sign_flip_interval(halves, test.p_value, seed)
    return Interaction(
        variants=variants,
        first=first,
        second=second,
        clusters=len(mazes),
        effects=(average(ours), average(theirs)),
        difference=2 * average(halves),
        interval=(2 * low, 2 * high),
        test=test,
        adjusted_p_value=test.p_value,
    )
