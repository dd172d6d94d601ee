"""Metrics of a suite, and success curves."""

from statistics import NormalDist
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import Usage
from gridworld.runner.record import EndReason, EpisodeEnd, EpisodeHeader
from multinet_eval.record.suite_metrics import SuiteMetrics, success_curve, success_curves
from multinet_eval.record.task_result import TaskResult, add_usages, optimality_ratio
from multinet_eval.settings.spending import Prices
from multinet_eval.statistics import ESTIMATORS_VERSION
from multinet_eval.statistics.intervals import mean_interval
from support.runs import outcomes

Z = NormalDist().inv_cdf(0.975)
NO_USAGE = attrs.asdict(Usage())


def result(task_id: str = "task", success: bool = True, **changes: Any) -> TaskResult:
    """A success in 20 steps of at most 40, where 10 would do; or a failure that used them all."""
    steps = changes.setdefault("steps_taken", 20 if success else 40)
    best = changes.setdefault("optimal_steps", 10)
    facts: dict[str, Any] = {
        "task_id": task_id,
        "difficulty_tier": 1,
        "seed": 7,
        "mission": "reach the goal",
        "success": success,
        "max_steps": 40,
        "optimality_ratio": optimality_ratio(success, steps, best),
        "total_reward": 0.55 if success else 0.0,
        "terminated": success,
        "truncated": not success,
        "ineffective_steps": 3,
    }
    return TaskResult(**facts | changes)


def suite(*results: TaskResult, seed: int | None = None) -> SuiteMetrics:
    return SuiteMetrics("my_suite", "random", "minigrid", "square", seed, results)


def of_mazes(results: list[TaskResult]) -> SuiteMetrics:
    """A suite of which each result is that of a maze of its own."""
    return suite(*(attrs.evolve(each, task_id=f"task {number}") for number, each in enumerate(results)))


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(2, 5))
def test_equal_epochs_do_not_narrow_the_interval(won: list[bool], epochs: int) -> None:
    played = [result(f"task {number}", success) for number, success in enumerate(won)]
    once, twice, often = (suite(*played * count).success_interval for count in (1, 2, epochs))
    assert often == pytest.approx(once)
    assert twice == pytest.approx(once)
    assert once == pytest.approx(mean_interval([float(each) for each in won]))
    assert suite(*[result(epoch=epoch) for epoch in range(20)]).success_interval == (0, 1)


def test_variants_of_a_maze_count_as_one() -> None:
    """A maze of three variants, of which one is won, and one of a single task: 1/3 and 1."""
    variants = [result(f"a-{number}", number == 0, base="a") for number in range(3)]
    metrics = suite(*variants, result("b", steps_taken=10))
    assert (metrics.num_mazes, metrics.num_scored, metrics.num_success) == (2, 4, 2)
    assert metrics.success_rate == pytest.approx(2 / 3)
    assert metrics.success_interval == pytest.approx(metrics.success.interval)
    assert metrics.spl == pytest.approx((0.5 / 3 + 1) / 2)
    assert metrics.mean_steps == pytest.approx((100 / 3 + 10) / 2)
    assert metrics.budget_share.score == pytest.approx((100 / 120 + 10 / 40) / 2)


def test_spl_and_the_share_of_the_budget_have_intervals() -> None:
    summary = suite(*(result(f"{number}", number < 5) for number in range(8))).summary()
    assert summary["spl_interval"] == list(mean_interval([0.5] * 5 + [0.0] * 3))
    assert summary["budget_share_interval"] == list(mean_interval([0.5] * 5 + [1.0] * 3))


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([result(steps_taken=10)], 1.0),
        ([result(steps_taken=10), result(steps_taken=40)], (1 + 1 / 4) / 2),
        ([result(steps_taken=20), result(success=False)], (1 / 2 + 0) / 2),
        ([result(success=False), result(success=False)], 0.0),
        ([result(steps_taken=20), result(steps_taken=30), result(success=False)], (1 / 2 + 1 / 3 + 0) / 3),
        ([result(steps_taken=40), result(optimal_steps=None), result(success=False, optimal_steps=None)], 1 / 4),
    ],
)
def test_spl_is_the_mean_ratio_with_failures_counting_zero(results: list[TaskResult], expected: float) -> None:
    assert of_mazes(results).spl == pytest.approx(expected)


