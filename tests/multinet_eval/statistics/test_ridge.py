"""The regression of difficulties on what tasks are like, against one that is written out, and against what it finds."""

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from multinet_eval.statistics.ridge import PENALTIES, RidgeError, fit_ridge

Floats = NDArray[np.float64]


def simulated(
    effects: list[float], mazes: int, variants: int, noise: float, seed: int
) -> tuple[Floats, Floats, list[str]]:
    """Tasks of some mazes whose variants are nearly alike: features, values, and the maze of each."""
    rng = np.random.default_rng(seed)
    own = np.repeat(rng.standard_normal((mazes, len(effects))), variants, axis=0)
    features = own + 0.1 * rng.standard_normal(own.shape)
    values = features @ np.array(effects) + noise * np.repeat(rng.standard_normal(mazes), variants)
    return features, values, [f"maze {number}" for number in np.repeat(np.arange(mazes), variants)]


class PlainRidge:
    """The closed form: (Z'Z + p) b = Z'y, with Z of mean 0 and standard deviation 1."""

    def __init__(self, features: Floats, values: Floats, penalty: float) -> None:
        self._mean, self._sd, self._level = features.mean(axis=0), features.std(axis=0), values.mean()
        scaled = (features - self._mean) / self._sd
        inner = scaled.T @ scaled + penalty * np.eye(features.shape[1])
        self.coefficients = np.linalg.solve(inner, scaled.T @ (values - self._level))

    def predict(self, features: Floats) -> Floats:
        predicted: Floats = (features - self._mean) / self._sd @ self.coefficients + self._level
        return predicted


def test_it_is_the_closed_form_with_the_penalty_that_it_says() -> None:
    features, values, mazes = simulated([1.0, -0.5, 0.0], 40, 2, 0.5, seed=1)
    found = fit_ridge(features, values, mazes)
    assert found.penalty in PENALTIES
    assert found.coefficients == pytest.approx(PlainRidge(features, values, found.penalty).coefficients)


def test_the_share_is_that_of_parts_predicted_by_the_closed_form_when_there_is_nothing_to_choose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With three groups each part is one of them."""
    monkeypatch.setattr("multinet_eval.statistics.ridge.PENALTIES", [2.0])
    features, values, _ = simulated([1.0, -0.5], 30, 1, 0.5, seed=2)
    names = np.array(["a", "b", "c"])[np.arange(30) % 3]
    errors = baseline = 0.0
    for name in "abc":
        seen = names != name
        plain = PlainRidge(features[seen], values[seen], 2.0)
        errors += float(((values[~seen] - plain.predict(features[~seen])) ** 2).sum())
        baseline += float(((values[~seen] - values[seen].mean()) ** 2).sum())
    assert fit_ridge(features, values, names.tolist()).predicted_share == pytest.approx(1 - errors / baseline)


def test_what_explains_everything_predicts_nearly_everything_and_noise_nothing() -> None:
    effects = [1.0, -1.0, 0.5]
    assert fit_ridge(*simulated(effects, 60, 1, 0.0, seed=3)).predicted_share > 0.99
    features, _, mazes = simulated(effects, 60, 1, 0.0, seed=3)
    noise = np.random.default_rng(4).standard_normal(60)
    assert fit_ridge(features, noise, mazes).predicted_share < 0.1


def test_half_of_the_variance_is_found_to_be_about_half() -> None:
    assert fit_ridge(*simulated([0.6, 0.8], 1000, 1, 1.0, seed=8)).predicted_share == pytest.approx(0.5, abs=0.05)


def test_variants_of_one_maze_tell_nothing_of_each_other() -> None:
    """Every maze has a level of its own, which its variants give away where they are divided."""
    features, values, mazes = simulated([0.0] * 12, 16, 8, 1.0, seed=5)
    assert fit_ridge(features, values, mazes).predicted_share < 0.1
    assert fit_ridge(features, values, [str(number) for number in range(128)]).predicted_share > 0.2


def test_a_feature_that_is_the_same_everywhere_has_no_coefficient() -> None:
    features, values, mazes = simulated([1.0, 0.5], 30, 1, 0.1, seed=6)
    found = fit_ridge(np.column_stack([features, np.full(30, 7.0)]), values, mazes)
    assert np.isnan(found.coefficients).tolist() == [False, False, True]
    assert found.coefficients[:2] == pytest.approx(fit_ridge(features, values, mazes).coefficients)


def test_the_order_of_tasks_makes_no_difference() -> None:
    features, values, mazes = simulated([1.0, 0.5], 30, 2, 0.5, seed=7)
    order = np.random.default_rng(0).permutation(len(values))
    found = fit_ridge(features, values, mazes)
    again = fit_ridge(features[order], values[order], [mazes[number] for number in order])
    assert again.predicted_share == pytest.approx(found.predicted_share)
    assert again.coefficients == pytest.approx(found.coefficients)


def test_it_is_said_what_is_missing_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(RidgeError, match=r"pip install 'multinet-eval\[stats\]'"):
        fit_ridge(*simulated([1.0], 10, 1, 0.1, seed=0))


@pytest.mark.parametrize("noise", [0.1, 2.0])
def test_the_penalty_is_the_one_that_scikit_learn_chooses_alone(noise: float) -> None:
    from sklearn.linear_model import RidgeCV
    from sklearn.model_selection import GroupKFold
    from sklearn.preprocessing import StandardScaler

    features, values, mazes = simulated([1.0, -0.5, 0.0], 40, 1, noise, seed=9)
    order = np.argsort(mazes)
    scaled, names = StandardScaler().fit_transform(features[order]), np.array(mazes)[order]
    folds = list(GroupKFold(5).split(names, groups=names))
    chosen = RidgeCV(PENALTIES, cv=folds, scoring="neg_mean_squared_error").fit(scaled, values[order]).alpha_
    assert fit_ridge(features, values, mazes).penalty == chosen
