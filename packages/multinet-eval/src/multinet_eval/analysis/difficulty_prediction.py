"""`predict_difficulties`: how much of what models find difficult the static dimensions of the tasks predict."""

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
"""The names of the static dimensions."""
LEAST_MAZES = 30
"""With fewer base mazes, so many dimensions fit anything."""
LOGARITHMIC = frozenset({"states_searched"})
"""The dimensions that grow by factors, of which the logarithm is taken, after 1 is added."""


@attrs.frozen(eq=False)
class DifficultyPrediction:
    """Difficulties of tasks, predicted from their static dimensions."""

    tasks: int
    """On each of their tilings: those that it rests on."""
    mazes: int
    """The base mazes that they are variants of."""
    unknown: int
    """Number of tasks left out because one of their dimensions is not known."""
    fit: RidgeFit | None
    """None where there is too little to go by."""

    @property
    def refusal(self) -> str | None:
        """Why there are no numbers; None where there are some."""
        if self.fit is not None:
            return None
        if self.mazes >= LEAST_MAZES:
            return "all tasks are equally difficult"
        beside = f", beside {self.unknown} tasks of which a dimension is not known" if self.unknown else ""
        return f"{counted(self.mazes, 'base maze')}{beside}; {LEAST_MAZES} are needed for {len(DIMENSIONS)} dimensions"

    def table(self) -> Table:
        """A row for each dimension.

        ``coefficient`` is what one standard deviation of it adds to the difficulty, in logits, all others alike; None
        for a dimension that is the same for all tasks. Empty without a fit.
        """
        if self.fit is None:
            return []
        return [
            {"dimension": name, "coefficient": None if math.isnan(value) else value}
            for name, value in zip(DIMENSIONS, self.fit.coefficients.tolist(), strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
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

    Nothing is measured where there are fewer than `LEAST_MAZES`.

    Args:
        found: the calibration.
        runs: the runs that it was made of.
        max_table_states: of tasks with more states not all dimensions are known.

    Raises:
        RidgeError: scikit-learn is not installed.
        ArgumentError: a backend needs credentials, which are not recorded.
        PluginFault: a backend, or what a task uses, failed.
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
    """The dimensions of each task on each tiling; None where no plan was found, or it is not built on the kernel."""
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
    """The features of a task, in the order of `DIMENSIONS`; None where one is not known."""
    found = [] if dimensions is None else [dimensions[name] for name in DIMENSIONS]
    known = [value for value in found if value is not None]
    if len(known) < len(DIMENSIONS):
        return None
    return [math.log1p(value) if name in LOGARITHMIC else value for name, value in zip(DIMENSIONS, known, strict=True)]
