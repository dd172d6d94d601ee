"""Intervals of means hold what they promise, where most values are the same, too."""

import sys
from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_pairs import Pair, solved
from multinet_eval.statistics.intervals import (
    LEAST_FOR_BOOTSTRAP,
    bootstrap_interval,
    bounded_mean_interval,
    mean_interval,
)

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


@given(DIFFERENCES)
def test_it_is_the_same_on_every_scale(values: list[float]) -> None:
    low, high = interval(values)
    assert interval([(each + 1) / 2 for each in values], 0, 1) == pytest.approx(((low + 1) / 2, (high + 1) / 2))


def test_rows_are_samples_of_their_own() -> None:
    rows = np.random.default_rng(1).uniform(-1, 1, (5, 8))
    found = np.column_stack(bounded_mean_interval(rows, -1, 1))
    assert found.tolist() == [list(interval(list(row))) for row in rows]


def corrected(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Efron 1987, by hand: with acceleration a and bias z0, the quantiles Φ(z0 + (z0 + z) / (1 - a (z0 + z)))."""
    given, normal = np.array(values), NormalDist()
    drawn = np.random.default_rng(seed).integers(0, len(given), (20_000, len(given)))
    means = np.sort(given[drawn].mean(axis=1))
    bias = normal.inv_cdf(((means < given.mean()).mean() + (means <= given.mean()).mean()) / 2)
    left_out = given.mean() - given  # what the mean gains by leaving each out, times n - 1
    acceleration = float(-(left_out**3).sum() / (6 * (left_out**2).sum() ** 1.5))

    def end(z: float) -> float:
        return float(np.quantile(means, normal.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))))

    return end(normal.inv_cdf(0.025)), end(normal.inv_cdf(0.975))


@pytest.mark.thorough
@pytest.mark.parametrize("skewed", [False, True])
def test_the_bootstrap_is_corrected_for_bias_and_skewness(skewed: bool) -> None:
    rng = np.random.default_rng(3)
    values = list(rng.beta(0.5, 6, 60) if skewed else rng.uniform(-1, 1, 60))
    found = bootstrap_interval(values, seed=5)
    assert found == pytest.approx(corrected(values, seed=6), abs=0.004 if skewed else 0.01)
    plain = interval(values, *((0, 1) if skewed else (-1, 1)))
    assert found == pytest.approx(plain, abs=0.05)


def test_the_bootstrap_is_the_same_for_a_seed_in_every_order() -> None:
    values = list(np.random.default_rng(4).uniform(-1, 1, LEAST_FOR_BOOTSTRAP))
    assert bootstrap_interval(values, 1) == bootstrap_interval(values[::-1], 1) != bootstrap_interval(values, 2)


def test_there_is_no_bootstrap_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    assert bootstrap_interval([0.0, 1.0] * LEAST_FOR_BOOTSTRAP, 0) is None


@pytest.mark.parametrize("values", [[], [0.0, 1.0] * (LEAST_FOR_BOOTSTRAP // 2 - 1), [1.0] * LEAST_FOR_BOOTSTRAP])
def test_there_is_no_bootstrap_of_few_mazes_or_where_all_are_the_same(values: list[float]) -> None:
    assert bootstrap_interval(values, 0) is None


@pytest.mark.thorough
@pytest.mark.parametrize(("mazes", "epochs"), list(product((10, 30, 100, 300), (1, 5))))
@pytest.mark.parametrize("rates", list(combinations_with_replacement(RATES, 2)), ids=str)
def test_intervals_of_differences_hold_the_truth_as_often_as_they_say(
    rates: tuple[float, float], mazes: int, epochs: int
) -> None:
    pair, rng = Pair(*rates), np.random.default_rng([mazes, epochs])
    first, second = solved(pair, (SIMULATIONS, mazes), epochs, rng)
    low, high = bounded_mean_interval(first - second, -1, 1)
    truth = pair.first - pair.second
    assert np.mean((low <= truth) & (truth <= high)) >= 0.94


def test_the_interval_of_a_mean_without_bounds_is_students() -> None:
    """Of 1 to 5 the mean is 3, s² is 2.5, t(4) is 2.7764."""
    half = 2.7764 * (2.5 / 5) ** 0.5
    assert mean_interval([4, 1, 5, 2, 3]) == pytest.approx((3 - half, 3 + half), abs=0.01)


def test_it_is_cut_off_where_no_mean_can_be() -> None:
    """Of 0, 0, 0 and 8 the mean is 2, s² is 16, t(3) is 3.1824: it would begin at -4.36."""
    counts = [0, 0, 0, 8]
    assert mean_interval(counts) == pytest.approx((2 - 6.3648, 2 + 6.3648), abs=0.05)
    assert mean_interval(counts, low=0) == pytest.approx((0, 2 + 6.3648), abs=0.05)
    assert mean_interval([-each for each in counts], high=0) == pytest.approx((-2 - 6.3648, 0), abs=0.05)
    assert mean_interval([4, 1, 5, 2, 3], low=0, high=5) == mean_interval([4, 1, 5, 2, 3])


@pytest.mark.parametrize("values", [[], [2.0], [2.0, 2.0, 2.0]])
def test_it_is_not_defined_for_one_maze_and_where_all_agree(values: list[float]) -> None:
    assert mean_interval(values) is None
