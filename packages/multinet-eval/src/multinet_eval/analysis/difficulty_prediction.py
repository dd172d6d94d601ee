"""Prediction of how difficult tasks are for models, from the tasks' static dimensions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from gridworld.solver import Difficulty
from gridworld.support.wording import counted
from multinet_eval.analysis.calibration import ALIKE, Calibration, Item
from multinet_eval.analysis.comparing import Table
from multinet_eval.analysis.metrics.known_tasks import Dimensions, KnownTasks
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.statistics.clusters import base_maze
from multinet_eval.statistics.ridge import RidgeFit, fit_ridge

DIMENSIONS = tuple(field.name for field in attrs.fields(Difficulty))
"""Names of the static dimensions."""
LEAST_MAZES = 30
"""Minimum number of base mazes; with fewer, the regression would overfit."""
LOGARITHMIC = frozenset({"states_searched"})
"""Dimensions that grow by factors, for which log(1 + x) is used."""


@attrs.frozen(eq=False)
class DifficultyPrediction:
    """Difficulties of tasks predicted from their static dimensions."""

    tasks: int
    """Number of tasks (per tiling) used for the fit."""
    mazes: int
    """Number of distinct base mazes among these tasks."""
    unknown: int
    """Number of tasks ignored because one of their dimensions is unknown."""
    fit: RidgeFit | None
    """The fitted regression; None if there are too few tasks."""

    @property
    def refusal(self) -> str | None:
        """Reason why numbers are missing; None if there is a fit."""
        if self.fit is not None:
            return None
        if self.mazes >= LEAST_MAZES:
            return "all tasks are equally difficult"
        beside = f", beside {self.unknown} tasks of which a dimension is not known" if self.unknown else ""
        return f"{counted(self.mazes, 'base maze')}{beside}; {LEAST_MAZES} are needed for {len(DIMENSIONS)} dimensions"

    def table(self) -> Table:
        """Return one row per dimension.

        ``coefficient`` is the change of the difficulty, in logits, per standard deviation of the dimension, all others
        being equal; None for a dimension that is equal in all tasks. The table is empty without a fit.
        """
        if self.fit is None:
            return []
        return [
            {"dimension": name, "coefficient": None if math.isnan(value) else value}
            for name, value in zip(DIMENSIONS, self.fit.coefficients.tolist(), strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as a JSON-ready dictionary."""
        return {
            "tasks": self.tasks,
            "mazes": self.mazes,
            "unknown": self.unknown,
            "refusal": self.refusal,
            "predicted_share": None if self.fit is None else self.fit.predicted_share,
            "penalty": None if self.fit is None else self.fit.penalty,
            "dimensions": self.table(),
        }


def predict_difficulties(
    found: Calibration, runs: Sequence[RecordedRun], max_table_states: int = MAX_STATES_OF_METRICS
) -> DifficultyPrediction:
    """Predict the difficulties of a calibration from the static dimensions of its tasks, by `fit_ridge`.

    Nothing is computed for fewer than `LEAST_MAZES` base mazes.

    Args:
        found: the calibration.
        runs: the runs of the calibration.
        max_table_states: maximum number of states of a task; some dimensions of larger ones are unknown.

    Raises:
        RidgeError: scikit-learn is not installed.
        ArgumentError: a backend needs credentials, which are not recorded.
        PluginFault: a backend, or a plugin that a task uses, failed.
    """
    tasks = {digest: task for run in runs for digest, task in run.tasks.items()}
    mazes = [base_maze(tasks[digest]) for _, _, digest in found.items]
    if len(set(mazes)) < LEAST_MAZES:
        return DifficultyPrediction(len(mazes), len(set(mazes)), 0, None)
    measured = _measure(runs, max_table_states)
    rows = [_row(measured[item]) for item in found.items]
    known = [number for number, row in enumerate(rows) if row is not None]
    groups = [mazes[number] for number in known]
    values = found.fit.difficulties.mean[known]
    fit = None
    if len(set(groups)) >= LEAST_MAZES and np.ptp(np.round(values, ALIKE)) > 0:
        fit = fit_ridge(np.array([rows[number] for number in known], dtype=np.float64), values, groups)
    return DifficultyPrediction(len(known), len(set(groups)), len(rows) - len(known), fit)


def _measure(runs: Sequence[RecordedRun], max_table_states: int) -> Mapping[Item, Dimensions | None]:
    """Measure the dimensions of each task on each tiling; None without a plan or without a kernel backend."""
    measured: dict[Item, Dimensions | None] = {}
    for run in runs:
        grounds = KnownTasks(run.manifest, run.tasks, max_table_states)
        for each in run.manifest.plan:
            item = (each.task_id, each.tiling or "", each.task)
            if item not in measured:
                suite = grounds.known_suite(each.tiling)
                measured[item] = None if suite is None else suite.dimensions_of(run.tasks[each.task])
    return measured


def _row(dimensions: Dimensions | None) -> list[float] | None:
    """Return a task's features in the order of `DIMENSIONS`; None if one is unknown."""
    found = [] if dimensions is None else [dimensions[name] for name in DIMENSIONS]
    known = [value for value in found if value is not None]
    if len(known) < len(DIMENSIONS):
        return None
    return [math.log1p(value) if name in LOGARITHMIC else value for name, value in zip(DIMENSIONS, known, strict=True)]
