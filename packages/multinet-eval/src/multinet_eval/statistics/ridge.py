"""Ridge regression that predicts held-out groups.

The fit uses scikit-learn, an optional dependency: ``pip install 'multinet-eval[stats]'``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.errors import GridworldError

Floats = NDArray[np.float64]
Folds = list[tuple[NDArray[np.int64], NDArray[np.int64]]]
FOLDS = 10
"""Maximum number of folds into which groups are divided; each is predicted from the others."""
CHOOSING = 5
"""Maximum number of folds for choosing a penalty."""
PENALTIES = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]
"""Candidate penalties."""


class RidgeError(GridworldError):
    """A regression cannot be fitted."""


@attrs.frozen(eq=False)
class RidgeFit:
    """Result of a regression."""

    coefficients: Floats
    """Effect of one standard deviation of each feature with all others equal, shape (features,).

    NaN for a constant feature.
    """
    penalty: float
    """Penalty chosen on all values together."""
    predicted_share: float
    """Share of the values' variance that is predicted for held-out groups, at most 1.

    1 minus the ratio of squared errors to the squared errors of predicting the mean of the other values; below 0 if
    that mean predicts better.
    """


def fit_ridge(features: Floats, values: Floats, groups: Sequence[str]) -> RidgeFit:
    """Fit a ridge regression, and predict each group by a fit to others.

    Features are standardized to mean 0 and standard deviation 1. Groups, such as variants of one maze, are never
    divided, neither for predictions nor for choosing the penalty, which is chosen anew for each part by
    cross-validation within it.

    Args:
        features: float, shape (n, features), finite.
        values: float, shape (n,), not all equal.
        groups: group of each value, at least three different ones.

    Raises:
        RidgeError: scikit-learn is not installed.
    """
    library = _library()
    order = np.argsort(np.array(groups), kind="stable")
    features, values, names = features[order], values[order], np.array(groups)[order]
    errors, baseline = np.zeros_like(values), np.zeros_like(values)
    for seen, left_out in _folds(library, names, FOLDS):
        model = _fit(library, features[seen], values[seen], names[seen])
        errors[left_out] = values[left_out] - model.predict(features[left_out])
        baseline[left_out] = values[left_out] - values[seen].mean()
    ridge = _fit(library, features, values, names)[-1]
    return RidgeFit(
        coefficients=np.where(features.std(axis=0) > 0, ridge.coef_, np.nan),
        penalty=ridge.alpha,
        predicted_share=float(1 - (errors**2).sum() / (baseline**2).sum()),
    )


def _library() -> Any:
    """Import the modules of scikit-learn, which takes about a second."""
    try:
        parts = ("linear_model", "model_selection", "pipeline", "preprocessing")
        return {part: import_module(f"sklearn.{part}") for part in parts}
    except ImportError as error:
        raise RidgeError(
            f"a regression needs an optional dependency: pip install 'multinet-eval[stats]' ({error})"
        ) from error


def _folds(library: Any, names: NDArray[np.str_], most: int) -> Folds:
    """Return the indices of training and held-out values of each part."""
    count = min(most, len(set(names.tolist())))
    return list(library["model_selection"].GroupKFold(count).split(names, groups=names))


def _fit(library: Any, features: Floats, values: Floats, names: NDArray[np.str_]) -> Any:
    scaler, regression = library["preprocessing"].StandardScaler(), library["linear_model"].Ridge
    penalty = _penalty(regression, scaler.fit_transform(features), values, _folds(library, names, CHOOSING))
    return library["pipeline"].make_pipeline(scaler, regression(penalty)).fit(features, values)


def _penalty(regression: Any, features: Floats, values: Floats, folds: Folds) -> float:
    """Choose the penalty with the smallest squared error for held-out groups, as ``RidgeCV`` would.

    All penalties are tried in one regression with one column of values for each, which is much faster than one by one,
    since scikit-learn spends most of its time on checks.
    """
    errors = np.zeros(len(PENALTIES))
    columns = np.tile(values[:, np.newaxis], len(PENALTIES))
    for seen, left_out in folds:
        predicted = regression(PENALTIES).fit(features[seen], columns[seen]).predict(features[left_out])
        errors += ((columns[left_out] - predicted.reshape(-1, len(PENALTIES))) ** 2).mean(axis=0)
    return PENALTIES[int(errors.argmin())]
