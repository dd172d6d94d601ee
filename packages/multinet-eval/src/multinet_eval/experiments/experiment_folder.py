"""`ExperimentFolder`: where an experiment is recorded: ``experiment.json``, and the folder of each run.

The file says what the experiment is; how far it has come follows from its runs, and is stored nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gridworld.errors import ArgumentError
from multinet_eval.experiments.experiment_file import Experiment
from multinet_eval.experiments.preparing import PreparedRun
from multinet_eval.record.fingerprint import differences, result_settings, without_credentials
from multinet_eval.record.record_folders import EXPERIMENT, RunError, begin_record, kind_of, read_record
from multinet_eval.settings.run_settings import RunSettings

VERSION = 1
"""The version of ``experiment.json``; it grows with every change that an older reader would misunderstand."""


class ExperimentFolder:
    """The folder of an experiment; `open` makes it, or goes on with it.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = path.absolute()  # models may change the working directory between two runs

    @classmethod
    def open(cls, path: Path, experiment: Experiment, runs: Sequence[PreparedRun]) -> ExperimentFolder:
        """The folder of an experiment, new or gone on with.

        Args:
            path: a new or empty folder, or one in which the same experiment is recorded.
            experiment: the experiment.
            runs: all of its runs.

        Raises:
            ArgumentError: the folder holds an experiment of which something that decides results is not as it was; all
                of it is named.
            RunError: it holds something else, or cannot be written or read.
        """
        present = _describe(experiment, runs)
        if kind_of(path) is EXPERIMENT:
            _refuse_other(_read(path), present, path)
        else:
            begin_record(path, EXPERIMENT, present, files={})
        return cls(path)

    def of(self, prepared: PreparedRun) -> Path:
        """The folder of a run."""
        return self._root / prepared.run.folder


def _describe(experiment: Experiment, runs: Sequence[PreparedRun]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "file": Path(experiment.file).name,
        "file_hash": experiment.digest,
        "conditions": [{"name": each.name, "varied": dict(each.varied)} for each in experiment.conditions],
        "runs": [
            {
                "folder": each.run.folder,
                "condition": each.run.condition,
                "suite": each.suite.name,
                "suite_hash": each.suite.digest,
                "model_name": each.model_name,
                "settings": without_credentials(each.settings).to_dict(),
            }
            for each in runs
        ],
    }


def _read(path: Path) -> dict[str, Any]:
    data = read_record(path, EXPERIMENT, VERSION)
    if not isinstance(data.get("runs"), list):
        raise _damaged(path, "it names no runs")
    return data


def _damaged(path: Path, why: object) -> RunError:
    return RunError(f"{path / EXPERIMENT.file} is damaged: {why}")


def _refuse_other(recorded: Mapping[str, Any], present: Mapping[str, Any], path: Path) -> None:
    """Make sure that what decides the results of all runs is as it was."""
    try:
        before, now = ({each["folder"]: _deciding(each) for each in data["runs"]} for data in (recorded, present))
    except (KeyError, TypeError) as error:
        raise _damaged(path, error) from error
    found = list(differences(before, now))
    if found:
        listed = "".join(f"\n  {each}" for each in found)
        raise ArgumentError(f"{path} holds another experiment: choose another folder with --output{listed}")


def _deciding(run: Mapping[str, Any]) -> dict[str, Any]:
    """Settings in the description of a run that affect its results."""
    settings = RunSettings.from_dict(run["settings"])
    return {
        "condition": run["condition"],
        "suite": run["suite_hash"],
        "settings": {**result_settings(settings), "epochs": settings.epochs},
    }
