"""Statistics of tasks that were played several times: pass@k, pass^k, and variance between mazes and between plays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from multinet_eval.statistics.clusters import Observation, average, scores_by_cell
from multinet_eval.statistics.paired_differences import Estimate, estimate_score

MOST_CONSECUTIVE = 5
"""Number of plays up to which every k is reported."""


def any_solved(plays: int, solved: int, k: int) -> float | None:
    """Estimate the chance that at least one of k plays is solved: pass@k, 1 - C(n - c, k) / C(n, k).

    The estimator of Chen et al. (2021, "Evaluating large language models trained on code"): the share of the sets of k
    among the plays that have a solved one. It is unbiased for independent plays. None for fewer than k plays.

    Args:
        plays: number of scored plays (n).
        solved: number of solved ones among them (c).
        k: number of plays, at least 1.
    """
    return 1 - math.comb(plays - solved, k) / math.comb(plays, k) if k <= plays else None


def all_solved(plays: int, solved: int, k: int) -> float | None:
    """Estimate the chance that all of k plays are solved: pass^k, C(c, k) / C(n, k).

    The estimator of Yao et al. (2024, "τ-bench"): the share of the sets of k among the plays that have only solved
    ones. It is unbiased for independent plays. None for fewer than k plays. Arguments are as of `any_solved`.
    """
    return math.comb(solved, k) / math.comb(plays, k) if k <= plays else None


def reported_ks(plays: int) -> list[int]:
    """List the k to report: 1 to n for n plays up to 5, otherwise the powers of 2 below n, and n."""
    if plays <= MOST_CONSECUTIVE:
        return list(range(1, plays + 1))
    return [*(2**power for power in range((plays - 1).bit_length())), plays]


@attrs.frozen
class PassRates:
    """Chances that any, and that all, of k plays of a task on a tiling are solved.

    Both are means over base mazes, like every rate, of the cells with at least k scored plays.
    """

    k: int
    any_solved: Estimate
    """pass@k, by `any_solved`."""
    all_solved: Estimate
    """pass^k, by `all_solved`."""

    @property
    def mazes(self) -> int:
        """Number of base mazes with such a cell."""
        return self.any_solved.clusters

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data, by the names that papers use."""
        return {
            "k": self.k,
            "mazes": self.mazes,
            "pass_at_k": self.any_solved.score,
            "pass_at_k_interval": list(self.any_solved.interval),
            "pass_hat_k": self.all_solved.score,
            "pass_hat_k_interval": list(self.all_solved.interval),
        }


def pass_rates(observations: Sequence[Observation]) -> list[PassRates]:
    """Estimate pass@k and pass^k for each of `reported_ks`; empty if no cell has two scored plays.

    Args:
        observations: successes, 1 or 0; n is the largest number of scored plays of a cell.
    """
    cells = [
        (cluster, cell, scores)
        for cluster, of_cluster in scores_by_cell(observations).items()
        for cell, scores in of_cluster.items()
    ]

    def estimated(estimator: Callable[[int, int, int], float | None], k: int) -> Estimate:
        return estimate_score(
            [Observation(cluster, cell, estimator(len(each), round(sum(each)), k)) for cluster, cell, each in cells]
        )

    most = max((len(scores) for _, _, scores in cells), default=0)
    return [PassRates(k, estimated(any_solved, k), estimated(all_solved, k)) for k in reported_ks(most) if most > 1]


@attrs.frozen
class VarianceParts:
    """Parts of the variance of a score, estimated without bias."""

    between_mazes: float | None
    """Variance of the true means of base mazes; below 0 if they differ by less than plays let expect.

    None for fewer than two base mazes of which each task was scored twice on each tiling.
    """
    between_plays: float | None
    """Variance of plays of the same task on the same tiling: the mean over base mazes; None if none was scored twice.
    """


def variance_parts(observations: Sequence[Observation]) -> VarianceParts:
    """Estimate the variance between base mazes and between plays.

    Between plays: the sample variance s² of each cell, n / (n - 1) · p (1 - p) for a share p of n plays, averaged over
    the cells of a base maze, then over base mazes. Between mazes: the sample variance of the means of base mazes, less
    the mean of what plays contribute to it, Σ s² / n / m² over the m cells of a maze (Hedges and Olkin 1985, of studies
    and their sampling variances). With one cell and equally many plays for each maze, it is the estimator of the
    one-way analysis of variance.
    """
    means, contributions, within = [], [], []
    for cells in scores_by_cell(observations).values():
        several = [scores for scores in cells.values() if len(scores) > 1]
        if several:
            within.append(average(map(_sample_variance, several)))
        if len(several) == len(cells):
            means.append(average(map(average, several)))
            of_cells = [_sample_variance(scores) / len(scores) for scores in several]
            contributions.append(math.fsum(of_cells) / len(cells) ** 2)
    return VarianceParts(
        between_mazes=_sample_variance(means) - average(contributions) if len(means) > 1 else None,
        between_plays=average(within) if within else None,
    )


def _sample_variance(values: Sequence[float]) -> float:
    mean = average(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
