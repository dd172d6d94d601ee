"""What decides the results of a run of an experiment, so that equal ones are found."""

from __future__ import annotations

from typing import Any

import attrs

from multinet_eval.experiments.experiment import ConditionRun
from multinet_eval.plugin_objects import whole_backend, whole_model

__all__ = ["what_decides"]


def what_decides(run: ConditionRun) -> tuple[Any, ...]:
    """Something that is equal for two runs which would play the same, once everything has its default.

    Prices do not count, nor where answers are kept.

    Raises:
        UnknownNameError, AmbiguousNameError: no plugin, or more than one, provides a name.
        ArgumentError: an argument is unknown or has a wrong value.
    """
    settings, arguments = run.settings, list(run.settings.backend_arguments)
    backends = [whole_backend(settings.backend, arguments, tiling) for tiling in settings.tilings]
    model = whole_model(settings.model, list(settings.model_arguments))
    others = attrs.evolve(settings, model_arguments=(), backend=None, backend_arguments=(), prices=None, cache=None)
    return run.suite, others, model, backends
