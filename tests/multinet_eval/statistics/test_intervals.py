"""Intervals of rates, of which several plays belong to one maze, and quantiles of Student's distribution."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.intervals import mean_interval, student_quantile
from support.scores import Pair, solved

EPOCHS = 5
WON = st.lists(st.integers(0, EPOCHS), min_size=1, max_size=20)


def interval(won: list[int]) -> tuple[float, float]:
    """The interval of the rate of mazes of which so many epochs are won."""
    return mean_interval([each / EPOCHS for each in won])


@pytest.mark.parametrize(
    ("freedom", "published"),
    [(1, (12.706, 1.376)), (2, (4.303, 1.061)), (3, (3.182, 0.978)), (10, (2.228, 0.879)), (30, (2.042, 0.854))],
)
def test_quantiles_are_those_of_published_tables(freedom: int, published: tuple[float, float]) -> None:
    found = (student_quantile(freedom), student_quantile(freedom, 0.8))
    assert found == pytest.approx(published, abs=0.0006)
    assert student_quantile(freedom, 0.2) == pytest.approx(-found[1])


@pytest.mark.parametrize("freedom", [1, 1.05, 1.5, 2, 2.7, 4.2, 25, 600])
@pytest.mark.parametrize("probability", [0.6, 0.8, 0.975, 0.9995])
def test_quantiles_leave_the_rest_of_the_density_above_them(freedom: float, probability: float) -> None:
    """By Simpson's rule for the density from 0 to the quantile, which makes up for the half below 0."""
    end = student_quantile(freedom, probability)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    points = np.linspace(0, math.asinh(end), 20_001)  # t = sinh(u), as the tails are long
    density = scale * (1 + np.sinh(points) ** 2 / freedom) ** (-(freedom + 1) / 2) * np.cosh(points)
    weights = np.tile([2.0, 4.0], 10_001)[: len(points)]
    weights[[0, -1]] = 1
    assert float(weights @ density) * points[1] / 3 == pytest.approx(probability - 0.5, abs=1e-9)


def test_eight_mazes_that_are_always_won_leave_a_third_possible_and_one_play_more_or_less_changes_little() -> None:
    """With one maze at 0 and one at 1, the mean is 0.9, s² is 0.9 / 9 = 0.1, and t(9) is 2.2622."""
    assert mean_interval([1.0] * 8) == pytest.approx((0.9 - 2.2622 * 0.1, 1), abs=1e-5)
    assert mean_interval([1.0] * 7 + [11 / 12])[0] == pytest.approx(0.9 - 2.2622 * 0.1, abs=0.01)


def test_one_maze_tells_nothing_of_others() -> None:
    assert mean_interval([]) == mean_interval([1.0]) == mean_interval([0.6]) == (0, 1)


@given(WON)
def test_it_is_around_the_rate_and_turns_around_with_success_and_failure(won: list[int]) -> None:
    low, high = interval(won)
    rate = sum(won) / EPOCHS / len(won)
    assert 0 <= low <= rate + 1e-12
    assert rate - 1e-12 <= high <= 1
    assert interval([EPOCHS - each for each in won]) == pytest.approx((1 - high, 1 - low))
    assert interval(won[::-1]) == pytest.approx((low, high))


def held(rate: float, mazes: int, epochs: int, suites: int) -> float:
    """How often the interval holds the true rate, in simulated suites."""
    won, _ = solved(Pair(rate, rate), (suites, mazes), epochs, np.random.default_rng([mazes, epochs]))
    intervals = [mean_interval(list(suite)) for suite in won]
    return float(np.mean([low <= rate <= high for low, high in intervals]))


@pytest.mark.parametrize(("rate", "mazes", "epochs"), [(0.5, 30, 2), (0.9, 10, 5)])
def test_it_holds_the_truth_about_as_often_as_it_says(rate: float, mazes: int, epochs: int) -> None:
    assert held(rate, mazes, epochs, suites=1000) >= 0.92
