"""`SuiteMetrics`: the results of a model on a suite, computed from the results of its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs

from gridworld.model_interface import Adjustment, Usage
from multinet_eval.record.task_result import TaskResult, add_counts, add_usages, count_outcomes
from multinet_eval.settings.spending import Prices
from multinet_eval.statistics import ESTIMATORS_VERSION
from multinet_eval.statistics.clusters import Observation, average, cluster_means
from multinet_eval.statistics.paired_differences import Estimate, estimate_score
from multinet_eval.statistics.repeated_plays import PassRates, VarianceParts, pass_rates, variance_parts

Curve = list[tuple[int, float]]
"""Points (cost, share) of a step function: the share of scored episodes, in [0, 1], won at this cost or less.

The share is 0 before the first point.
"""
COSTS: dict[str, Callable[[TaskResult], int | None]] = {
    "actions": lambda result: result.actions_taken,
    "answered": lambda result: result.answered,
    "completion_tokens": lambda result: result.usage.completion_tokens,
}


def observations_of(
    results: Iterable[TaskResult], score: Callable[[TaskResult], float | None] = lambda result: float(result.success)
) -> list[Observation]:
    """Convert results to observations by base maze, task and tiling; by default 1 for a success, 0 otherwise.

    An unscored result is a missing observation; a scored result whose score is None is ignored.
    """
    scores = ((result, score(result) if result.scored else None) for result in results)
    return [
        Observation(result.maze, (result.task_id, result.tiling), known)
        for result, known in scores
        if known is not None or not result.scored
    ]


def _spl(result: TaskResult) -> float | None:
    return result.spl


def _share_of_budget(result: TaskResult) -> float:
    return min(1.0, result.steps_taken / result.max_steps)


def success_curves(results: Iterable[TaskResult]) -> dict[str, Curve | None]:
    """Compute `success_curve` for every kind of cost, since a single kind would favour some protocols."""
    scored = list(results)
    return {name: success_curve(scored, cost) for name, cost in COSTS.items()}


def success_curve(results: Sequence[TaskResult], cost: Callable[[TaskResult], int | None]) -> Curve | None:
    """Compute the curve of scored results; None if the cost of a success is unknown."""
    costs = [cost(result) for result in results if result.success]
    known = sorted(each for each in costs if each is not None)
    if len(known) < len(costs):
        return None
    won = {each: number for number, each in enumerate(known, start=1)}
    return [(each, number / len(results)) for each, number in won.items()]


def mechanism_groups(tasks: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Group mechanisms that occur in the same tasks, sorted.

    Args:
        tasks: the types of mechanisms of each task.
    """
    places: dict[str, list[int]] = {}
    for number, mechanisms in enumerate(tasks):
        for name in mechanisms:
            places.setdefault(name, []).append(number)
    alike: dict[tuple[int, ...], list[str]] = {}
    for name in sorted(places):
        alike.setdefault(tuple(places[name]), []).append(name)
    return list(map(tuple, alike.values()))


@attrs.frozen
class UnplayedEpisode:
    """A planned episode that has not ended, for instance because the budget of the run was used up."""

    task_id: str
    tiling: str | None
    maze: str
    """Base maze of the task."""
    difficulty_tier: int | None
    """Tier of the task; None if the task cannot be read."""
    mechanisms: tuple[str, ...]
    """Types of mechanisms that the task has, sorted; empty if unknown."""


