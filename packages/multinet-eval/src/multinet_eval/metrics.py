"""What a run has shown: results of single tasks, and the metrics of a suite."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from gridworld.model_interface import AnswerOutcome, Usage

__all__ = [
    "SuiteMetrics",
    "TaskResult",
    "add_usages",
    "count_outcomes",
    "optimality_ratio",
    "success_weighted_path_length",
    "wilson_interval",
]

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson_interval(successes: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927), two-sided, 95 % by default.

    It stays inside [0, 1] and is sound for few trials and for proportions of 0 and 1, where the normal approximation
    is not. No trials tell nothing: (0, 1).
    """
    if trials == 0:
        return (0.0, 1.0)
    share = successes / trials
    scale = 1 + z * z / trials
    centre = share + z * z / (2 * trials)
    margin = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else (centre - margin) / scale
    high = 1.0 if successes == trials else (centre + margin) / scale
    return (low, high)


def optimality_ratio(success: bool, steps_taken: int, optimal_steps: int | None) -> float | None:
    """``optimal_steps / steps_taken`` of a success, in (0, 1]; None for a failure or an unknown optimum."""
    if not success or optimal_steps is None:
        return None
    return optimal_steps / steps_taken


def success_weighted_path_length(results: Sequence[TaskResult]) -> float | None:
    """SPL (Anderson et al. 2018): the mean of the optimality ratio, a failure counting 0.

    Tasks without a known optimum are left out; None when that leaves none.
    """
    rated = [result for result in results if result.optimal_steps is not None]
    if not rated:
        return None
    return math.fsum(result.optimality_ratio or 0.0 for result in rated) / len(rated)


def count_outcomes(counts: Iterable[Mapping[str, int]] = ()) -> dict[str, int]:
    """The sum of some counts of outcomes: every kind of `AnswerOutcome` by its value, in alphabetical order."""
    total = Counter[str]()
    for each in counts:
        total.update(each)
    return {kind.value: total[kind.value] for kind in sorted(AnswerOutcome)}


def add_usages(usages: Iterable[Usage | None]) -> Usage:
    """What some calls cost together; a part of which not one of them says anything stays None."""
    known = [usage for usage in usages if usage is not None]
    return Usage(
        prompt_tokens=_sum_of_known([usage.prompt_tokens for usage in known]),
        completion_tokens=_sum_of_known([usage.completion_tokens for usage in known]),
        seconds=_sum_of_known([usage.seconds for usage in known]),
        server_seconds=_sum_of_known([usage.server_seconds for usage in known]),
    )


Number = TypeVar("Number", int, float)


