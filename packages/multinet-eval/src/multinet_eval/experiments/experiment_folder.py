"""`ExperimentFolder`: where an experiment is recorded: ``experiment.json``, and the folder of each run.

The file says what the experiment is; how far it has come follows from its runs, and is stored nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError, GridworldError
from gridworld.support.files import write_text
from multinet_eval.experiments.experiment import Experiment
from multinet_eval.experiments.experiment_file import RESERVED
from multinet_eval.experiments.preparing import PreparedRun
from multinet_eval.json_text import json_text
from multinet_eval.runs.manifest import differences, model_fingerprint, without_credentials
from multinet_eval.runs.settings import RunSettings
from multinet_eval.writing import writing_to

__all__ = ["ExperimentFolder"]

VERSION = 1
"""The version of ``experiment.json``; it grows with every change that an older reader would misunderstand."""


class ExperimentFolder:
    """The folder of an experiment; `open` makes it, or goes on with it.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def open(cls, path: Path, experiment: Experiment, runs: Sequence[PreparedRun]) -> ExperimentFolder:
        """The folder of an experiment, new or gone on with.

        Args:
            path: a new or empty folder, or one in which the same experiment is recorded.
            experiment: the experiment.
            runs: all of its runs.

        Raises:
            ArgumentError: the folder holds something else, or an experiment of which something that decides results is
                not as it was; all of it is named.
            GridworldError: it cannot be written or read.
        """
        file, present = path / RESERVED, _describe(experiment, runs)
        if file.exists():
            _refuse_other(_read(file), present, path)
        elif path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ArgumentError(f"{path} is no folder of an experiment and not empty: choose another one with --output")
        else:
            with writing_to(path):
                path.mkdir(parents=True, exist_ok=True)
                write_text(file, json_text(present) + "\n")
        return cls(path)

    def of(self, prepared: PreparedRun) -> Path:
        """The folder of a run."""
        return self.path / prepared.run.folder


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


def _read(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise GridworldError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise GridworldError(f"{file} is damaged: it is not JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("runs"), list) or data.get("version") != VERSION:
        raise GridworldError(f"{file} is damaged, or of another version of multinet-eval")
    return data


def _refuse_other(recorded: Mapping[str, Any], present: Mapping[str, Any], path: Path) -> None:
    """Make sure that what decides the results of all runs is as it was."""
    try:
        before, now = ({each["folder"]: _deciding(each) for each in data["runs"]} for data in (recorded, present))
    except (KeyError, TypeError) as error:
        raise GridworldError(f"{path / RESERVED} is damaged: {error}") from error
    found = list(differences(before, now))
    if found:
        listed = "".join(f"\n  {each}" for each in found)
        raise ArgumentError(f"{path} holds another experiment: choose another folder with --output{listed}")


def _deciding(run: Mapping[str, Any]) -> dict[str, Any]:
    """What of the description of a run decides its results."""
    settings = RunSettings.from_dict(run["settings"])
    plain = attrs.evolve(settings, model_arguments=(), prices=None, cache=None).to_dict()
    return {
        "condition": run["condition"],
        "suite": run["suite_hash"],
        "settings": {**plain, "model": model_fingerprint(settings)},
    }
