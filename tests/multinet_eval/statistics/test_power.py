"""What a comparison could have shown."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_pairs import Pair, solved
from multinet_eval.statistics.comparison import POWER, clusters_needed, smallest_difference
from multinet_eval.statistics.intervals import bounded_mean_interval, student_quantile

DIFFERENCES = st.lists(st.integers(-5, 5).map(lambda number: number / 5), min_size=3, max_size=40)


def test_a_worked_example() -> None:
    """Of 98 differences 24 are 1 and 24 are -1; with the bounds, s² is 50 / 99."""
    differences = [1.0] * 24 + [-1.0] * 24 + [0.0] * 50
    expected = (1.98422 + 0.84531) * (50 / 99) ** 0.5 / 10
    assert smallest_difference(differences) == pytest.approx(expected, abs=1e-5)
    normal = ((1.959964 + 0.841621) * (50 / 99) ** 0.5 / 0.05) ** 2  # what it comes to for many clusters
    assert clusters_needed(differences) == pytest.approx(normal, abs=2)


@pytest.mark.parametrize("differences", [[], [0.0], [1.0]])
def test_one_maze_can_show_nothing(differences: list[float]) -> None:
    assert smallest_difference(differences) is None
    assert clusters_needed(differences) > 1000


@given(DIFFERENCES)
def test_it_depends_on_how_differences_scatter_and_not_on_which_run_is_better(differences: list[float]) -> None:
    turned = [-each for each in differences]
    assert smallest_difference(turned) == pytest.approx(smallest_difference(differences))
    assert clusters_needed(turned) == pytest.approx(clusters_needed(differences), abs=1)


@given(DIFFERENCES, st.sampled_from([0.02, 0.05, 0.2]))
def test_the_number_that_is_needed_is_the_least_that_is_enough(differences: list[float], least: float) -> None:
    needed = clusters_needed(differences, least)
    scatter = np.std([*differences, -1, 1], ddof=1)

    def shown_by(clusters: int) -> float:
        quantiles = student_quantile(clusters + 1) + student_quantile(clusters + 1, POWER)
        return float(quantiles * scatter / (clusters + 2) ** 0.5)

    assert shown_by(needed) <= least < shown_by(needed - 1)


def shown(pair: Pair, mazes: int, epochs: int, seed: int) -> float:
    """How often the interval of the paired difference is above 0."""
    first, second = solved(pair, (4000, mazes), epochs, np.random.default_rng(seed))
    low, _ = bounded_mean_interval(first - second, -1, 1)
    return float(np.mean(low > 0))


@pytest.mark.thorough
@pytest.mark.parametrize("epochs", [1, 5])
def test_as_many_mazes_as_are_needed_show_it_in_four_of_five_suites(epochs: int) -> None:
    pair = Pair(0.75, 0.7)
    first, second = solved(pair, (1, 20_000), epochs, np.random.default_rng(1))
    needed = clusters_needed(list((first - second)[0]), 0.05)
    assert shown(pair, needed, epochs, 2) == pytest.approx(POWER, abs=0.03)


def unpaired(pair: Pair, mazes: int, epochs: int, seed: int) -> float:
    """How often Welch's test shows it, where each model plays other mazes."""
    rng = np.random.default_rng(seed)
    (first, _), (_, second) = (solved(pair, (4000, mazes), epochs, rng) for _ in range(2))
    error = np.sqrt((first.var(axis=1, ddof=1) + second.var(axis=1, ddof=1)) / mazes)
    return float(np.mean(first.mean(axis=1) - second.mean(axis=1) > student_quantile(2 * mazes - 2) * error))


@pytest.mark.thorough
@pytest.mark.parametrize(("epochs", "factor"), [(1, 1.25), (5, 2.0)])
def test_an_unpaired_test_needs_more_mazes_by_this_factor(epochs: int, factor: float) -> None:
    pair, mazes = Pair(0.7, 0.6), 150
    assert shown(pair, mazes, epochs, 3) > unpaired(pair, round(factor * mazes), epochs, 4)
