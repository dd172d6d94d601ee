"""Models and tasks on one scale: the hierarchical Rasch model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.errors import GridworldError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEVEL_SD = 3.0
"""Prior standard deviation of the mean difficulty, in logits."""
SCALES = (2.0, 2.0, 1.0)
"""Scales of the half-normal priors for the scatter of abilities, of difficulties, and of models on single tasks."""
OTHER_SCALES = (1.0, 4.0)
"""Alternative scales for the scatter of abilities, for a sensitivity analysis."""
NODE_RANGE, NODE_STEP = 5.0, 1.5
"""Range of quadrature nodes, in prior standard deviations, and their spacing, in posterior standard deviations."""
LOGIT_RANGE, LOGIT_STEP = 40.0, 0.02
"""Largest absolute log odds in tables of likelihoods, and the spacing of the tables."""
MOST_STEPS = 100
"""Maximum number of Newton steps; a few are usually enough."""
CLOSE = 1e-6
"""Gain in log posterior per step below which the mode counts as found."""
LATTICE_STEP, LATTICE_DEPTH = 1.25, 6.0
"""Spacing of lattice points, in conditional standard deviations, and their range, in log density."""
ENDS = (0.025, 0.975)
"""Quantile levels of the ends of intervals."""
LEAST_COVERED = 8
"""Minimum number of models for which simulated intervals reach their nominal coverage."""
DEVIATES = np.linspace(-6, 6, 25)
"""Points at which a posterior is compared with a normal one, in standard deviations from the mode."""
WIDEST = 0.6
"""Maximum lattice spacing, in logarithms of a standard deviation."""
Z_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


class CalibrationError(GridworldError):
    """A response model cannot be fitted."""


@attrs.frozen(eq=False)
class Located:
    """Locations on the scale, in logits, with their uncertainty."""

    mean: Floats
    """Posterior means, shape (n,)."""
    sd: Floats
    """Posterior standard deviations, shape (n,)."""
    ends: tuple[Floats | float, Floats | float] = (-Z_95, Z_95)
    """Ends of the 95 % intervals, in standard deviations from the mean; numbers or arrays of shape (n,)."""

    @property
    def low(self) -> Floats:
        """Lower ends of 95 % intervals, shape (n,)."""
        return self.mean + self.ends[0] * self.sd

    @property
    def high(self) -> Floats:
        """Upper ends of 95 % intervals, shape (n,)."""
        return self.mean + self.ends[1] * self.sd


@attrs.frozen(eq=False)
class Positive:
    """Positive quantities whose logarithms are uncertain."""

    logarithms: Located
    """Logarithms, with symmetric intervals."""

    @property
    def mean(self) -> Floats:
        """Centres, shape (n,): exponentials of the mean logarithms."""
        return np.exp(self.logarithms.mean)

    @property
    def low(self) -> Floats:
        """Lower ends of 95 % intervals, shape (n,)."""
        return np.exp(self.logarithms.low)

    @property
    def high(self) -> Floats:
        """Upper ends of 95 % intervals, shape (n,)."""
        return np.exp(self.logarithms.high)


@attrs.frozen(eq=False)
class RaschFit:
    """Result of a fit."""

    abilities: Located
    """Abilities of the models."""
    difficulties: Located
    """Difficulties of the tasks: abilities at which half of the trials succeed."""
    scatters: Positive
    """Standard deviations in logits: of abilities, of difficulties and, with repetitions, of models on single tasks."""
    moved: Mapping[float, float]
    """Maximum shift of an ability, in logits, under each alternative prior scale for the scatter of abilities."""


def fit_rasch(successes: Ints, trials: Ints) -> RaschFit:
    """Fit a hierarchical Rasch model to the numbers of successes of each model at each task.

    The log odds of a success are θ - b + u: the ability θ of the model, from N(0, a²); the difficulty b of the task,
    from N(m, s²); and, if a model was given a task more than once, u from N(0, t²) for each pair of model and task, so
    that repetitions do not count as independent evidence. m is from N(0, 3²); a and s are half-normal with scale 2, t
    with scale 1. Priors keep the difficulties of tasks that all or no models solve finite.

    b and u are integrated out by quadrature. Given a, s and t, abilities have a normal approximation at their posterior
    mode (Laplace); a, s and t are on a lattice over their posterior. Results are of the mixture, so intervals include
    the uncertainty of the scatters and of the location of the scale.

    Args:
        successes: int, shape (models, tasks), in [0, trials].
        trials: int, shape (models, tasks), 0 if a model was not given a task; at least one is positive.

    Raises:
        CalibrationError: all trials had the same result, or the fit does not converge.
    """
    if successes.sum() in (0, trials.sum()):
        raise CalibrationError("all scored episodes ended alike, in success or failure, so no scale can be estimated")
    answers = _Answers(successes, trials)
    points = _lattice(answers)
    skew = answers.skew_at(max(points, key=_Point.density))
    abilities, difficulties = zip(*(each.located(skew) for each in points), strict=True)
    weights = _weights(points, SCALES[0])
    able = _mixed(abilities, weights)
    moved = {scale: _mixed(abilities, _weights(points, scale)).mean - able.mean for scale in OTHER_SCALES}
    return RaschFit(
        abilities=attrs.evolve(able, ends=skew.ends),
        difficulties=_mixed(difficulties, weights),
        scatters=Positive(_mixed([Located(each.logs, np.zeros(len(each.logs))) for each in points], weights)),
        moved={scale: float(np.abs(by).max()) for scale, by in moved.items()},
    )


@attrs.frozen(eq=False)
class _Point:
    """Normal approximation of the posterior of offsets (abilities minus the mean difficulty), given the scatters."""

    logs: Floats
    """Logarithms of the scatters."""
    evidence: float
    """Log probability of the answers."""
    mode: Floats
    """Mode of the offsets, shape (models,)."""
    covariance: Floats
    """Covariance of the offsets, shape (models, models)."""
    tasks: _Likelihood
    """Values at the mode."""

    def density(self, scale: float = SCALES[0]) -> float:
        """Return the log posterior density of the log scatters, for a prior scale of the scatter of abilities."""
        scales = np.array([scale, *SCALES[1 : len(self.logs)]])
        prior = self.logs - np.log(scales) - np.exp(2 * self.logs) / scales**2 / 2
        return self.evidence + float(prior.sum())

    def located(self, skew: _Skew) -> tuple[Located, Located]:
        """Return the abilities and difficulties."""
        sds = np.sqrt(np.diag(self.covariance))
        shift, covariance = skew.shift * sds, self.covariance * np.outer(skew.widening, skew.widening)
        models, ability_variance = len(sds), np.exp(2 * self.logs[0])
        level_variance = 1 / (LEVEL_SD**-2 + models / ability_variance)
        pull = level_variance / ability_variance
        offsets = self.mode + shift
        level = -pull * offsets.sum()
        turned, loads = np.eye(models) - pull, self.tasks.loads - pull
        of_models = level_variance + np.sum(turned @ covariance * turned, axis=1)
        of_tasks = level_variance + self.tasks.task_variance + np.sum(covariance @ loads * loads, axis=0)
        tasks = level + self.tasks.task_mean + shift @ self.tasks.loads
        return Located(offsets + level, np.sqrt(of_models)), Located(tasks, np.sqrt(of_tasks))


@attrs.frozen(eq=False)
class _Skew:
    """Deviations of the posteriors of offsets from normal ones, in standard deviations, each of shape (models,)."""

    shift: Floats
    """Shift of the mean from the mode."""
    widening: Floats
    """Factor of the standard deviation."""
    ends: tuple[Floats, Floats]
    """Ends of the 95 % intervals, in the corrected standard deviations from the mean."""


def _weights(points: Sequence[_Point], scale: float) -> Floats:
    """Return the posterior probabilities of the points of a lattice, for a prior scale of the scatter of abilities."""
    densities = np.array([each.density(scale) for each in points])
    weights: Floats = np.exp(densities - densities.max())
    weights /= weights.sum()
    return weights


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _mixed(parts: Sequence[Located], weights: Floats) -> Located:
    """Return the mean and standard deviation of a mixture."""
    means, sds = np.array([each.mean for each in parts]), np.array([each.sd for each in parts])
    mean = weights @ means
    return Located(mean, np.sqrt(weights @ (sds**2 + (means - mean) ** 2)))


def _lattice(answers: _Answers) -> list[_Point]:
    """Build a lattice over the posterior of the logarithms of scatters, around its mode."""
    repeated = answers.trials.max() > 1
    best = answers.at(np.log([1.0, 1.0, 0.5][: 3 if repeated else 2]), np.zeros(len(answers.trials)))
    axes, step = np.eye(len(best.logs)), WIDEST
    while step > WIDEST / 10:
        near = [answers.at(best.logs + sign * step * axis, best.mode) for axis in axes for sign in (1, -1)]
        better = max(near, key=_Point.density)
        if better.density() > best.density():
            best = better
        else:
            bends = [
                2 * best.density() - up.density() - down.density()
                for up, down in zip(near[::2], near[1::2], strict=True)
            ]
            widths = [LATTICE_STEP * step / np.sqrt(max(bend, 1e-9)) for bend in bends]
            step /= 2
    steps = np.minimum(widths, WIDEST)
    found, waiting = {(0,) * len(steps): best}, [(0,) * len(steps)]
    while waiting:
        place = waiting.pop()
        if found[place].density() < best.density() - LATTICE_DEPTH:
            continue
        for axis in axes.astype(int):
            for following in (tuple((place + axis).tolist()), tuple((place - axis).tolist())):
                if following not in found:
                    found[following] = answers.at(best.logs + steps * following, found[place].mode)
                    waiting.append(following)
    return list(found.values())


@attrs.frozen(eq=False)
class _Likelihood:
    """Log probability of all answers given the offsets, with moments of the tasks' difficulties."""

    value: float
    gradient: Floats
    """Gradient by the offsets, shape (models,)."""
    hessian: Floats
    """Negative Hessian by the offsets, shape (models, models)."""
    task_mean: Floats
    """Means of difficulties minus their mean, shape (tasks,)."""
    task_variance: Floats
    loads: Floats
    """Derivative of `task_mean` with respect to the offsets, shape (models, tasks)."""


