"""Success against what it costs."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import Usage
from gridworld.runner.record import EndReason, EpisodeEnd, EpisodeHeader
from multinet_eval.record.suite_metrics import success_curve, success_curves
from multinet_eval.record.task_result import TaskResult

LOST = TaskResult.of(EpisodeHeader("t", 1, 0, 100), (), EpisodeEnd(EndReason.BUDGET))


def won(actions: int, requests: int = 1, tokens: int | None = None) -> TaskResult:
    usage = Usage(completion_tokens=tokens)
    return attrs.evolve(LOST, success=True, actions_taken=actions, requests_answered=requests, usage=usage)


def test_the_curve_rises_where_another_task_is_won() -> None:
    results = [won(7, 2), LOST, won(3, 2), won(7, 1), LOST]
    curves = success_curves(results)
    assert curves["actions"] == [(3, 0.2), (7, 0.6)]
    assert curves["requests"] == [(1, 0.2), (2, 0.6)]


def test_nothing_is_said_of_tokens_that_are_not_known() -> None:
    assert success_curves([won(1, tokens=5), won(2)])["completion_tokens"] is None
    assert success_curves([won(1, tokens=5), LOST])["completion_tokens"] == [(5, 0.5)]


@pytest.mark.parametrize("results", [[], [LOST], [LOST, LOST]])
def test_without_success_a_curve_has_no_points(results: list[TaskResult]) -> None:
    assert list(success_curves(results).values()) == [[]] * 3


@given(st.lists(st.none() | st.integers(0, 9), min_size=1))
def test_at_each_cost_the_curve_is_the_share_that_cost_no_more(costs: list[int | None]) -> None:
    results = [LOST if cost is None else won(cost) for cost in costs]
    curve = success_curve(results, lambda result: result.actions_taken)
    assert curve is not None
    for most in range(10):
        share = sum(cost is not None and cost <= most for cost in costs) / len(costs)
        assert max((y for x, y in curve if x <= most), default=0) == pytest.approx(share)
