"""Intervals of means hold what they promise, where most values are the same, too."""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.intervals import bounded_mean_interval, median_interval
from support.scores import Pair, solved

DIFFERENCES = st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=40)
RATES = (0.5, 0.7, 0.9, 0.98)
SIMULATIONS = 2000


def interval(values: Sequence[float], low: float = -1, high: float = 1) -> tuple[float, float]:
    ends = bounded_mean_interval(values, low, high)
    return (float(ends[0]), float(ends[1]))


def test_a_worked_example() -> None:
    """With the two bounds there are ten values: the mean is 0.2, s² is (4 - 10 · 0.04) / 9 = 0.4, t(9) is 2.2622."""
    half = 2.2622 * (0.4 / 10) ** 0.5
    assert interval([1, 1, 0, 0, 0, 0, 0, 0]) == pytest.approx((0.2 - half, 0.2 + half), abs=1e-4)


@pytest.mark.parametrize("values", [[], [1.0], [0.0], [-1.0]])
def test_a_single_maze_shows_nothing(values: list[float]) -> None:
    low, high = interval(values)
    assert (low, high) == (-1, 1)


def test_many_mazes_without_a_difference_leave_a_small_one_possible() -> None:
    """Where a plain t interval would have no length."""
    low, high = interval([0.0] * 100)
    assert (low, high) == (-high, pytest.approx(1.98373 * (2 / 101 / 102) ** 0.5, abs=1e-6))


@given(DIFFERENCES)
def test_it_stays_within_the_bounds_and_turns_around_with_the_signs(values: list[float]) -> None:
    low, high = interval(values)
    assert -1 <= low < high <= 1
    assert interval([-each for each in values]) == pytest.approx((-high, -low))
    assert interval(sorted(values)) == pytest.approx((low, high))


def test_rows_are_samples_of_their_own() -> None:
    rows = np.random.default_rng(1).uniform(-1, 1, (5, 8))
    found = np.column_stack(bounded_mean_interval(rows, -1, 1))
    assert found.tolist() == [list(interval(list(row))) for row in rows]


@pytest.mark.more
@pytest.mark.parametrize(("mazes", "epochs"), [(10, 1), (100, 5)])
@pytest.mark.parametrize("rates", list(combinations_with_replacement(RATES, 2)), ids=str)
def test_intervals_of_differences_hold_the_truth_as_often_as_they_say(
    rates: tuple[float, float], mazes: int, epochs: int
) -> None:
    pair, rng = Pair(*rates), np.random.default_rng([mazes, epochs])
    first, second = solved(pair, (SIMULATIONS, mazes), epochs, rng)
    low, high = bounded_mean_interval(first - second, -1, 1)
    truth = pair.first - pair.second
    assert np.mean((low <= truth) & (truth <= high)) >= 0.94


@pytest.mark.parametrize(
    ("size", "depth"), [(6, 1), (8, 1), (9, 2), (10, 2), (15, 4), (20, 6), (50, 18)], ids=lambda each: str(each)
)
def test_the_interval_of_a_median_is_between_published_order_statistics(size: int, depth: int) -> None:
    """Conover, Practical Nonparametric Statistics: the depths of 95 % intervals of the sign test."""
    values = list(range(1, size + 1))
    assert median_interval(values[::-1]) == (depth, size + 1 - depth)


@pytest.mark.parametrize("size", range(6))
def test_fewer_than_six_mazes_have_no_interval_of_their_median(size: int) -> None:
    assert median_interval([float(each) for each in range(size)]) is None


def test_it_holds_the_median_of_skewed_values_at_least_as_often_as_it_says() -> None:
    drawn = np.random.default_rng(5).lognormal(0, 2, (SIMULATIONS, 10))
    found = [median_interval(list(each)) for each in drawn]
    assert np.mean([each is not None and each[0] <= 1 <= each[1] for each in found]) >= 0.95
