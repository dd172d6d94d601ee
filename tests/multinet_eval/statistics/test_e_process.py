import itertools
import math

import pytest

from multinet_eval.statistics.e_process import BETS, anytime_interval, deciding_look, e_process, earliest_look

SHARES = (-1.0, -2 / 3, -1 / 3, 0.0, 1 / 3, 2 / 3, 1.0)


def evidence(differences: tuple[float, ...]) -> float:
    """E by its definition."""
    sides = [[math.prod(1 + sign * bet * each for each in differences) for bet in BETS] for sign in (1, -1)]
    return math.fsum(math.fsum(side) / len(BETS) for side in sides) / 2


def test_evidence_is_that_of_the_definition() -> None:
    for differences in itertools.product(SHARES, repeat=3):
        expected = [evidence(differences[:n]) for n in (1, 2, 3)]
        assert e_process(differences).tolist() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("mean", [0.0, 0.5, -0.9])
def test_expected_evidence_against_the_true_mean_is_one(mean: float) -> None:
    likely = {1.0: (1 + mean) / 2, -1.0: (1 - mean) / 2}
    expected = sum(
        math.prod(likely[each] for each in differences) * e_process(differences, mean)[-1]
        for differences in itertools.product(likely, repeat=8)
    )
    assert expected == pytest.approx(1)


def test_probability_of_ever_deciding_between_equal_models_is_below_alpha() -> None:
    walks = list(itertools.product((-1.0, 1.0), repeat=14))
    decided = sum(deciding_look(walk, 0.05) is not None for walk in walks)
    assert 0 < decided / len(walks) <= 0.05


def test_the_interval_leaves_out_0_exactly_where_it_is_decided() -> None:
    for ones, zeros, lost in itertools.product(range(12), range(3), range(4)):
        differences = [1.0] * ones + [0.0] * zeros + [-1.0] * lost
        low, high = anytime_interval(differences, 0.05)
        assert (len(differences) > 0 and e_process(differences)[-1] >= 20) == (low > 0 or high < 0)


def test_ends_of_the_interval_are_means_that_are_just_refuted() -> None:
    differences = [0.5, -0.25, 1.0, 0.75, 0.0, 0.5] * 4
    for end in anytime_interval(differences, 0.05):
        assert e_process(differences, end)[-1] == pytest.approx(20)


@pytest.mark.parametrize(
    ("reference", "earliest"),
    [([1.0] * 33, 8), ([0.0] * 33, 8), ([0.5] * 33, 13), ([1.0] * 7, None), ([0.5] * 10, None)],
)
def test_the_earliest_look_is_that_of_the_most_extreme_results(reference: list[float], earliest: int | None) -> None:
    assert earliest_look(reference, 0.05) == earliest


def test_evidence_of_very_many_mazes_is_finite_or_infinite() -> None:
    assert deciding_look([1.0] * 5000, 0.05) == 8
    low, high = anytime_interval([1.0] * 5000, 0.05)
    assert low > 0.99
    assert high == 1.0
