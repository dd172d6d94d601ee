"""Calibration: models and tasks on one scale, fitted to all recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from multinet_eval.analysis.leaderboard import Entry, conditions_of, find_entries
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.analysis.run_comparison import Table, check_given, observe
from multinet_eval.analysis.score import DEFAULT_SCORE, SCORES
from multinet_eval.analysis.shared_conditions import check_comparable
from multinet_eval.statistics.clusters import Observation
from multinet_eval.statistics.item_response import CalibrationError, Located, Positive, RaschFit, fit_rasch
from multinet_eval.statistics.paired_differences import estimate_score

Item = tuple[str, str, str]
"""Task id, tiling and task hash."""
ALIKE = 6
"""Number of decimals to which estimates are rounded, since more would depend on the convergence of the fit."""


@attrs.frozen(eq=False)
class Calibration:
    """Models and tasks on a common scale; the tables are lists of dictionaries, for JSON, CSV and data frames."""

    entries: tuple[Entry, ...]
    """The models, one entry for each varied condition."""
    items: tuple[Item, ...]
    """The tasks on their tilings."""
    successes: NDArray[np.int64]
    """Number of successful episodes of each entry on each item, shape (entries, items)."""
    trials: NDArray[np.int64]
    """Number of scored episodes of each entry on each item, shape (entries, items)."""
    fit: RaschFit

    @property
    def mazes(self) -> int:
        """Number of distinct base mazes among the tasks."""
        return len({each.cluster for entry in self.entries for each in _observations(entry) if each.score is not None})

    def model_table(self) -> Table:
        """Return one row per entry, the ablest first: its ability in logits, with its 95 % interval.

        ``success`` is the success rate: the mean over base mazes, as everywhere.
        """
        rows = [
            {
                "entry": entry.name,
                "model": entry.model,
                **_located("ability", self.fit.abilities, number),
                "episodes": int(self.trials[number].sum()),
                "success": estimate_score(_observations(entry)).score,
            }
            for number, entry in enumerate(self.entries)
        ]
        return sorted(rows, key=lambda row: (-round(row["ability"], ALIKE), row["entry"]))

    def task_table(self) -> Table:
        """Return one row per task and tiling, the hardest first.

        ``difficulty`` is the ability, in logits, at which half of the trials succeed, with its 95 % interval.
        ``solved_by`` is ``all`` or ``none`` if all trials of all models succeeded or failed, otherwise ``some``.
        ``information`` says how well the task discriminates between these models: the mean of 4 p (1 - p) over them,
        with p the probability of success by ability and difficulty, in (0, 1].
        """
        rows = [
            {
                "task_id": task_id,
                "tiling": tiling or None,
                "task": digest,
                **_located("difficulty", self.fit.difficulties, number),
                **_counted(self.successes[:, number], self.trials[:, number]),
                "solved_by": _solvers(self.successes[:, number], self.trials[:, number]),
                "information": self._information(number),
            }
            for number, (task_id, tiling, digest) in enumerate(self.items)
        ]
        return sorted(
            rows,
            key=lambda row: (-round(row["difficulty"], ALIKE), row["task_id"], row["tiling"] or "", row["task"]),
        )

    def scatters(self) -> dict[str, Any]:
        """Return the scatter of models, of tasks, and of models on single tasks, in logits, with 95 % intervals.

        The last one is None without repetitions.
        """
        known = len(self.fit.scatters.mean)
        found: dict[str, Any] = {}
        for number, name in enumerate(("ability_sd", "task_sd", "interaction_sd")):
            found |= _located(name, self.fit.scatters if number < known else None, number)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as a JSON-ready dictionary."""
        return {
            "mazes": self.mazes,
            "models": self.model_table(),
            "tasks": self.task_table(),
            **self.scatters(),
            "moved_by_prior": [{"scale": scale, "moved": moved} for scale, moved in self.fit.moved.items()],
        }

    def _information(self, number: int) -> float:
        given = self.trials[:, number] > 0
        logits = self.fit.abilities.mean[given] - self.fit.difficulties.mean[number]
        return float(np.mean(1 / np.cosh(logits / 2) ** 2))


def calibrate_runs(runs: Sequence[RecordedRun], varied: Iterable[str] = ()) -> Calibration:
    """Put models and tasks on one scale with `fit_rasch`.

    Runs may use different suites if some models have played both, which puts them on one scale. All other
    result-affecting settings must be equal, except the model and declared ones. Missing episodes are ignored.

    Args:
        runs: the runs, at least one, each once.
        varied: declared conditions besides model and suite: parts of the fingerprints; a model under another condition
            is another model.

    Raises:
        ArgumentError: no run is given, or a run is given twice, possibly as a copy.
        UnknownNameError: a declared condition does not exist.
        NotComparable: an undeclared condition differs between runs.
        CalibrationError: the results determine no scale.
    """
    declared = [name for name in varied if name != "suite"]
    check_given(runs, 1)
    check_comparable(runs, [*declared, "suite"])
    entries = tuple(sorted(find_entries(runs, conditions_of(runs, declared)), key=lambda entry: entry.name))
    counts = [_counts(entry) for entry in entries]
    items = tuple(sorted({item for each in counts for item in each}))
    if not items:
        raise CalibrationError("no episode is scored in any of the runs")
    found = [[each.get(item, (0, 0)) for item in items] for each in counts]
    won, played = np.moveaxis(np.array(found, dtype=np.int64), -1, 0)
    return Calibration(entries, items, won, played, fit_rasch(won, played))


def _observations(entry: Entry) -> list[Observation]:
    return [each for run in entry.runs for each in observe(run.played, SCORES[DEFAULT_SCORE], ())]


def _counts(entry: Entry) -> Mapping[Item, tuple[int, int]]:
    """Return the numbers of successful and of scored episodes of an entry, by item."""
    found: dict[Item, tuple[int, int]] = {}
    for run in entry.runs:
        for each in run.played:
            if each.result is not None and each.result.scored:
                item = (each.planned.task_id, each.planned.tiling or "", each.planned.task)
                won, played = found.get(item, (0, 0))
                found[item] = (won + each.result.success, played + 1)
    return found


def _located(name: str, found: Located | Positive | None, number: int) -> dict[str, Any]:
    ends = [None] * 3 if found is None else [float(each[number]) for each in (found.mean, found.low, found.high)]
    return dict(zip((name, f"{name}_interval_low", f"{name}_interval_high"), ends, strict=True))


def _counted(successes: NDArray[np.int64], trials: NDArray[np.int64]) -> dict[str, Any]:
    won, played = int(successes.sum()), int(trials.sum())
    return {"episodes": played, "success": won / played if played else None}


def _solvers(successes: NDArray[np.int64], trials: NDArray[np.int64]) -> str:
    if successes.sum() == 0:
        return "none"
    return "all" if successes.sum() == trials.sum() else "some"
