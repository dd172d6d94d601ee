"""Scores that combine success, efficiency and task difficulty in one number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import attrs

from multinet_eval.analysis.metrics.aggregation import SCORE, Mean
from multinet_eval.analysis.metrics.builtin.behaviour import optimal_overlap, tokens
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import Dimensions
from multinet_eval.analysis.metrics.metric_type import Metric, metric, weighted_metric

SHIPPED = Path(__file__).with_name("multinet_v2.toml")


@metric(SCORE)
def action_efficiency(episode: EpisodeAnalysis) -> float | None:
    """(l / p)² for a success, 0 for a failure; in [0, 1].

    The score of a level in ARC-AGI-3 (ARC Prize Foundation 2026, docs.arcprize.org/methodology), with the length l of a
    shortest plan in place of the number of a person's actions, so that no reference person and no cap are needed. p is
    the number of used steps of the budget, including lost ones. Undefined if l is unknown.
    """
    return None if episode.result.spl is None else episode.result.spl**2


def _weight(instance: object, attribute: attrs.Attribute[float], value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"'{attribute.name}' must be a number of 0 or more: {value}")


def _share(default: float = 0.0) -> float:
    """Declare a field for a weight of at least 0."""
    weight: float = attrs.field(default=default, validator=_weight)
    return weight


@attrs.frozen(kw_only=True)
class EfficiencyWeights:
    """Weights of the three parts of efficiency, normalized by their sum; a part with weight 0 is ignored."""

    steps: float = _share()
    overlap: float = _share()
    tokens: float = _share()

    def __attrs_post_init__(self) -> None:
        """Raise ValueError if all weights are 0."""
        if not any(attrs.astuple(self)):
            raise ValueError(f"one of {', '.join(attrs.asdict(self))} must be more than 0")


@attrs.frozen(kw_only=True)
class DifficultyWeights:
    """Weights of a task's static dimensions (`gridworld.solver.Difficulty`); a dimension with weight 0 is ignored."""

    optimal_length: float = _share()
    states_searched: float = _share()
    backtracking: float = _share()
    dependency_depth: float = _share()
    dependency_variety: float = _share()
    distractors: float = _share()
    distractor_quality: float = _share()
    size: float = _share()
    wall_density: float = _share()
    hidden_share: float = _share()
    irreversibility: float = _share()
    fragility: float = _share()


@attrs.frozen(kw_only=True)
class CompositeWeights:
    """The weights of `composite`."""

    efficiency: EfficiencyWeights
    difficulty: DifficultyWeights = attrs.Factory(DifficultyWeights)
    """Weights of the difficulty dimensions; without any, all tasks count equally."""
    greedy_penalty: float = _share()
    baseline_tokens: float = _share(1000.0)
    """Number of tokens per action of a shortest plan that is not penalized."""
    clipped: bool = True
    """Whether scores below 0 are raised to 0."""


@weighted_metric(CompositeWeights, SHIPPED)
def composite(weights: CompositeWeights) -> Metric[float | None]:
    """S · (E · D - δ · G), or 0 if that is negative; in [0, 1], or [-δ, 1] if the weights turn clipping off.

    S is 1 for a success, otherwise 0. E, the efficiency, is the weighted mean of l / p, with l the length of a shortest
    plan and p the used steps of the budget; of `optimal_overlap`, for the closest shortest path; and of min(1, l ·
    baseline / `tokens`). D, the difficulty of the task, is the weighted sum of its twelve static dimensions
    (`gridworld.solver.Difficulty`), each divided by its maximum over the tasks of the run on this tiling, divided by
    the maximum of that sum. G is 1 if the model ``greedy`` reaches the goal within the budget, otherwise 0, and δ is
    the penalty. The formula has the form of multinet-v2's; the weights are in a TOML file. Undefined, also for
    failures, if a part with a weight is unknown: mainly if a server does not report tokens, if answers came from a
    cache, and for tasks with too many states.
    """

    @metric(SCORE if weights.clipped else Mean(low=0.0 - weights.greedy_penalty, high=1.0))
    def score(episode: EpisodeAnalysis) -> float | None:
        efficiency = _efficiency(episode, weights)
        difficulty = None if efficiency is None else _difficulty(episode, weights.difficulty)
        if efficiency is None or difficulty is None:
            return None
        if not episode.result.success:
            return 0.0
        too_easy = weights.greedy_penalty and episode.known is not None and episode.known.greedy_succeeds
        gained = efficiency * difficulty - (weights.greedy_penalty if too_easy else 0.0)
        return max(0.0, gained) if weights.clipped else gained

    return score


def _efficiency(episode: EpisodeAnalysis, weights: CompositeWeights) -> float | None:
    """Return the weighted mean of the efficiency parts; None if one with a weight is unknown."""
    shares: Mapping[str, float] = attrs.asdict(weights.efficiency)
    parts: Mapping[str, Callable[[], float | None]] = {
        "steps": lambda: episode.result.spl,
        "tokens": lambda: _token_efficiency(episode, weights.baseline_tokens),
        "overlap": lambda: optimal_overlap(episode),
    }
    found = [(shares[name], part()) for name, part in parts.items() if shares[name]]
    known = [share * value for share, value in found if value is not None]
    return math.fsum(known) / math.fsum(shares.values()) if len(known) == len(found) else None


def _token_efficiency(episode: EpisodeAnalysis, baseline: float) -> float | None:
    used, shortest = tokens(episode), episode.result.optimal_steps
    if used is None or shortest is None or episode.result.cached_requests:
        return None
    return min(1.0, shortest * baseline / used) if used else 1.0


def _difficulty(episode: EpisodeAnalysis, weights: DifficultyWeights) -> float | None:
    shares = {name: share for name, share in attrs.asdict(weights).items() if share}
    if not shares:
        return 1.0
    if episode.suite is None:
        return None
    return relative_difficulty(shares, episode.suite.dimensions_of(episode.task), episode.suite.dimensions)


def relative_difficulty(
    shares: Mapping[str, float], task: Dimensions | None, suite: Iterable[Dimensions]
) -> float | None:
    """Return a task's difficulty relative to the most difficult task of the suite, in [0, 1].

    Args:
        shares: weight of each dimension, more than 0; at least one.
        task: the dimensions of the task.
        suite: the dimensions of all tasks, including this one.

    Returns:
        The weighted sum of the task's dimensions, each divided by its maximum over the suite, divided by the maximum of
        that sum; 1 if no task has any difficulty. None if a dimension of the task is unknown. Tasks with unknown
        dimensions do not count for the maximum of sums.
    """
    if task is None or any(task[name] is None for name in shares):
        return None
    tasks = list(suite)
    greatest = {name: max(each[name] or 0.0 for each in tasks) for name in shares}
    sums = [_weighted(shares, each, greatest) for each in tasks if all(each[name] is not None for name in shares)]
    return _weighted(shares, task, greatest) / max(sums) if max(sums) else 1.0


def _weighted(shares: Mapping[str, float], task: Dimensions, greatest: Mapping[str, float]) -> float:
    return math.fsum(share * (task[name] or 0.0) / greatest[name] for name, share in shares.items() if greatest[name])
