"""Settings that decide the results of a run of an experiment, by which equal ones are found."""

from __future__ import annotations

from typing import Any

from multinet_eval.experiments.experiment import ConditionRun
from multinet_eval.record.fingerprint import result_settings
from multinet_eval.settings.plugin_objects import whole_backend, whole_model

__all__ = ["what_decides"]


def what_decides(run: ConditionRun) -> dict[str, Any]:
    """Something that is equal for two runs which would play the same, once everything has its default.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError: an argument is unknown or has a wrong value.
    """
    settings, arguments = run.settings, list(run.settings.backend_arguments)
    return {
        **result_settings(settings),
        "suite": run.suite,
        "epochs": settings.epochs,
        "model": (settings.model, whole_model(settings.model, list(settings.model_arguments))),
        "backend": [whole_backend(settings.backend, arguments, tiling) for tiling in settings.tilings],
    }