def test_epochs_have_pass_rates_and_parts_of_the_variance() -> None:
    """Task a is solved in 1 of 2 plays, b in both; an error is no play."""
    won = {"a": (True, False), "b": (True, True)}
    played = [result(name, success, epoch=epoch) for name, plays in won.items() for epoch, success in enumerate(plays)]
    summary = suite(*played, result("b", error="gone", epoch=2)).summary()
    assert [(each["k"], each["mazes"]) for each in summary["pass_rates"]] == [(1, 2), (2, 2)]
    twice = summary["pass_rates"][1]
    assert (twice["pass_at_k"], twice["pass_hat_k"]) == (1, 0.5)
    assert twice["pass_at_k_interval"] == list(mean_interval([1.0, 1.0]))
    assert twice["pass_hat_k_interval"] == list(mean_interval([0.0, 1.0]))
    assert summary["success_variance_between_plays"] == pytest.approx((0.5 + 0) / 2)
    assert summary["success_variance_between_mazes"] == pytest.approx(0.125 - (0.25 + 0) / 2)


def test_the_cost_per_success_is_that_of_all_episodes() -> None:
    usage = Usage(prompt_tokens=1000, completion_tokens=100)
    ended = [result("a", usage=usage), result("b", False, usage=usage), result("c", error="gone", usage=usage)]
    priced = attrs.evolve(suite(*ended), prices=Prices(input=1.0, output=10.0))
    assert priced.cost_per_success == pytest.approx(3 * 0.002)
    assert attrs.evolve(priced, task_results=tuple(ended[1:])).cost_per_success is None
    assert suite(*ended).cost_per_success is None


def test_rated_and_impossible_tasks_are_counted() -> None:
    unsolvable = result("walled", success=False, optimal_steps=None, unsolvable=True)
    unknown = result("large", success=False, optimal_steps=None)
    over_budget = result("long", success=False, optimal_steps=41)
    error = result("broken", success=False, optimal_steps=None, unsolvable=True, error="the server is gone")
    metrics = suite(result("won", steps_taken=10), unsolvable, unknown, over_budget, error)
    assert (metrics.spl, metrics.num_scored, metrics.num_rated) == (0.5, 4, 2)
    assert (metrics.num_unsolvable, metrics.num_over_budget) == (1, 1)
    assert not result(success=False, optimal_steps=40).over_budget


@pytest.mark.parametrize("results", [[], [result(optimal_steps=None)]])
def test_spl_is_unknown_where_no_optimum_is_known(results: list[TaskResult]) -> None:
    assert suite(*results).spl is None
    assert suite(*results).summary()["spl_interval"] is None


def test_a_suite_without_tasks_has_numbers_too() -> None:
    assert suite().summary() == {
        "num_mazes": 0,
        "num_tasks": 0,
        "num_episodes": 0,
        "num_unscored": 0,
        "num_success": 0,
        "success_rate": 0.0,
        "success_interval": [0.0, 1.0],
        "success_bounds": None,
        "success_variance_between_mazes": None,
        "success_variance_between_plays": None,
        "pass_rates": [],
        "spl": None,
        "spl_interval": None,
        "num_rated": 0,
        "num_unsolvable": 0,
        "num_over_budget": 0,
        "mean_steps": 0.0,
        "budget_share": None,
        "budget_share_interval": None,
        "mean_reward": 0.0,
        "mean_answered": 0.0,
        "success_curves": {"actions": [], "answered": [], "completion_tokens": []},
        "lost_steps": 0,
        "outcomes": outcomes(),
        "usage": NO_USAGE,
        "cost": None,
        "cost_per_success": None,
        "cached_requests": 0,
        "left_out": {},
    }


def test_tiers_have_metrics_in_ascending_order() -> None:
    second = [result("c", difficulty_tier=2), result("a", success=False, difficulty_tier=2)]
    tenth, first = result("d", difficulty_tier=10), result("b", success=False, difficulty_tier=1)

    tiers = suite(second[0], tenth, first, second[1], seed=5).tiers()

    assert list(tiers) == [1, 2, 10]
    assert [metrics.task_results for metrics in tiers.values()] == [(first,), tuple(second), (tenth,)]
    assert [metrics.success_rate for metrics in tiers.values()] == [0.0, 0.5, 1.0]
    assert {(metrics.benchmark_name, metrics.seed) for metrics in tiers.values()} == {("my_suite", 5)}


