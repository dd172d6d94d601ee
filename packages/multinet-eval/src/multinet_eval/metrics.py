"""What a run has shown: results of single tasks, and the metrics of a suite."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import attrs

__all__ = ["SuiteMetrics", "TaskResult", "optimality_ratio", "success_weighted_path_length", "wilson_interval"]

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


@attrs.frozen
class TaskResult:
    """How a model fared on one task."""

    task_id: str
    difficulty_tier: int
    seed: int
    mission: str
    success: bool
    steps_taken: int
    max_steps: int
    optimal_steps: int | None
    """The length of a shortest plan; None where the solver finds none."""
    optimality_ratio: float | None
    total_reward: float
    terminated: bool
    truncated: bool
    ineffective_steps: int
    """Steps that changed nothing: bumps, and actions without effect."""


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


@attrs.frozen
class SuiteMetrics:
    """How a model fared on a suite."""

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
        """The number of tasks played."""
        return len(self.task_results)

    @property
    def num_success(self) -> int:
        """The number of tasks won."""
        return sum(result.success for result in self.task_results)

    @property
    def success_rate(self) -> float:
        """``num_success / num_tasks``; 0 when no task was played."""
        return _mean([result.success for result in self.task_results])

    @property
    def success_interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the success rate."""
        return wilson_interval(self.num_success, self.num_tasks)

    @property
    def spl(self) -> float | None:
        """Success weighted by path length."""
        return success_weighted_path_length(self.task_results)

    @property
    def mean_steps(self) -> float:
        """The mean number of steps."""
        return _mean([result.steps_taken for result in self.task_results])

    @property
    def mean_reward(self) -> float:
        """The mean total reward."""
        return _mean([result.total_reward for result in self.task_results])

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
            "num_success": self.num_success,
            "success_rate": self.success_rate,
            "success_interval": list(self.success_interval),
            "spl": self.spl,
            "mean_steps": self.mean_steps,
            "mean_reward": self.mean_reward,
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
