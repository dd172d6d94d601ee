"""`Experiment`: conditions, each with the runs that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from multinet_eval.settings.run_settings import RunSettings


@attrs.frozen
class ConditionRun:
    """One run of a condition."""

    condition: str
    """The name of the condition."""
    folder: str
    """The name of the folder that it is recorded in, another one for each run of the experiment."""
    suite: str
    """The suite as the file names it."""
    settings: RunSettings


@attrs.frozen
class Condition:
    """Settings that vary together."""

    name: str
    varied: Mapping[str, Any]
    """Its table, beside the name, JSON-ready and without credentials."""
    runs: tuple[ConditionRun, ...]
    """One for each model, backend, suite and seed that it names."""


@attrs.frozen
class Experiment:
    """Contents of an experiment file."""

    name: str
    """The name of the file without its ending."""
    file: str
    """The file."""
    digest: str
    """The hash of what the file holds: 32 hexadecimal digits (BLAKE2b)."""
    base: Condition | None
    """The settings that the conditions vary, as a condition; None where they are not enough for a run."""
    conditions: tuple[Condition, ...]

    @property
    def runs(self) -> tuple[ConditionRun, ...]:
        """All runs, in order."""
        return tuple(run for condition in self.conditions for run in condition.runs)
