"""Models and tasks on one scale: the hierarchical Rasch model, and the two-parameter logistic model.

They are fitted through statsmodels and mirt, optional dependencies: ``pip install 'multinet-eval[stats]'``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.errors import GridworldError
from multinet_eval.statistics.intervals import Z_95

Floats = NDArray[np.float64]
ABILITY_SD, SPREAD_SD = 1.0, 1.0
"""The standard deviations of abilities, and of the logarithms of the other standard deviations, before any data."""
FIXED = 1e-3
"""The standard deviation of a logarithm that is to be 0."""
MOST_STEPS = 20_000
OUT_OF_STEPS = 1
"""The status of a search of SciPy's L-BFGS-B that was given up."""
CLOSE = 1e-10
"""How near to the posterior mode the search is to come, in logits: as near as it can, or it may stop far too early."""
FLAT = 1e-3
"""How steep the logarithm of the posterior may be where its mode is taken to be, by logit."""
LEVEL, TASK, CELL = range(3)
"""Kinds of effects with a standard deviation each: the level of all tasks, each task, each model with each task."""


class CalibrationError(GridworldError):
    """A model of answers that cannot be fitted."""


@attrs.frozen(eq=False)
class Located:
    """Places on the scale, in logits, with what is not known of them."""

    mean: Floats
    """Posterior means, shape (n,)."""
    sd: Floats
    """Posterior standard deviations, shape (n,)."""

    @property
    def low(self) -> Floats:
        """The lower ends of 95 % intervals, shape (n,)."""
        return self.mean - Z_95 * self.sd

    @property
    def high(self) -> Floats:
        """The upper ends, shape (n,)."""
        return self.mean + Z_95 * self.sd


@attrs.frozen(eq=False)
class RaschFit:
    """Result of a fit."""

    abilities: Located
    """Of the models."""
    difficulties: Located
    """Of the tasks: where a model of this ability succeeds in half of its trials."""
    task_sd: float
    """How far the difficulties scatter, in logits."""
    interaction_sd: float | None
    """How far models are better or worse at single tasks than these say; None where no model was given a task twice."""


def fit_rasch(successes: NDArray[np.int64], trials: NDArray[np.int64]) -> RaschFit:
    """Fit a hierarchical Rasch model to how often each model succeeded at each task.

    The log odds of a success are θ - b + u: the ability θ of the model, from N(0, 1); the difficulty b of the task,
    from N(m, s²); and, where a model was given a task more than once, u from N(0, t²) for each model with each task, so
    that repetitions of one thing are not taken for independent evidence. m is from N(0, r²), and r, s and t are
    log-normal, their logarithms from N(0, 1). Priors keep difficulties of tasks that all or none solve finite.

    r, s and t are estimated by variational Bayes; given these, abilities and difficulties have a joint normal
    approximation at their posterior mode (Laplace), so that intervals take into account that the scale may shift as a
    whole. Both are those of `statsmodels.genmod.bayes_mixed_glm.BinomialBayesMixedGLM`.

    Args:
        successes: int, shape (models, tasks), in [0, trials].
        trials: int, shape (models, tasks), 0 where a model was not given a task; one of them is more than 0.

    Raises:
        CalibrationError: statsmodels is not installed, all trials came to the same, or the fit does not converge.
    """
    if successes.sum() in (0, trials.sum()):
        raise CalibrationError("all scored episodes ended alike, in success or failure, which tells nothing of a scale")
    (library,) = _imported("statsmodels.genmod.bayes_mixed_glm")
    model, task = np.nonzero(trials)
    effects, kinds = _effects(model, task, trials)
    repeat = np.repeat(np.arange(len(model)), trials[model, task])
    answers = np.concatenate(
        [np.arange(n) < k for k, n in zip(successes[model, task], trials[model, task], strict=True)]
    )
    rows = effects[repeat], np.eye(len(trials))[model[repeat]], answers.astype(np.float64)
    spreads = _spreads(library, kinds, *rows)
    return _locate(library, kinds, spreads, *rows)


def _imported(*modules: str) -> list[Any]:
    """Modules of the optional dependencies, which take seconds to import."""
    try:
        return [import_module(each) for each in modules]
    except ImportError as error:
        raise CalibrationError(
            f"calibration needs an optional dependency: pip install 'multinet-eval[stats]' ({error})"
        ) from error


