"""Intervals of rates of which several belong to one maze. Those of single episodes are in `test_metrics`."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.scores.intervals import clustered_rate_interval, effective_size, wilson_interval

EPOCHS = 4
RATES = st.lists(st.integers(0, EPOCHS).map(lambda won: won / EPOCHS), min_size=1, max_size=20)


def test_without_repetitions_it_is_the_interval_of_wilson() -> None:
    for rates in ([1.0] * 7 + [0.0] * 3, [1.0] * 10, [0.0] * 10, [1.0], [0.0]):
        assert clustered_rate_interval(rates, len(rates)) == wilson_interval(sum(rates), len(rates))


def test_of_no_maze_nothing_is_known() -> None:
    assert clustered_rate_interval([], 0) == (0, 1)


def test_a_worked_example() -> None:
    """Four mazes of five episodes: s² = 0.02 and p (1 - p) = 0.24, so the design effect is (0.02 / 4) / (0.24 / 20)."""
    rates = [0.2, 0.4, 0.4, 0.6]
    variance = np.var(rates, ddof=1)
    assert variance == pytest.approx(0.08 / 3)
    effect = (variance / 4) / (0.24 / 20)
    assert effect < 1  # they scatter less than independent episodes would: it is taken to be 1
    assert effective_size(rates, 20) == 20
    wide = [0.0, 0.2, 0.6, 0.8]
    assert effective_size(wide, 20) == pytest.approx(4 * 0.24 / np.var(wide, ddof=1))
    assert clustered_rate_interval(wide, 20) == wilson_interval(
        0.4 * effective_size(wide, 20), effective_size(wide, 20)
    )


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_where_all_is_won_or_all_is_lost_repetitions_add_nothing(rate: float) -> None:
    assert effective_size([rate] * 6, 30) == 6


@given(RATES)
def test_the_size_is_between_the_number_of_mazes_and_that_of_episodes(rates: list[float]) -> None:
    size = effective_size(rates, EPOCHS * len(rates))
    assert len(rates) <= size <= EPOCHS * len(rates)
    low, high = clustered_rate_interval(rates, EPOCHS * len(rates))
    assert 0 <= low <= math.fsum(rates) / len(rates) + 1e-12
    assert math.fsum(rates) / len(rates) - 1e-12 <= high <= 1


@given(RATES)
def test_wins_and_losses_are_alike_and_the_order_does_not_matter(rates: list[float]) -> None:
    episodes = EPOCHS * len(rates)
    low, high = clustered_rate_interval(rates, episodes)
    assert clustered_rate_interval([1 - rate for rate in rates], episodes) == pytest.approx((1 - high, 1 - low))
    assert clustered_rate_interval(rates[::-1], episodes) == pytest.approx((low, high))
