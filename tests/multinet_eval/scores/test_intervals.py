"""Intervals of rates of which several belong to one maze. Those of single episodes are in `test_metrics`."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_pairs import Pair, solved
from multinet_eval.scores.intervals import clustered_interval, student_quantile, wilson_interval

EPOCHS = 5
WON = st.lists(st.integers(0, EPOCHS), min_size=2, max_size=20)


def interval(won: list[int]) -> tuple[float, float]:
    """The interval of the rate of mazes that are won so often."""
    return clustered_interval((each / EPOCHS, 1.0) for each in won)


@pytest.mark.parametrize(
    ("freedom", "published"),
    [(1, (12.706, 1.376)), (2, (4.303, 1.061)), (3, (3.182, 0.978)), (10, (2.228, 0.879)), (30, (2.042, 0.854))],
)
def test_quantiles_are_those_of_published_tables(freedom: int, published: tuple[float, float]) -> None:
    found = (student_quantile(freedom), student_quantile(freedom, 0.8))
    assert found == pytest.approx(published, rel=0.004 if freedom == 3 else 0.0005)
    assert student_quantile(freedom, 0.2) == pytest.approx(-found[1])


def test_a_worked_example() -> None:
    """Four mazes with rates of 0, 0.2, 0.6 and 0.8: s² is 0.4 / 3, so they are worth 4 · 0.24 / s² = 7.2 trials."""
    z = student_quantile(3)
    assert interval([0, 1, 3, 4]) == pytest.approx(wilson_interval_of(0.4, 7.2, z))


def wilson_interval_of(share: float, trials: float, z: float) -> tuple[float, float]:
    """The rates that are just z of their standard errors away from the share: (p - share)² = z² p (1 - p) / trials."""
    a, b, c = 1 + z * z / trials, -(2 * share + z * z / trials), share * share
    root = math.sqrt(b * b - 4 * a * c)
    return ((-b - root) / (2 * a), (-b + root) / (2 * a))


def test_mazes_that_agree_count_once_each_however_often_they_are_played() -> None:
    """Thirds and fifths are not exact: what is left of their differences is not taken for agreement beyond doubt."""
    for share in (0.0, 1 / 3, 0.2, 0.4, 1.0):
        assert clustered_interval([(share, 1.0)] * 7) == pytest.approx(wilson_interval_of(share, 7, 1.959963984540054))


def test_of_one_maze_nothing_is_known() -> None:
    assert clustered_interval([]) == clustered_interval([(1.0, 1.0)]) == (0, 1)


def test_single_successes_have_about_the_interval_of_wilson() -> None:
    for won in (3, 10, 27):
        single = clustered_interval([(1.0, 1.0)] * won + [(0.0, 1.0)] * (30 - won))
        assert single == pytest.approx(wilson_interval(won, 30), abs=0.015)


@given(WON)
def test_it_is_around_the_rate_and_turns_around_with_success_and_failure(won: list[int]) -> None:
    low, high = interval(won)
    rate = sum(won) / EPOCHS / len(won)
    assert 0 <= low <= rate + 1e-12
    assert rate - 1e-12 <= high <= 1
    assert interval([EPOCHS - each for each in won]) == pytest.approx((1 - high, 1 - low))
    assert interval(won[::-1]) == pytest.approx((low, high))


@pytest.mark.thorough
@pytest.mark.parametrize(("mazes", "epochs"), list(product((10, 30, 100, 300), (1, 5))))
@pytest.mark.parametrize("rate", [0.5, 0.7, 0.9, 0.98])
def test_it_holds_the_truth_about_as_often_as_it_says(rate: float, mazes: int, epochs: int) -> None:
    """Single successes come in steps, so that no interval of them holds it exactly as often (Brown, Cai & DasGupta)."""
    won, _ = solved(Pair(rate, rate), (2000, mazes), epochs, np.random.default_rng([mazes, epochs]))
    intervals = [clustered_interval((each, 1.0) for each in suite) for suite in won]
    assert np.mean([low <= rate <= high for low, high in intervals]) >= 0.92