@attrs.frozen(eq=False)
class _Integrals:
    """Quadrature over difficulties, given the scatters."""

    nodes: Floats
    """Nodes: difficulties minus their mean."""
    masses: Floats
    """Prior masses of the nodes."""
    table: Floats
    """Likelihoods of answers (`_tabulated`)."""
    where: Ints
    """Index of each pair of model and task in the table, shape (models, tasks)."""

    def likelihood(self, offsets: Floats) -> _Likelihood:
        """Compute the likelihood of offsets."""
        logs, slopes, bends = self._looked_up(offsets)
        weights, sums = self._posterior(logs)
        weighted = slopes * weights
        means = weighted.sum(axis=2)
        models = len(offsets)
        products = weighted.reshape(models, -1) @ slopes.reshape(models, -1).T - means @ means.T
        task_mean = weights @ self.nodes
        return _Likelihood(
            value=float(sums.sum()),
            gradient=means.sum(axis=1),
            hessian=products + np.diag((bends * weights).sum(axis=(1, 2))),
            task_mean=task_mean,
            task_variance=weights @ self.nodes**2 - task_mean**2,
            loads=weighted @ self.nodes - means * task_mean,
        )

    def skew(self, mode: Floats, precision: Floats, curvature: Floats) -> _Skew:
        """Compute the deviation of the posterior of each offset from a normal one, with the others at their modes."""
        sds = 1 / np.sqrt(np.diag(curvature))
        logs = self._looked_up(mode)[0]
        weights, _ = self._posterior(logs)
        densities = np.empty((len(DEVIATES), len(mode)))
        for place, deviate in enumerate(DEVIATES):
            moved = mode + deviate * sds
            ratios = np.einsum("ijk,jk->ij", np.exp(self._looked_up(moved)[0] - logs), weights)
            prior = deviate * sds * (precision @ mode) + (deviate * sds) ** 2 * np.diag(precision) / 2
            densities[place] = np.log(ratios).sum(axis=1) - prior
        masses = np.exp(densities - densities.max(axis=0))
        masses /= masses.sum(axis=0)
        shift = DEVIATES @ masses
        widening = np.sqrt(DEVIATES**2 @ masses - shift**2)
        below = np.cumsum(masses, axis=0) - masses / 2
        ends = np.array([np.interp(ENDS, each, DEVIATES) for each in below.T]).T
        low, high = (ends - shift) / widening
        return _Skew(shift, widening, (low, high))

    def _looked_up(self, offsets: Floats) -> Floats:
        """Look up the likelihoods at all nodes, shape (3, models, tasks, nodes)."""
        at = np.clip((offsets[:, None] - self.nodes + LOGIT_RANGE) / LOGIT_STEP, 0, self.table.shape[-1] - 1.001)
        left = at.astype(np.int64)
        by_pair = self.table[:, :, left] * (1 - at + left) + self.table[:, :, left + 1] * (at - left)
        found: Floats = by_pair[:, self.where, np.arange(len(offsets))[:, None]]
        return found

    def _posterior(self, logs: Floats) -> tuple[Floats, Floats]:
        """Return the nodes' posterior masses, shape (tasks, nodes), and the log probability of each task's answers."""
        joint = logs.sum(axis=0) + np.log(self.masses)
        top = joint.max(axis=1)
        weights = np.exp(joint - top[:, None])
        sums = weights.sum(axis=1)
        return weights / sums[:, None], top + np.log(sums)


