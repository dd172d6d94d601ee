"""Folder of an experiment: ``experiment.json`` and one folder per run.

The file holds the definition of the experiment; its progress is derived from the runs and not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gridworld.errors import ArgumentError
from gridworld.support.wording import first_lines
from multinet_eval.experiments.experiment_file import Experiment
from multinet_eval.experiments.preparing import PreparedRun
from multinet_eval.record.confirmation import Given, UnconfirmedError, settings_to_resume
from multinet_eval.record.fingerprint import differences, result_settings, without_credentials
from multinet_eval.record.record_folders import (
    EXPERIMENT,
    RUN,
    RunError,
    begin_record,
    kind_of,
    read_record,
    records_in,
)
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.run_settings import RunSettings


class ExperimentFolder:
    """The folder of an experiment; `open` creates or continues it.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = path.absolute()  # models may change the working directory between two runs

    @classmethod
    def open(cls, path: Path, experiment: Experiment, runs: Sequence[PreparedRun]) -> ExperimentFolder:
        """Open the folder of a new or recorded experiment.

        Args:
            path: a new or empty folder, or one with the same experiment.
            experiment: the experiment.
            runs: all of its runs.

        Raises:
            ArgumentError: result-affecting settings differ from the recorded experiment, or a run recorded by somebody
                else names something outside of its folder that the file does not; the message lists them.
            RunError: the folder holds something else, or cannot be written or read.
        """
        if kind_of(path) is not EXPERIMENT:
            begin_record(path, EXPERIMENT, _describe(experiment, runs), files={})
        else:
            _refuse_other(_read(path), _describe(experiment, runs), path)
            for each in runs:
                _refuse_unconfirmed(path / each.run.folder, each.settings, experiment.file)
        return cls(path)

    def of(self, prepared: PreparedRun) -> Path:
        """Return the folder of a run."""
        return self._root / prepared.run.folder


def recorded_runs(path: Path) -> list[Path]:
    """Return the folders of an experiment's recorded runs, in the order of its conditions.

    Raises:
        RunError: the folder cannot be read, or no run of the experiment has begun.
    """
    recorded = {folder.name: folder for folder, kind in records_in(path) if kind is RUN}
    try:
        named = [each["folder"] for each in _read(path)["runs"]]
    except (KeyError, TypeError) as error:
        raise _damaged(path, error) from error
    found = [recorded[name] for name in named if name in recorded]
    if not found:
        raise RunError(f"{path}: no run of this experiment has begun")
    return found


def _describe(experiment: Experiment, runs: Sequence[PreparedRun]) -> dict[str, Any]:
    return {
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
    data = read_record(path, EXPERIMENT)
    if not isinstance(data.get("runs"), list):
        raise _damaged(path, "it names no runs")
    return data


def _damaged(path: Path, why: object) -> RunError:
    return RunError(f"{path / EXPERIMENT.file} is damaged: {why}")


def _refuse_other(recorded: Mapping[str, Any], present: Mapping[str, Any], path: Path) -> None:
    """Check that result-affecting settings of all runs are unchanged."""
    try:
        before, now = ({each["folder"]: _deciding(each) for each in data["runs"]} for data in (recorded, present))
        found = list(differences(before, now))
    except (KeyError, TypeError, ArgumentError) as error:
        raise _damaged(path, error) from error
    if found:
        listed = "".join(f"\n  {line}" for line in first_lines(found))
        raise ArgumentError(f"{path} holds another experiment: choose another folder with --output{listed}")


def _refuse_unconfirmed(path: Path, settings: RunSettings, file: str) -> None:
    """Raise ArgumentError if a recorded run of somebody else names something that the experiment's file does not."""
    try:
        run = RunDirectory(path)
    except RunError:  # not begun; or damaged, which is reported when it is played
        return
    try:
        settings_to_resume(run.manifest.settings, run.is_own, path, Given.of(settings))
    except UnconfirmedError as error:
        raise ArgumentError(f"{error}\nadd it to {file}, or choose another folder with --output") from error


def _deciding(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result-affecting settings in a run's description."""
    settings = RunSettings.from_dict(run["settings"])
    return {
        "condition": run["condition"],
        "suite": run["suite_hash"],
        "settings": {**result_settings(settings), "epochs": settings.epochs},
    }
