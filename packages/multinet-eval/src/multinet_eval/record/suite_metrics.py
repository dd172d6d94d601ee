"""`SuiteMetrics`: how a model fared on a suite, as a fold over the results of its tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs

from gridworld.model_interface import Adjustment, Usage
from gridworld.suites import Skipped
from multinet_eval.record.task_result import TaskResult, add_counts, add_usages, count_outcomes
from multinet_eval.settings.spending import Prices
from multinet_eval.statistics.clusters import average
from multinet_eval.statistics.intervals import clustered_interval

Curve = list[tuple[int, float]]
"""Points (cost, share) of a step function, at which it rises: the share, in [0, 1], of the scored tasks that are won at
no more than the cost. It is 0 before the first point."""


COSTS: dict[str, Callable[[TaskResult], int | None]] = {
    "actions": lambda result: result.actions_taken,
    "requests": lambda result: result.requests_answered,
    "completion_tokens": lambda result: result.usage.completion_tokens,
}


def success_weighted_path_length(results: Sequence[TaskResult]) -> float | None:
    """SPL (Anderson et al. 2018): the mean of the optimality ratio, a failure counting 0.

    Tasks without a known optimum are left out; None when that leaves none.
    """
    rated = [spl for result in results if (spl := result.spl) is not None]
    return average(rated) if rated else None


def success_curves(results: Iterable[TaskResult]) -> dict[str, Curve | None]:
    """Curve of scored results for each cost, since one budget alone favours a protocol; None as in `success_curve`."""
    scored = list(results)
    return {name: success_curve(scored, cost) for name, cost in COSTS.items()}


def success_curve(results: Sequence[TaskResult], cost: Callable[[TaskResult], int | None]) -> Curve | None:
    """Curve of scored results; None where the cost of a success is not known."""
    costs = [cost(result) for result in results if result.success]
    known = sorted(each for each in costs if each is not None)
    if len(known) < len(costs):
        return None
    won = {each: number for number, each in enumerate(known, start=1)}
    return [(each, number / len(results)) for each, number in won.items()]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


@attrs.frozen
class SuiteMetrics:
    """How a model fared on a suite. Episodes that ended by an error are counted apart; no rate or mean has them."""

    benchmark_name: str
    model_name: str
    backend: str
    tiling: str | None
    """Name of the tiling; None for a backend without tilings."""
    seed: int | None
    """Seed of all episodes; None for each task's own."""
    task_results: tuple[TaskResult, ...]
    complete: bool = True
    """Whether all tasks of the suite were played; not so after an interruption or a failure."""
    adjustments: tuple[Adjustment, ...] = ()
    """Deviations of the model from its settings, because its server refuses them."""
    suite_hash: str | None = None
    """Hash of the suite's tasks, which tells suites of one name apart; None where it was not taken."""
    skipped: tuple[Skipped, ...] = ()
    """Files of the suite's folder that hold no valid task."""
    prices: Prices | None = None
    """Prices of the model's tokens, if known."""

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
        """The 95 % interval of the success rate.

        Epochs and tilings of one task are a cluster (`clustered_interval`), since they tell the same story again. For
        tasks played once each it is Wilson's.
        """
        by_task: dict[str, list[bool]] = {}
        for result in self._scored:
            by_task.setdefault(result.task_id, []).append(result.success)
        return clustered_interval((sum(won), len(won)) for won in by_task.values())

    @property
    def spl(self) -> float | None:
        """Success weighted by path length, of the `num_rated` scored tasks with a known optimum."""
        return success_weighted_path_length(self._scored)

    @property
    def num_rated(self) -> int:
        """The number of scored tasks that `spl` is the mean of."""
        return sum(result.spl is not None for result in self._scored)

    @property
    def num_unsolvable(self) -> int:
        """The number of scored tasks that are proven to have no plan."""
        return sum(result.unsolvable for result in self._scored)

    @property
    def num_over_budget(self) -> int:
        """The number of scored tasks whose shortest plan is longer than their budget, so that nobody can win them."""
        return sum(result.over_budget for result in self._scored)

    @property
    def mean_steps(self) -> float:
        """The mean number of steps of the scored tasks."""
        return _mean([result.steps_taken for result in self._scored])

    @property
    def mean_reward(self) -> float:
        """The mean total reward of the scored tasks."""
        return _mean([result.total_reward for result in self._scored])

    @property
    def mean_requests(self) -> float:
        """The mean number of requests that were answered in the scored tasks."""
        return _mean([result.requests_answered for result in self._scored])

    @property
    def success_curves(self) -> dict[str, Curve | None]:
        """The share of the scored tasks that is won at no more than so many actions, requests or output tokens."""
        return success_curves(self._scored)

    @property
    def lost_steps(self) -> int:
        """The steps of all tasks to which there was no usable answer."""
        return sum(result.lost_steps for result in self.task_results)

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of requests of all tasks by outcome; see `TaskResult.outcomes`."""
        return count_outcomes(result.outcomes for result in self.task_results)

    @property
    def usage(self) -> Usage:
        """Total cost of the requests of all tasks."""
        return add_usages(result.usage for result in self.task_results)

    @property
    def cost(self) -> float | None:
        """Price of the tokens of `usage`; None without prices."""
        return None if self.prices is None else self.prices.cost_of(self.usage)

    @property
    def cached_requests(self) -> int:
        """The requests of all tasks that were answered from a cache, and cost nothing."""
        return sum(result.cached_requests for result in self.task_results)

    @property
    def left_out(self) -> dict[str, int]:
        """Number of requests of all tasks by the part they left out; see `TaskResult.left_out`."""
        return add_counts(result.left_out for result in self.task_results)

    @property
    def _scored(self) -> list[TaskResult]:
        return [result for result in self.task_results if result.scored]

    def tiers(self) -> dict[int, SuiteMetrics]:
        """Metrics of each difficulty tier, ascending."""
        by_tier: dict[int, list[TaskResult]] = {}
        for result in self.task_results:
            by_tier.setdefault(result.difficulty_tier, []).append(result)
        return {tier: attrs.evolve(self, task_results=tuple(by_tier[tier])) for tier in sorted(by_tier)}

    def summary(self) -> dict[str, Any]:
        """The numbers without the single results."""
        return {
            "num_tasks": self.num_tasks,
            "num_unscored": self.num_unscored,
            "num_success": self.num_success,
            "success_rate": self.success_rate,
            "success_interval": list(self.success_interval),
            "spl": self.spl,
            "num_rated": self.num_rated,
            "num_unsolvable": self.num_unsolvable,
            "num_over_budget": self.num_over_budget,
            "mean_steps": self.mean_steps,
            "mean_reward": self.mean_reward,
            "mean_requests": self.mean_requests,
            "success_curves": {
                name: None if curve is None else list(map(list, curve)) for name, curve in self.success_curves.items()
            },
            "lost_steps": self.lost_steps,
            "outcomes": self.outcomes,
            "usage": attrs.asdict(self.usage),
            "cost": self.cost,
            "cached_requests": self.cached_requests,
            "left_out": self.left_out,
        }

    def to_dict(self) -> dict[str, Any]:
        """The contents of a results file."""
        return {
            "benchmark_name": self.benchmark_name,
            "suite_hash": self.suite_hash,
            "model_name": self.model_name,
            "backend": self.backend,
            "tiling": self.tiling,
            "seed": self.seed,
            "complete": self.complete,
            "adjustments": [attrs.asdict(adjustment) for adjustment in self.adjustments],
            "num_skipped": len(self.skipped),
            "skipped": [each.to_dict() for each in self.skipped],
            **self.summary(),
            "tiers": {str(tier): metrics.summary() for tier, metrics in self.tiers().items()},
            "task_results": [result.to_dict() for result in self.task_results],
        }


@attrs.frozen
class TilingComparison:
    """How one model fared on one suite, tiling by tiling."""

    runs: tuple[SuiteMetrics, ...]
    """Metrics of each tiling that was played, at least one."""
    tilings: tuple[str, ...]
    """All tilings that were asked for."""

    @property
    def complete(self) -> bool:
        """Whether all tasks were played on all tilings; not so after an interruption or a failure."""
        return len(self.runs) == len(self.tilings) and all(run.complete for run in self.runs)

    @property
    def lost_steps(self) -> int:
        """The steps on all tilings to which there was no usable answer."""
        return sum(run.lost_steps for run in self.runs)

    @property
    def num_unscored(self) -> int:
        """The number of episodes on all tilings that ended by an error."""
        return sum(run.num_unscored for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """The contents of a results file: under ``tilings``, the metrics of each by its name."""
        first = self.runs[0]
        return {
            "benchmark_name": first.benchmark_name,
            "model_name": first.model_name,
            "complete": self.complete,
            "tilings": {run.tiling: run.to_dict() for run in self.runs},
        }