@attrs.frozen(eq=False, slots=False)
class _Answers:
    successes: Ints
    trials: Ints
    tables: dict[float, Floats] = attrs.field(factory=dict)
    """Likelihoods by scatter of models at single tasks (`_tabulated`)."""

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """Distinct pairs of successes and trials, shape (pairs, 2), and their indices, shape (models, tasks)."""
        both = np.stack([self.successes, self.trials], axis=-1).reshape(-1, 2)
        found, where = np.unique(both, axis=0, return_inverse=True)
        return found, where.reshape(self.trials.shape)

    def at(self, logs: Floats, start: Floats) -> _Point:
        """Compute the posterior given the logarithms of scatters; the search for its mode starts at `start`."""
        integrals, spread = self._given(logs)
        precision = _inverse(spread)
        mode, here, curvature = _climb(start, integrals.likelihood, precision)
        evidence = here.value - mode @ precision @ mode / 2
        evidence -= (np.linalg.slogdet(spread)[1] + np.linalg.slogdet(curvature)[1]) / 2
        return _Point(logs, float(evidence), mode, _inverse(curvature), here)

    def skew_at(self, point: _Point) -> _Skew:
        """Compute the deviations of the posteriors of offsets from normal ones at a point of the lattice."""
        integrals, spread = self._given(point.logs)
        return integrals.skew(point.mode, _inverse(spread), _inverse(point.covariance))

    def _given(self, logs: Floats) -> tuple[_Integrals, Floats]:
        """Return the quadrature given the logarithms of scatters, and the prior covariance of offsets."""
        ability_sd, task_sd, *rest = np.exp(logs).tolist()
        counts, where = self.pairs
        interaction_sd = rest[0] if rest else 0.0
        if interaction_sd not in self.tables:
            self.tables[interaction_sd] = _tabulated(counts, interaction_sd)
        nodes = _nodes(task_sd, int(self.trials.sum(axis=0).max()))
        spread = ability_sd**2 * np.eye(len(where)) + LEVEL_SD**2
        return _Integrals(*nodes, self.tables[interaction_sd], where), spread