def test_mechanisms_that_always_occur_together_have_one_row() -> None:
    keyed = result("a", mechanisms=("doors", "keys"))
    both = result("b", success=False, mechanisms=("blocks", "doors", "keys"))
    plain = result("c")

    mechanisms = suite(keyed, both, plain).mechanisms()

    assert {name: metrics.task_results for name, metrics in mechanisms.items()} == {
        "blocks": (both,),
        "doors + keys": (keyed, both),
    }


def test_a_results_file_names_the_evaluation_and_its_numbers() -> None:
    metrics = suite(
        result("a", difficulty_tier=3, mechanisms=("keys",)), result("b", success=False, difficulty_tier=1), seed=5
    )

    data = metrics.to_dict()

    task_results, tiers, mechanisms = data.pop("task_results"), data.pop("tiers"), data.pop("mechanisms")
    assert {name: each["num_success"] for name, each in mechanisms.items()} == {"keys": 1}
    assert data == {
        "estimators": ESTIMATORS_VERSION,
        "benchmark_name": "my_suite",
        "suite_hash": None,
        "model_name": "random",
        "backend": "minigrid",
        "tiling": "square",
        "seed": 5,
        "complete": True,
        "adjustments": [],
        **metrics.summary(),
    }
    assert tiers == {str(tier): part.summary() for tier, part in metrics.tiers().items()}
    assert list(tiers) == ["1", "3"]
    assert [each["task_id"] for each in task_results] == ["a", "b"]


def test_the_usage_of_a_suite_adds_the_reported_parts() -> None:
    assert add_usages([None, Usage(prompt_tokens=0), None]) == Usage(prompt_tokens=0)
    first = result("a", usage=Usage(prompt_tokens=10, seconds=0.5))
    second = result("b", usage=Usage(prompt_tokens=5, completion_tokens=7))
    assert suite(first, second).usage == Usage(prompt_tokens=15, completion_tokens=7, seconds=0.5)
    assert suite(result("a"), result("b")).usage == Usage()


def test_episodes_ended_by_errors_are_in_no_rate_or_mean() -> None:
    errors = suite(result("a", error="gone"))
    assert (errors.num_unscored, errors.success_interval, errors.spl) == (1, (0.0, 1.0), None)
    played = [result("a"), result("b", success=False)]
    broken = [
        result("c", success=False, error="infrastructure: no answer", steps_taken=3, optimal_steps=None),
        result("d", success=True, error="backend 'x' failed", outcomes=outcomes(ok=2)),
    ]
    with_errors, without = suite(*played, *broken), suite(*played)

    assert (with_errors.num_tasks, with_errors.num_scored, with_errors.num_unscored) == (4, 2, 2)
    for name in ("num_success", "success_rate", "success_interval", "spl", "mean_steps", "mean_reward"):
        assert getattr(with_errors, name) == getattr(without, name)
    assert with_errors.outcomes["ok"] == 2
    assert [each["error"] for each in with_errors.to_dict()["task_results"]] == [
        None,
        None,
        "infrastructure: no answer",
        "backend 'x' failed",
    ]


LOST = TaskResult.of(EpisodeHeader("t", 1, 0, 100), (), EpisodeEnd(EndReason.BUDGET))


def won(actions: int, requests: int = 1, tokens: int | None = None) -> TaskResult:
    usage = Usage(completion_tokens=tokens)
    return attrs.evolve(LOST, success=True, actions_taken=actions, answered=requests, usage=usage)


def test_the_curve_rises_where_another_task_is_won() -> None:
    results = [won(7, 2), LOST, won(3, 2), won(7, 1), LOST]
    curves = success_curves(results)
    assert curves["actions"] == [(3, 0.2), (7, 0.6)]
    assert curves["answered"] == [(1, 0.2), (2, 0.6)]


def test_unknown_tokens_have_no_curve() -> None:
    assert success_curves([won(1, tokens=5), won(2)])["completion_tokens"] is None
    assert success_curves([won(1, tokens=5), LOST])["completion_tokens"] == [(5, 0.5)]


@given(st.lists(st.none() | st.integers(0, 9), min_size=1))
def test_the_curve_is_the_share_at_no_more_than_each_cost(costs: list[int | None]) -> None:
    results = [LOST if cost is None else won(cost) for cost in costs]
    curve = success_curve(results, lambda result: result.actions_taken)
    assert curve is not None
    for most in range(10):
        share = sum(cost is not None and cost <= most for cost in costs) / len(costs)
        assert max((y for x, y in curve if x <= most), default=0) == pytest.approx(share)
