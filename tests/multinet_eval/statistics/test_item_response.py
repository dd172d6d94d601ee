"""A Rasch model finds again what answers were drawn from, and how sure that is."""

import sys

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
    assert found.interaction_sd is not None
    again = fit_rasch(successes, np.full((3, 4), 2))
    assert again.difficulties.mean.tolist() == found.difficulties.mean.tolist()


@pytest.mark.parametrize("successes", [[[0, 0]], [[1, 1], [1, 1]]])
def test_answers_that_are_all_alike_tell_nothing(successes: list[list[int]]) -> None:
    given = np.array(successes)
    with pytest.raises(CalibrationError, match="ended alike"):
        fit_rasch(given, np.ones_like(given))


def test_it_is_said_what_is_missing_without_statsmodels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.genmod.bayes_mixed_glm", None)
    with pytest.raises(CalibrationError, match=r"pip install 'multinet-eval\[stats\]'"):
        fit_rasch(np.array([[0, 1]]), np.array([[1, 1]]))


@pytest.mark.thorough
def test_what_a_model_was_not_given_is_left_out() -> None:
    """A model that was given half of the tasks is compared by these."""
    rng = np.random.default_rng(2)
    abilities, difficulties = np.array([1.0, -1.0, 1.0]), rng.standard_normal(60)
    successes, trials = answers(abilities, difficulties, 3, rng)
    trials[2, 30:] = successes[2, 30:] = 0
    found = fit_rasch(successes, trials)
    assert found.abilities.mean[2] - found.abilities.mean[1] == pytest.approx(2, abs=0.7)
    assert found.abilities.sd[2] > found.abilities.sd[0]


@pytest.mark.thorough
def test_difficulties_are_found_again_with_500_persons() -> None:
    rng = np.random.default_rng(0)
    difficulties = 1.2 * rng.standard_normal(20)
    found = fit_rasch(*answers(rng.standard_normal(500), difficulties, 1, rng))
    assert np.corrcoef(found.difficulties.mean, difficulties)[0, 1] >= 0.98
    assert np.abs(found.difficulties.mean - difficulties).max() < 0.5


LSAT = "3 6 2 11 1 1 3 4 1 8 0 16 0 3 2 15 10 29 14 81 3 28 15 80 16 56 21 173 11 61 28 298"
"""How many of 1000 persons gave each pattern of answers, from 00000 to 11111, to section 6 of the Law School Admission
Test (Bock & Lieberman 1970)."""


@pytest.mark.thorough
def test_a_worked_data_set_comes_to_what_was_published_but_for_what_few_tasks_cost() -> None:
    """Marginal maximum likelihood with abilities from N(0, 1) and slopes of 1 (Rizopoulos 2006).

    With no more than five answers of each person, a normal approximation of all at once is a tenth too near to 0.
    """
    counts = [int(each) for each in LSAT.split()]
    answered = np.repeat([[pattern >> shift & 1 for shift in (4, 3, 2, 1, 0)] for pattern in range(32)], counts, axis=0)
    found = fit_rasch(answered, np.ones_like(answered)).difficulties.mean
    published = np.array([-2.8720, -1.0630, -0.2576, -1.3881, -2.2188])
    assert np.corrcoef(found, published)[0, 1] > 0.9999
    assert found == pytest.approx(published, rel=0.13)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("tasks", "epochs", "level", "scatter", "interaction"),
    [(30, 1, 0.0, 1.5, 0.0), (30, 5, 0.0, 1.5, 0.75), (100, 1, 0.5, 1.0, 0.0), (60, 3, 2.0, 1.0, 0.5)],
)
def test_with_five_models_intervals_hold_the_truth_nearly_as_often_as_they_say(
    tasks: int, epochs: int, level: float, scatter: float, interaction: float
) -> None:
    """The scatter of tasks is taken as known, so intervals are a little short; those of a suite shift together."""
    held: list[NDArray[np.bool_]] = []
    able: list[NDArray[np.bool_]] = []
    for seed in range(20):
        rng = np.random.default_rng([seed, tasks, epochs])
        abilities, difficulties = rng.standard_normal(5), level + scatter * rng.standard_normal(tasks)
        found = fit_rasch(*answers(abilities, difficulties, epochs, rng, interaction))
        able.append((found.abilities.low <= abilities) & (abilities <= found.abilities.high))
        held.append((found.difficulties.low <= difficulties) & (difficulties <= found.difficulties.high))
    assert np.mean(held) >= 0.88
    assert np.mean(able) >= 0.88
