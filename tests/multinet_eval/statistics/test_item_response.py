"""A Rasch model finds again what answers were drawn from, and how sure that is."""

import numpy as np
import pytest
from numpy.typing import NDArray

from multinet_eval.statistics.item_response import CalibrationError, fit_rasch

Ints = NDArray[np.int64]


def answers(
    abilities: NDArray[np.float64],
    difficulties: NDArray[np.float64],
    epochs: int,
    rng: np.random.Generator,
    interaction: float = 0.0,
) -> tuple[Ints, Ints]:
    """How often each model succeeds at each task, and out of how many."""
    logits = abilities[:, None] - difficulties
    logits = logits + interaction * rng.standard_normal(logits.shape)
    return rng.binomial(epochs, 1 / (1 + np.exp(-logits))), np.full(logits.shape, epochs)


def test_models_and_tasks_are_put_in_order_and_alike_ones_at_one_place() -> None:
    """The first task is solved by two of three models, the next two by one, and the last by none."""
    successes = np.array([[2, 2, 2, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    found = fit_rasch(successes, np.full((3, 4), 2))
    assert list(np.argsort(-found.abilities.mean)) == [0, 1, 2]
    first, second, third, last = found.difficulties.mean
    assert first < second < last
    assert second == pytest.approx(third, abs=1e-4)
    assert np.all(found.abilities.low < found.abilities.mean)
    assert found.scatters.mean.shape == (3,)
    again = fit_rasch(successes, np.full((3, 4), 2))
    assert again.difficulties.mean.tolist() == found.difficulties.mean.tolist()


@pytest.mark.parametrize("successes", [[[0, 0]], [[1, 1], [1, 1]]])
def test_answers_that_are_all_alike_tell_nothing(successes: list[list[int]]) -> None:
    given = np.array(successes)
    with pytest.raises(CalibrationError, match="ended alike"):
        fit_rasch(given, np.ones_like(given))


def test_the_scatter_of_abilities_is_estimated_and_its_prior_matters_most_for_few_models() -> None:
    rng = np.random.default_rng(1)
    for scatter in (0.7, 3.0):
        abilities = scatter * rng.standard_normal(20)
        found = fit_rasch(*answers(abilities, rng.standard_normal(20), 1, rng))
        assert found.scatters.low[0] < abilities.std() < found.scatters.high[0]
        few = fit_rasch(*answers(abilities[:4], rng.standard_normal(20), 1, rng))
        assert few.scatters.logarithms.sd[0] > 1.5 * found.scatters.logarithms.sd[0]


def test_a_model_that_wins_everything_may_be_much_better_but_not_much_worse() -> None:
    successes = np.array([[1] * 20, [1, 0] * 10, [0, 1] * 10])
    found = fit_rasch(successes, np.ones_like(successes)).abilities
    assert found.high[0] - found.mean[0] > 1.3 * (found.mean[0] - found.low[0])


@pytest.mark.more
def test_what_a_model_was_not_given_is_left_out() -> None:
    """A model that was given half of the tasks is compared by these."""
    rng = np.random.default_rng(2)
    abilities, difficulties = np.array([1.0, -1.0, 1.0]), rng.standard_normal(60)
    successes, trials = answers(abilities, difficulties, 3, rng)
    trials[2, 30:] = successes[2, 30:] = 0
    found = fit_rasch(successes, trials)
    assert found.abilities.mean[2] - found.abilities.mean[1] == pytest.approx(2, abs=0.7)
    assert found.abilities.sd[2] > found.abilities.sd[0]


@pytest.mark.more
def test_difficulties_are_found_again_with_120_persons() -> None:
    rng = np.random.default_rng(0)
    difficulties = 1.2 * rng.standard_normal(20)
    found = fit_rasch(*answers(rng.standard_normal(120), difficulties, 1, rng))
    assert np.corrcoef(found.difficulties.mean, difficulties)[0, 1] >= 0.97
    assert np.abs(found.difficulties.mean - difficulties).max() < 0.7


LSAT = "3 6 2 11 1 1 3 4 1 8 0 16 0 3 2 15 10 29 14 81 3 28 15 80 16 56 21 173 11 61 28 298"
"""How many of 1000 persons gave each pattern of answers, from 00000 to 11111, to section 6 of the Law School Admission
Test (Bock & Lieberman 1970)."""


@pytest.mark.more
def test_a_worked_data_set_comes_to_what_was_published() -> None:
    """Marginal maximum likelihood of all persons, a scatter of abilities of 0.7551 among them (Rizopoulos 2006).

    A quarter of the persons is given, with the same shares of patterns but for rounding.
    """
    counts = [int(each) // 4 for each in LSAT.split()]
    answered = np.repeat([[pattern >> shift & 1 for shift in (4, 3, 2, 1, 0)] for pattern in range(32)], counts, axis=0)
    found = fit_rasch(answered, np.ones_like(answered))
    published = 0.7551 * np.array([-3.6153, -1.3224, -0.3176, -1.7301, -2.7802])
    assert found.difficulties.mean == pytest.approx(published, rel=0.06)
    assert found.scatters.low[0] < 0.7551 < found.scatters.high[0]
