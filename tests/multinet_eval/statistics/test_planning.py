"""The power of a comparison is simulated for a stated truth."""

import numpy as np
import pytest

from multinet_eval.statistics.paired_tests import sign_flip_test
from multinet_eval.statistics.planning import (
    Truth,
    assumed_truth,
    least_mazes,
    mazes_for,
    recorded_truth,
    simulated_power,
)


@pytest.mark.parametrize(("level", "mazes"), [(0.05, 6), (0.05 / 3, 7), (0.05 / 10, 9), (0.5, 2)])
def test_fewer_mazes_than_the_least_have_no_significant_p_value(level: float, mazes: int) -> None:
    assert least_mazes(level) == mazes
    assert sign_flip_test([0.5] * mazes, 0).p_value <= level < sign_flip_test([0.5] * (mazes - 1), 0).p_value


@pytest.mark.parametrize(("mazes", "plays"), [(12, 1), (20, 3), (150, 1)])
def test_the_simulated_power_is_how_often_the_test_is_significant(mazes: int, plays: int) -> None:
    """As counted play by play, with the test of comparisons."""
    truth, rng, found = assumed_truth(0.4 if mazes < 100 else 0.15), np.random.default_rng(7), 0
    for number in range(200):
        chosen = rng.integers(0, len(truth.first), mazes)
        differences = (rng.binomial(plays, truth.first[chosen]) - rng.binomial(plays, truth.second[chosen])) / plays
        found += sign_flip_test(differences.tolist(), number).p_value <= 0.05
    assert simulated_power(truth, mazes, plays) == pytest.approx(found / 200, abs=0.09)


def test_equal_models_are_told_apart_no_more_often_than_the_level() -> None:
    alike = assumed_truth(0.4)
    for mazes in (10, 40, 200):
        assert simulated_power(Truth(alike.first, alike.first), mazes, 1) <= 0.07


def test_too_few_mazes_have_no_power() -> None:
    certain = Truth(np.ones(3), np.zeros(3))
    assert (simulated_power(certain, 5, 1), simulated_power(certain, 6, 1), mazes_for(certain, 1)) == (0, 1, 6)


def test_the_number_of_mazes_reaches_the_power_and_few_fewer_do_not() -> None:
    truth = assumed_truth(0.3)
    found = mazes_for(truth, 1, 0.8)
    assert found is not None
    assert simulated_power(truth, found, 1) >= 0.8 > simulated_power(truth, found - 10, 1)


def test_a_difference_that_takes_too_many_mazes_has_no_number() -> None:
    assert mazes_for(assumed_truth(0.001), 1) is None


def test_the_assumed_truth_has_the_difference_around_one_half() -> None:
    assert assumed_truth(0.3).means == pytest.approx((0.65, 0.35))


@pytest.mark.parametrize(
    ("second", "difference", "means"),
    [
        ([(1, 4), (0, 4)], 0.25, (0.5, 0.25)),
        ([(4, 4), (2, 4)], 0.25, (0.5, 0.75)),
        ([(3, 4), (1, 4)], 0.5, (0.5, 0.0)),
        ([(3, 4), (1, 4)], 0.8, (0.9, 0.1)),
    ],
    ids=["lower", "higher", "all of it", "more than there is room"],
)
def test_a_recorded_truth_keeps_the_first_mean_and_the_side_of_the_second(
    second: list[tuple[int, int]], difference: float, means: tuple[float, float]
) -> None:
    found = recorded_truth([(3, 4), (1, 4)], second, difference)
    assert found.means == pytest.approx(means, abs=1e-6)
    assert found.first[0] > found.first[1]


def test_models_that_find_the_same_mazes_hard_take_fewer_mazes() -> None:
    easy, hard = [(9, 10)] * 10, [(1, 10)] * 10
    agreeing = mazes_for(recorded_truth(easy + hard, easy + hard, 0.2), 3)
    opposed = mazes_for(recorded_truth(easy + hard, hard + easy, 0.2), 3)
    assert agreeing is not None
    assert opposed is not None
    assert 2 * agreeing < opposed