def _effects(
    model: NDArray[np.int64], task: NDArray[np.int64], trials: NDArray[np.int64]
) -> tuple[Any, NDArray[np.int64]]:
    """The effects of tasks, sparse, a row for each model with each task; and the kind of each column."""
    sparse: Any = import_module("scipy.sparse")
    size, tasks = len(model), trials.shape[1]
    places = np.arange(size)
    level = np.ones((size, 1))
    own = sparse.csr_array((-np.ones(size), (places, task)), shape=(size, tasks))
    parts, kinds = [sparse.csr_array(level), own], [LEVEL] + [TASK] * tasks
    if trials.max() > 1:
        parts.append(sparse.eye_array(size, format="csr"))
        kinds += [CELL] * size
    return sparse.hstack(parts, format="csr"), np.array(kinds)


def _spreads(library: Any, kinds: NDArray[np.int64], effects: Any, abilities: Floats, answers: Floats) -> Floats:
    """The standard deviation of each kind of effects."""
    model = library.BinomialBayesMixedGLM(answers, abilities, effects, kinds, vcp_p=SPREAD_SD, fe_p=ABILITY_SD)
    start = np.full(abilities.shape[1] + kinds.max() + 1 + len(kinds), 0.5)
    options = {"maxiter": MOST_STEPS, "maxfun": MOST_STEPS}
    with _quiet():
        found = model.fit_vb(sd=start, fit_method="L-BFGS-B", minim_opts=options)
    if found.optim_retvals.status == OUT_OF_STEPS:
        raise CalibrationError(f"how far tasks scatter has not been found in {MOST_STEPS} steps")
    return np.asarray(np.exp(found.vcp_mean), dtype=np.float64)


def _locate(
    library: Any, kinds: NDArray[np.int64], spreads: Floats, effects: Any, abilities: Floats, answers: Floats
) -> RaschFit:
    """Abilities and difficulties where the standard deviations are known.

    Effects in units of these all have the standard deviation 1, which is held there by a prior that leaves no room.
    """
    scale = spreads[kinds]
    scaled = effects.multiply(scale).tocsr()
    one = np.zeros(len(kinds), dtype=np.int64)
    model = library.BinomialBayesMixedGLM(answers, abilities, scaled, one, vcp_p=FIXED, fe_p=ABILITY_SD)
    with _quiet():
        found = model.fit_map(method="Newton-CG", minim_opts={"maxiter": MOST_STEPS, "xtol": CLOSE}, rng=0)
    models, covariance = abilities.shape[1], np.asarray(found.cov_params())
    slope = np.delete(model.logposterior_grad(found.params), models)  # but for the one that is held, and always steep
    if np.abs(slope).max() > FLAT:
        raise CalibrationError("the posterior mode of abilities and difficulties has not been found")
    chosen = np.flatnonzero(kinds == TASK)
    of_task = np.zeros((len(chosen), len(found.params)))
    of_task[:, models + 1] = -scale[0]
    of_task[np.arange(len(chosen)), models + 1 + chosen] = scale[chosen]
    return RaschFit(
        abilities=Located(found.fe_mean, found.fe_sd),
        difficulties=Located(of_task @ found.params, np.sqrt(np.sum(of_task @ covariance * of_task, axis=1))),
        task_sd=float(spreads[TASK]),
        interaction_sd=float(spreads[CELL]) if len(spreads) > CELL else None,
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out statsmodels' warning that a search ended otherwise than by its own test, as where it can get no nearer.

    What was found is tested instead.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", import_module("statsmodels.tools.sm_exceptions").ConvergenceWarning)
        yield


LEAST_MODELS = 30
"""With fewer models the answers say next to nothing of how sharply a task tells them apart."""
NOT_GIVEN = -1
"""In place of an answer, where a model was not given a task."""
LOG_SD, DIFFICULTY_SD = 0.5, 2.0
"""The standard deviations of the logarithms of discriminations, and of difficulties, before any data."""
MOST_ITERATIONS = 2000


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
    library, priors = _imported("mirt", "mirt.estimation.priors")
    found = library.fit_mirt(
        answers,
        model="2PL",
        max_iter=MOST_ITERATIONS,
        priors={
            "discrimination": priors.LogNormalPrior(0.0, LOG_SD),
            "difficulty": priors.NormalPrior(0.0, DIFFICULTY_SD),
        },
    )
    if not found.converged:
        raise CalibrationError(f"the two-parameter model has not been fitted in {MOST_STEPS} steps")
    mean, sd = found.model.parameters["discrimination"], found.standard_errors["discrimination"]
    return Discriminations(Located(np.log(mean), sd / mean))
