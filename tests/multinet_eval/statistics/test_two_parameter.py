"""How sharply tasks tell models apart, from simulated answers."""

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from multinet_eval.statistics.item_response import LEAST_MODELS, NOT_GIVEN, CalibrationError, fit_two_parameter

Floats = NDArray[np.float64]


def simulated(models: int, tasks: int, seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Discriminations, and the answers of models whose abilities are from N(0, 1)."""
    rng = np.random.default_rng(seed)
    sharp, difficulties = np.exp(0.4 * rng.standard_normal(tasks)), rng.standard_normal(tasks)
    logits = sharp * (rng.standard_normal((models, 1)) - difficulties)
    return sharp, (rng.random((models, tasks)) < 1 / (1 + np.exp(-logits))).astype(np.int64)


def test_discriminations_are_found_again_with_many_models() -> None:
    sharp, answers = simulated(1000, 12, seed=0)
    found = fit_two_parameter(answers)
    assert np.corrcoef(found.mean, sharp)[0, 1] > 0.85
    assert np.all((found.low < found.mean) & (found.mean < found.high))


def test_of_what_all_or_none_solve_no_more_is_known_than_before() -> None:
    _, answers = simulated(LEAST_MODELS, 10, seed=1)
    answers[:, 0], answers[:, 1] = 1, 0
    found = fit_two_parameter(answers)
    assert np.all(found.high[:2] > 4 * found.low[:2])
    assert np.all(found.high < 10)


def test_what_a_model_was_not_given_is_left_out_and_the_same_answers_give_the_same_fit() -> None:
    _, answers = simulated(LEAST_MODELS, 10, seed=2)
    answers[:10, 3] = NOT_GIVEN
    first, second = fit_two_parameter(answers), fit_two_parameter(answers)
    assert np.array_equal(first.mean, second.mean)
    assert first.logarithms.sd[3] > 0


@pytest.mark.thorough
def test_with_the_fewest_models_intervals_hold_the_truth_nearly_as_often_as_they_say() -> None:
    held = []
    for seed in range(40):
        sharp, answers = simulated(LEAST_MODELS, 40, seed)
        found = fit_two_parameter(answers)
        held.append((found.low <= sharp) & (sharp <= found.high))
    assert np.mean(held) >= 0.92


def test_it_is_said_what_is_missing_without_mirt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mirt", None)
    with pytest.raises(CalibrationError, match=r"pip install 'multinet-eval\[stats\]'"):
        fit_two_parameter(np.array([[0, 1]]))
