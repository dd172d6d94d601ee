"""Intervals of rates of which several belong to one maze. Those of single episodes are in `test_suite_metrics`."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.intervals import (
    ClusteredShare,
    clustered_interval,
    effective_interval,
    student_quantile,
    wilson_interval,
)
from support.scores import Pair, solved

EPOCHS = 5
Z = 1.959963984540054
WON = st.lists(st.integers(0, EPOCHS), min_size=2, max_size=20)


def interval(won: list[int]) -> tuple[float, float]:
    """The interval of the rate of mazes of which so many epochs are won."""
    return clustered_interval((each, EPOCHS) for each in won)


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


def test_a_worked_example() -> None:
    """Four mazes with rates of 0, 0.2, 0.6 and 0.8, each played 5 times: 20 trials with a share of 0.4.

    The variance of the share is 0.1 / 4 · 4 / 3 = 0.0333, that of 20 independent trials 0.24 / 19: a design effect of
    2.639, so that they are worth 7.579 trials; with t(6.579) = 2.3954 and t(3) = 3.1824 that is 4.294.
    """
    assert interval([0, 1, 3, 4]) == pytest.approx(wilson_interval_of(0.4, 4.294, Z), abs=5e-4)
    found = ClusteredShare.of_rates([0, 0.2, 0.6, 0.8], [EPOCHS] * 4)
    assert found.design_effect == pytest.approx(2.6389, abs=5e-5)
    assert effective_interval(found) == pytest.approx(interval([0, 1, 3, 4]))


def wilson_interval_of(share: float, trials: float, z: float) -> tuple[float, float]:
    """The rates that are just z of their standard errors away from the share: (p - share)² = z² p (1 - p) / trials."""
    a, b, c = 1 + z * z / trials, -(2 * share + z * z / trials), share * share
    root = math.sqrt(b * b - 4 * a * c)
    return ((-b - root) / (2 * a), (-b + root) / (2 * a))


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(2, 20))
def test_of_single_plays_it_is_wilsons_and_playing_again_with_the_same_result_adds_nothing(
    won: list[bool], epochs: int
) -> None:
    wilson = wilson_interval(sum(won), len(won))
    assert clustered_interval((float(each), 1.0) for each in won) == pytest.approx(wilson, abs=1e-12)
    assert clustered_interval((float(epochs * each), epochs) for each in won) == pytest.approx(wilson, abs=1e-12)


@given(WON)
def test_it_lies_between_that_of_as_many_trials_as_mazes_and_that_of_as_many_as_plays(won: list[int]) -> None:
    share, ends = sum(won) / EPOCHS / len(won), interval(won)
    widest, narrowest = (wilson_interval_of(share, trials, Z) for trials in (len(won), EPOCHS * len(won)))
    assert widest[0] - 1e-9 <= ends[0] <= narrowest[0] + 1e-9
    assert narrowest[1] - 1e-9 <= ends[1] <= widest[1] + 1e-9


@pytest.mark.parametrize("share", [1 / 3, 0.2, 0.4])
def test_mazes_that_are_won_equally_often_are_worth_no_more_trials_than_were_played(share: float) -> None:
    """Thirds and fifths are not exact: what is left of their differences is not taken for agreement beyond doubt."""
    assert clustered_interval([(share, 1.0)] * 7) == pytest.approx(wilson_interval_of(share, 7, Z))


def test_of_one_maze_little_is_known() -> None:
    assert clustered_interval([]) == (0, 1)
    assert clustered_interval([(1.0, 1.0)]) == clustered_interval([(20.0, 20.0)]) == wilson_interval(1, 1)
    assert clustered_interval([(12.0, 20.0)]) == pytest.approx(wilson_interval_of(0.6, 1, Z))


def test_mazes_of_which_more_is_counted_weigh_more() -> None:
    """One of 8 trials and two of 2 are worth 144 / 72 = 2 mazes."""
    assert clustered_interval([(8, 8), (2, 2), (2, 2)]) == pytest.approx(wilson_interval(2, 2))
    assert clustered_interval([(8, 8), (0, 2), (0, 2)])[0] < clustered_interval([(4, 4), (4, 4), (0, 4)])[0]


@given(WON)
def test_it_is_around_the_rate_and_turns_around_with_success_and_failure(won: list[int]) -> None:
    low, high = interval(won)
    rate = sum(won) / EPOCHS / len(won)
    assert 0 <= low <= rate + 1e-12
    assert rate - 1e-12 <= high <= 1
    assert interval([EPOCHS - each for each in won]) == pytest.approx((1 - high, 1 - low))
    assert interval(won[::-1]) == pytest.approx((low, high))


def test_a_rate_far_from_a_half_of_mazes_that_differ_widely_may_have_a_short_interval() -> None:
    rates = [0.0] * 8 + [0.5, 1.0]
    assert ClusteredShare.of_rates(rates, [12] * 10).may_be_short
    assert not ClusteredShare.of_rates(rates, [1] * 10).may_be_short
    assert not ClusteredShare.of_rates([0.0] * 9 + [1.0], [12] * 10).may_be_short  # as wide as of one play each
    assert not ClusteredShare.of_rates([0.0] * 5 + [0.5] + [1.0] * 4, [12] * 10).may_be_short
    assert not ClusteredShare.of_rates([0.0] * 10, [12] * 10).may_be_short


def held(rate: float, mazes: int, epochs: int, suites: int) -> float:
    """How often the interval holds the true rate, in simulated suites."""
    won, _ = solved(Pair(rate, rate), (suites, mazes), epochs, np.random.default_rng([mazes, epochs]))
    intervals = [clustered_interval((each * epochs, epochs) for each in suite) for suite in won]
    return float(np.mean([low <= rate <= high for low, high in intervals]))


@pytest.mark.parametrize(("rate", "mazes", "epochs"), [(0.5, 30, 2), (0.9, 10, 5)])
def test_it_holds_the_truth_about_as_often_as_it_says(rate: float, mazes: int, epochs: int) -> None:
    assert held(rate, mazes, epochs, suites=1000) >= 0.92