@attrs.frozen
class SuiteMetrics:
    """Results of a model on a suite.

    Rates and means are taken over base mazes: within a maze, first over the epochs of a task on a tiling, then over its
    tasks and tilings. Episodes that ended with an error are counted separately and excluded from rates and means.
    """

    benchmark_name: str
    model_name: str
    backend: str
    tiling: str | None
    """Name of the tiling; None for a backend without tilings."""
    seed: int | None
    """Seed of all episodes; None for each task's own."""
    task_results: tuple[TaskResult, ...]
    complete: bool = True
    """Whether all tasks of the suite were played, without an interruption or a failure."""
    adjustments: tuple[Adjustment, ...] = ()
    """Deviations of the model from its settings, because its server rejects parts of requests."""
    suite_hash: str | None = None
    """Hash of the suite's tasks, which distinguishes suites with the same name; None if unknown."""
    prices: Prices | None = None
    """Prices of the model's tokens, if known."""
    unplayed: tuple[UnplayedEpisode, ...] = ()
    """Planned episodes that have not ended, which only widen `success_bounds`."""

    @property
    def num_tasks(self) -> int:
        """Number of tasks with an episode that has ended, scored or not."""
        return len({result.task_id for result in self.task_results})

    @property
    def num_episodes(self) -> int:
        """Number of episodes that have ended, scored or not: a task may have several epochs and tilings."""
        return len(self.task_results)

    @property
    def num_scored(self) -> int:
        """Number of episodes that ended without an error."""
        return len(self._scored)

    @property
    def num_unscored(self) -> int:
        """Number of episodes that ended with an error."""
        return self.num_episodes - self.num_scored

    @property
    def num_success(self) -> int:
        """Number of scored episodes won."""
        return sum(result.success for result in self._scored)

    @property
    def num_mazes(self) -> int:
        """Number of base mazes with a scored episode."""
        return len({result.maze for result in self._scored})

    @property
    def success(self) -> Estimate:
        """Success rate with its interval (`estimate_score`), as in comparisons and leaderboards."""
        unplayed = [Observation(each.maze, (each.task_id, each.tiling), None) for each in self.unplayed]
        return estimate_score([*observations_of(self.task_results), *unplayed])

    @property
    def success_rate(self) -> float:
        """Success rate: mean over base mazes; 0 if no episode was scored."""
        return self.success.score or 0.0

    @property
    def success_interval(self) -> tuple[float, float]:
        """95 % interval of the success rate."""
        return self.success.interval

    @property
    def success_bounds(self) -> tuple[float, float] | None:
        """Success rate if all missing episodes were lost, and if they were won; None if no episode is missing.

        Missing are episodes that have not ended, and those that ended with an error.
        """
        success = self.success
        return success.bounds if success.missing else None

    @property
    def pass_rates(self) -> list[PassRates]:
        """Chances that any, and that all, of k plays are solved (pass@k, pass^k); empty if no task was played twice."""
        return pass_rates(observations_of(self.task_results))

    @property
    def success_variance(self) -> VarianceParts:
        """Variance of success between base mazes, and between plays of the same task on the same tiling."""
        return variance_parts(observations_of(self.task_results))

    @property
    def spl_estimate(self) -> Estimate:
        """SPL (Anderson et al. 2018) with its interval (`estimate_score`): the mean optimality ratio, 0 for a failure.

        Tasks without a known optimum are ignored.
        """
        return estimate_score(observations_of(self.task_results, _spl))

    @property
    def spl(self) -> float | None:
        """Success weighted by path length, over the `num_rated` scored episodes with a known optimum."""
        return self.spl_estimate.score

    @property
    def budget_share(self) -> Estimate:
        """Mean share of the step budget used, with its interval (`estimate_score`)."""
        return estimate_score(observations_of(self.task_results, _share_of_budget))

    @property
    def num_rated(self) -> int:
        """Number of scored episodes that `spl` covers."""
        return sum(result.spl is not None for result in self._scored)

    @property
    def num_unsolvable(self) -> int:
        """Number of scored episodes of tasks that are proven to have no plan."""
        return sum(result.unsolvable for result in self._scored)

    @property
    def num_over_budget(self) -> int:
        """Number of scored episodes whose shortest plan is longer than their budget, so that success is impossible."""
        return sum(result.over_budget for result in self._scored)

    @property
    def mean_steps(self) -> float:
        """Mean number of steps."""
        return self._mean(lambda result: result.steps_taken)

    @property
    def mean_reward(self) -> float:
        """Mean total reward."""
        return self._mean(lambda result: result.total_reward)

    @property
    def mean_answered(self) -> float:
        """Mean number of answers."""
        return self._mean(lambda result: result.answered)

    @property
    def success_curves(self) -> dict[str, Curve | None]:
        """Share of scored episodes won as a function of actions, answers or output tokens."""
        return success_curves(self._scored)

    @property
    def lost_steps(self) -> int:
        """Number of steps without a usable answer, over all episodes."""
        return sum(result.lost_steps for result in self.task_results)

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of answers by outcome, over all episodes; see `TaskResult.outcomes`."""
        return count_outcomes(result.outcomes for result in self.task_results)

    @property
    def usage(self) -> Usage:
        """Total usage of the requests behind the results."""
        return add_usages(result.usage for result in self.task_results)

    @property
    def cost(self) -> float | None:
        """Price of the tokens of `usage`; None without prices."""
        return None if self.prices is None else self.prices.cost_of(self.usage)

    @property
    def cost_per_success(self) -> float | None:
        """`cost`, failures and errors included, divided by `num_success`; None without prices or without a success."""
        return self.cost / self.num_success if self.cost is not None and self.num_success else None

    @property
    def cached_requests(self) -> int:
        """Number of requests answered from a cache, over all episodes."""
        return sum(result.cached_requests for result in self.task_results)

    @property
    def left_out(self) -> dict[str, int]:
        """Number of requests by omitted part, over all episodes; see `TaskResult.left_out`."""
        return add_counts(result.left_out for result in self.task_results)

    @property
    def _scored(self) -> list[TaskResult]:
        return [result for result in self.task_results if result.scored]

    def _mean(self, value: Callable[[TaskResult], float]) -> float:
        """Return the mean of a value over base mazes; 0 if no episode was scored."""
        means = cluster_means(observations_of(self.task_results, value))
        return average(means.values()) if means else 0.0

    def tiers(self) -> dict[int, SuiteMetrics]:
        """Compute the metrics of each difficulty tier with a result, ascending."""
        return dict(sorted(self._parts(lambda each: (each.difficulty_tier,)).items()))

    def mechanisms(self) -> dict[str, SuiteMetrics]:
        """Compute the metrics of the tasks with each mechanism, by name; those that always occur together are one."""
        planned = {each.task_id: each.mechanisms for each in self.unplayed}
        planned |= {each.task_id: each.mechanisms for each in self.task_results}
        parts = self._parts(lambda each: each.mechanisms)
        groups = mechanism_groups(planned.values())
        return {" + ".join(names): parts[names[0]] for names in groups if names[0] in parts}

    def _parts(self, parts_of: Callable[[TaskResult | UnplayedEpisode], Iterable[Any]]) -> dict[Any, SuiteMetrics]:
        """Compute the metrics of each part of the episodes with a result; an episode may be in several."""
        ended: dict[Any, list[TaskResult]] = {}
        left: dict[Any, list[UnplayedEpisode]] = {}
        for result in self.task_results:
            for part in parts_of(result):
                ended.setdefault(part, []).append(result)
        for episode in self.unplayed:
            for part in parts_of(episode):
                left.setdefault(part, []).append(episode)
        return {
            part: attrs.evolve(self, task_results=tuple(results), unplayed=tuple(left.get(part, ())))
            for part, results in ended.items()
        }

    def summary(self) -> dict[str, Any]:
        """Make the contents of a results file without the results of tasks."""
        success, spl, budget, bounds = self.success, self.spl_estimate, self.budget_share, self.success_bounds
        variance = self.success_variance
        return {
            "num_mazes": self.num_mazes,
            "num_tasks": self.num_tasks,
            "num_episodes": self.num_episodes,
            "num_unscored": self.num_unscored,
            "num_success": self.num_success,
            "success_rate": self.success_rate,
            "success_interval": list(success.interval),
            "success_bounds": None if bounds is None else list(bounds),
            "success_variance_between_mazes": variance.between_mazes,
            "success_variance_between_plays": variance.between_plays,
            "pass_rates": [each.to_dict() for each in self.pass_rates],
            "spl": spl.score,
            "spl_interval": None if spl.score is None else list(spl.interval),
            "num_rated": self.num_rated,
            "num_unsolvable": self.num_unsolvable,
            "num_over_budget": self.num_over_budget,
            "mean_steps": self.mean_steps,
            "budget_share": budget.score,
            "budget_share_interval": None if budget.score is None else list(budget.interval),
            "mean_reward": self.mean_reward,
            "mean_answered": self.mean_answered,
            "success_curves": {
                name: None if curve is None else list(map(list, curve)) for name, curve in self.success_curves.items()
            },
            "lost_steps": self.lost_steps,
            "outcomes": self.outcomes,
            "usage": attrs.asdict(self.usage),
            "cost": self.cost,
            "cost_per_success": self.cost_per_success,
            "cached_requests": self.cached_requests,
            "left_out": self.left_out,
        }

    def to_dict(self) -> dict[str, Any]:
        """Make the contents of a results file."""
        return {
            "estimators": ESTIMATORS_VERSION,
            "benchmark_name": self.benchmark_name,
            "suite_hash": self.suite_hash,
            "model_name": self.model_name,
            "backend": self.backend,
            "tiling": self.tiling,
            "seed": self.seed,
            "complete": self.complete,
            "adjustments": [attrs.asdict(adjustment) for adjustment in self.adjustments],
            **self.summary(),
            "tiers": {str(tier): metrics.summary() for tier, metrics in self.tiers().items()},
            "mechanisms": {name: metrics.summary() for name, metrics in self.mechanisms().items()},
            "task_results": [result.to_dict() for result in self.task_results],
        }


@attrs.frozen
class TilingComparison:
    """Results of a model on a suite, by tiling."""

    runs: tuple[SuiteMetrics, ...]
    """Metrics of each tiling that was played, at least one."""
    tilings: tuple[str, ...]
    """Names of all tilings of the run."""

    @property
    def complete(self) -> bool:
        """Whether all tasks were played on all tilings, without an interruption or a failure."""
        return len(self.runs) == len(self.tilings) and all(run.complete for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Make the contents of a results file: the metrics of each tiling under ``tilings``."""
        first = self.runs[0]
        return {
            "estimators": ESTIMATORS_VERSION,
            "benchmark_name": first.benchmark_name,
            "model_name": first.model_name,
            "complete": self.complete,
            "tilings": {run.tiling: run.to_dict() for run in self.runs},
        }