def _sum_of_known(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None


@attrs.frozen
class TaskResult:
    """How a model fared on one task."""

    task_id: str
    difficulty_tier: int
    seed: int
    mission: str
    success: bool
    steps_taken: int
    """The steps of the budget that were used: actions, and steps lost for want of a usable answer. So a model that
    wastes steps takes a longer path, and has a lower SPL."""
    max_steps: int
    optimal_steps: int | None
    """The length of a shortest plan; None where the solver finds none, or the episode ended by an error."""
    optimality_ratio: float | None
    total_reward: float
    """The sum of the world's own rewards; its clock does not count lost steps."""
    terminated: bool
    """The world ended the episode, by success or death."""
    truncated: bool
    """The budget was used up without success."""
    ineffective_steps: int
    """Steps that changed nothing: bumps, and actions without effect."""
    lost_steps: int = 0
    """Steps to which there was no usable answer; nothing happened in the world."""
    outcomes: dict[str, int] = attrs.Factory(count_outcomes)
    """How many requests for an action came to what, repeated ones included: every `AnswerOutcome` by its value, in
    alphabetical order."""
    fault: str | None = None
    """The kind of answer that ended the episode, where its policy is to fail."""
    error: str | None = None
    """Why the episode could not be played to its end although no answer of the model is to blame: an infrastructure
    fault, or a plugin that raised an exception. Such an episode is not scored."""
    permanent: bool = False
    """Whether `error` would end every other episode, too, such as a refused credential; no further task is played."""
    usage: Usage = attrs.Factory(Usage)
    """What all requests cost together; each part is None where nothing was said of it."""

    @property
    def scored(self) -> bool:
        """Whether the episode says anything about the model."""
        return self.error is None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


@attrs.frozen
class SuiteMetrics:
    """How a model fared on a suite. Episodes that ended by an error are counted apart; no rate or mean has them."""

    benchmark_name: str
    model_name: str
    backend: str
    tiling: str
    seed: int | None
    """The seed of all episodes; None means each task's own."""
    task_results: tuple[TaskResult, ...]
    complete: bool = True
    """Whether all tasks of the suite were played; not so after an interruption or a failure."""

    @property
    def num_tasks(self) -> int:
        """The number of tasks played, scored or not."""
        return len(self.task_results)

    @property
    def num_scored(self) -> int:
        """The number of tasks played without an error."""
        return len(self._scored)

    @property
    def num_unscored(self) -> int:
        """The number of tasks whose episode ended by an error."""
        return self.num_tasks - self.num_scored

    @property
    def num_success(self) -> int:
        """The number of scored tasks won."""
        return sum(result.success for result in self._scored)

    @property
    def success_rate(self) -> float:
        """``num_success / num_scored``; 0 when no task was scored."""
        return _mean([result.success for result in self._scored])

    @property
    def success_interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the success rate."""
        return wilson_interval(self.num_success, self.num_scored)

    @property
    def spl(self) -> float | None:
        """Success weighted by path length, of the scored tasks."""
        return success_weighted_path_length(self._scored)

    @property
    def mean_steps(self) -> float:
        """The mean number of steps of the scored tasks."""
        return _mean([result.steps_taken for result in self._scored])

    @property
    def mean_reward(self) -> float:
        """The mean total reward of the scored tasks."""
        return _mean([result.total_reward for result in self._scored])

    @property
    def lost_steps(self) -> int:
        """The steps of all tasks to which there was no usable answer."""
        return sum(result.lost_steps for result in self.task_results)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many requests of all tasks came to what; see `TaskResult.outcomes`."""
        return count_outcomes(result.outcomes for result in self.task_results)

    @property
    def usage(self) -> Usage:
        """What the requests of all tasks cost together."""
        return add_usages(result.usage for result in self.task_results)

    @property
    def _scored(self) -> list[TaskResult]:
        return [result for result in self.task_results if result.scored]

    def tiers(self) -> dict[int, SuiteMetrics]:
        """The same metrics for each difficulty tier, ascending."""
        present = sorted({result.difficulty_tier for result in self.task_results})
        return {tier: attrs.evolve(self, task_results=self._of_tier(tier)) for tier in present}

    def _of_tier(self, tier: int) -> tuple[TaskResult, ...]:
        return tuple(result for result in self.task_results if result.difficulty_tier == tier)

    def summary(self) -> dict[str, Any]:
        """The numbers without the single results."""
        return {
            "num_tasks": self.num_tasks,
            "num_unscored": self.num_unscored,
            "num_success": self.num_success,
            "success_rate": self.success_rate,
            "success_interval": list(self.success_interval),
            "spl": self.spl,
            "mean_steps": self.mean_steps,
            "mean_reward": self.mean_reward,
            "lost_steps": self.lost_steps,
            "outcomes": self.outcomes,
            "usage": attrs.asdict(self.usage),
        }

    def to_dict(self) -> dict[str, Any]:
        """The contents of a results file."""
        return {
            "benchmark_name": self.benchmark_name,
            "model_name": self.model_name,
            "backend": self.backend,
            "tiling": self.tiling,
            "seed": self.seed,
            "complete": self.complete,
            **self.summary(),
            "tiers": {str(tier): metrics.summary() for tier, metrics in self.tiers().items()},
            "task_results": [attrs.asdict(result) for result in self.task_results],
        }
