"""`fit_two_parameter`: how sharply each task tells models apart, where there are enough models to know.

It fits through mirt, which is an optional dependency: ``pip install 'multinet-eval[stats]'``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.statistics.item_response import CalibrationError, Located

__all__ = ["LEAST_MODELS", "NOT_GIVEN", "Discriminations", "fit_two_parameter"]

Floats = NDArray[np.float64]
LEAST_MODELS = 30
"""With fewer models the answers say next to nothing of how sharply a task tells them apart."""
NOT_GIVEN = -1
"""In place of an answer, where a model was not given a task."""
LOG_SD, DIFFICULTY_SD = 0.5, 2.0
"""The standard deviations of the logarithms of discriminations, and of difficulties, before any data."""
MOST_STEPS = 2000


@attrs.frozen(eq=False)
class Discriminations:
    """How much the log odds of a success grow with a logit of ability, of each task; 1 in the Rasch model."""

    logarithms: Located
    """Of these, with intervals that are symmetric."""

    @property
    def mean(self) -> Floats:
        """Posterior modes, shape (tasks,)."""
        return np.exp(self.logarithms.mean)

    @property
    def low(self) -> Floats:
        """The lower ends of 95 % intervals, shape (tasks,)."""
        return np.exp(self.logarithms.low)

    @property
    def high(self) -> Floats:
        """The upper ends, shape (tasks,)."""
        return np.exp(self.logarithms.high)


def fit_two_parameter(answers: NDArray[np.int64]) -> Discriminations:
    """Fit a two-parameter logistic model (Birnbaum 1968) to one answer of each model to each task.

    The log odds of a success are a (θ - b): θ the ability of the model, from N(0, 1); b the difficulty of the task,
    from N(0, 2²); a its discrimination, log-normal, its logarithm from N(0, 0.5²), so that it stays finite where few
    answers would do with any. a and b have the values at which their marginal posterior is highest, by expectation and
    maximization, and standard errors by the observed information.

    One answer alone, since repetitions of a task by one model are no independent evidence, and this model has no effect
    of a model with a task.

    Args:
        answers: int, shape (models, tasks): 1 for a success, 0 for a failure, `NOT_GIVEN` where there is none.

    Raises:
        CalibrationError: mirt is not installed, or the fit does not converge.
    """
    library, priors = _library()
    found = library.fit_mirt(
        answers,
        model="2PL",
        max_iter=MOST_STEPS,
        priors={
            "discrimination": priors.LogNormalPrior(0.0, LOG_SD),
            "difficulty": priors.NormalPrior(0.0, DIFFICULTY_SD),
        },
    )
    if not found.converged:
        raise CalibrationError(f"the two-parameter model has not been fitted in {MOST_STEPS} steps")
    mean, sd = found.model.parameters["discrimination"], found.standard_errors["discrimination"]
    return Discriminations(Located(np.log(mean), sd / mean))


def _library() -> tuple[Any, Any]:
    """The module of mirt, and that of its priors."""
    try:
        return import_module("mirt"), import_module("mirt.estimation.priors")
    except ImportError as error:
        raise CalibrationError(
            f"calibration needs an optional dependency: pip install 'multinet-eval[stats]' ({error})"
        ) from error