def _climb(
    offsets: Floats, likelihood: Callable[[Floats], _Likelihood], precision: Floats
) -> tuple[Floats, _Likelihood, Floats]:
    """Find the mode of the posterior of offsets, and its curvature, by Newton's method."""
    here = likelihood(offsets)
    for _ in range(MOST_STEPS):
        curvature = precision - here.hessian
        slope = here.gradient - precision @ offsets
        step = np.linalg.solve(curvature, slope)
        if step @ slope < CLOSE:
            return offsets, here, curvature
        here = likelihood(offsets + step)
        while step @ (here.gradient - precision @ (offsets + step)) < -step @ slope / 2:  # far behind the mode
            step = step / 2
            here = likelihood(offsets + step)
        offsets = offsets + step
    raise CalibrationError(f"the posterior mode of the abilities was not found within {MOST_STEPS} steps")


def _nodes(sd: float, trials: int) -> tuple[Floats, Floats]:
    """Return the nodes and masses of a normal distribution, dense enough for likelihoods of that many trials."""
    reach, step = NODE_RANGE * sd, NODE_STEP / np.sqrt(1 / sd**2 + trials / 4)
    nodes = np.linspace(-reach, reach, 2 * int(np.ceil(reach / step)) + 1)
    masses = np.exp(-((nodes / sd) ** 2) / 2)
    return nodes, masses / masses.sum()


def _tabulated(counts: Ints, interaction_sd: float) -> Floats:
    """Tabulate log likelihoods of successes and trials, with two derivatives, by log odds: shape (3, pairs, logits)."""
    logits = np.arange(-LOGIT_RANGE, LOGIT_RANGE + LOGIT_STEP, LOGIT_STEP)
    successes, trials = (each[:, None, None] for each in counts.T)
    nodes, masses = _nodes(interaction_sd, int(trials.max())) if interaction_sd else (np.zeros(1), np.ones(1))
    odds = logits[:, None] + nodes
    chance = 1 / (1 + np.exp(-odds))
    joint = successes * odds - trials * np.logaddexp(0, odds) + np.log(masses)
    top = joint.max(axis=-1, keepdims=True)
    weights = np.exp(joint - top)
    sums = weights.sum(axis=-1, keepdims=True)
    weights /= sums
    slopes = successes - trials * chance
    slope = (weights * slopes).sum(axis=-1)
    bend = (weights * (slopes**2 - trials * chance * (1 - chance))).sum(axis=-1) - slope**2
    return np.stack([(top + np.log(sums))[..., 0], slope, bend])
