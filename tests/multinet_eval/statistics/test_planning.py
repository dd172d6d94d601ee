"""What a comparison could show, and how many mazes show a difference."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.paired_differences import compare_pairs
from multinet_eval.statistics.paired_tests import sign_flip_test
from multinet_eval.statistics.planning import (
    expected_scatter,
    least_mazes,
    mazes_needed,
    scatter_limit,
    smallest_difference,
)


@pytest.mark.parametrize(("level", "mazes"), [(0.05, 6), (0.05 / 3, 7), (0.05 / 10, 9), (0.5, 2)])
def test_fewer_mazes_than_the_least_have_no_significant_p_value(level: float, mazes: int) -> None:
    assert least_mazes(level) == mazes
    assert sign_flip_test([0.5] * mazes, 0).p_value <= level < sign_flip_test([0.5] * (mazes - 1), 0).p_value
    assert smallest_difference(mazes - 1, 0.0, level) is None
    assert mazes_needed(1.0, 0.0, level) >= mazes


def test_a_worked_example() -> None:
    """1.96 √(0.25 + 0.01) + 0.8416 · 0.5 = 1.420, and (1.420 / 0.1)² = 201.7."""
    assert mazes_needed(0.1, 0.5) == 202
    assert smallest_difference(202, 0.5) == pytest.approx(0.1, abs=1e-3)


@given(st.floats(0.01, 0.9), st.floats(0.05, 1), st.sampled_from([0.05, 0.01]))
def test_the_number_that_is_needed_is_the_least_that_is_enough(difference: float, scatter: float, level: float) -> None:
    needed = mazes_needed(difference, scatter, level)
    shown = smallest_difference(needed, scatter, level)
    assert shown is not None
    assert shown <= difference + 1e-9
    fewer = smallest_difference(needed - 1, scatter, level)
    assert fewer is None or fewer > difference - 1e-9 or needed == least_mazes(level)


@pytest.mark.parametrize(("mazes", "share"), [(10, 0.5), (33, 0.5), (33, 0.1), (100, 0.02)])
def test_the_upper_limit_of_the_scatter_is_above_the_true_one_four_times_in_five(mazes: int, share: float) -> None:
    rng, true = np.random.default_rng(1), math.sqrt(share)
    drawn = rng.choice([1.0, -1.0, 0.0], size=(400, mazes), p=[share / 2, share / 2, 1 - share])
    above = [(scatter_limit(each.tolist()) or 0.0) >= true - 1e-9 for each in drawn]
    assert np.mean(above) >= 0.74


@pytest.mark.parametrize(
    ("mazes", "disagreeing", "epochs", "level"), [(20, 0.5, 3, 0.05), (33, 0.5, 1, 0.05 / 6), (80, 0.2, 1, 0.05)]
)
def test_a_planted_difference_is_shown_with_the_power_that_is_promised(
    mazes: int, disagreeing: float, epochs: int, level: float
) -> None:
    scatter, difference = math.sqrt(disagreeing / epochs), 0.0
    for _ in range(20):  # the scatter of what is planted depends on it
        found = smallest_difference(mazes, scatter, level)
        assert found is not None
        difference = min(found, disagreeing)
        scatter = math.sqrt((disagreeing - difference**2) / epochs)
    likely = [(disagreeing + difference) / 2, (disagreeing - difference) / 2, 1 - disagreeing]
    drawn = np.random.default_rng(2).choice([1.0, -1.0, 0.0], size=(400, mazes, epochs), p=likely).mean(axis=2)
    assert 0.74 <= np.mean([_p_value(each) <= level for each in drawn]) <= 0.95


def _p_value(differences: np.ndarray) -> float:
    """That of sampled sign flips, of fewer than the test draws."""
    signs = np.random.default_rng(3).choice([1.0, -1.0], size=(2000, len(differences)))
    return float(1 + np.count_nonzero(np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9)) / 2001


def compared(mazes: int, runs: int) -> list[tuple[float | None, int | None]]:
    """What is told of each pair of runs that win every other maze by turns."""
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 2, (runs, mazes)).astype(float)
    observed = [[Observation(f"{maze}", None, score) for maze, score in enumerate(run)] for run in scores]
    return [(each.could_show, each.needed) for each in compare_pairs(observed, 0)]


def test_a_comparison_tells_nothing_that_its_test_could_not_show() -> None:
    assert [could for could, _ in compared(5, 2)] == [None]
    assert [could for could, _ in compared(33, 2)] != [None]
    assert all(could is None for could, _ in compared(7, 4))  # six tests: not below 0.0083
    assert compared(1, 2) == [(None, None)]


def test_repeated_plays_save_mazes_but_do_not_replace_them() -> None:
    assert expected_scatter(1) ** 2 == pytest.approx(0.5)
    assert expected_scatter(1) > expected_scatter(3) > expected_scatter(1000) > 0.29


@pytest.mark.parametrize(("difference", "epochs"), [(0.1, 3), (0.3, 1)])
def test_what_is_planned_beforehand_is_enough_for_models_as_they_are_assumed(difference: float, epochs: int) -> None:
    mazes, rng = mazes_needed(difference, expected_scatter(epochs)), np.random.default_rng(5)
    shift = math.log((1 + difference) / (1 - difference)) * 1.19  # of one logit, a mean rate of (1 + difference) / 2

    def play(sign: int) -> np.ndarray:
        return rng.binomial(epochs, 1 / (1 + np.exp(-sign * shift - rng.standard_normal((300, mazes))))) / epochs

    drawn = play(1) - play(-1)
    assert drawn.mean() == pytest.approx(difference, abs=0.01)
    assert 0.76 <= np.mean([_p_value(each) <= 0.05 for each in drawn]) <= 0.92
