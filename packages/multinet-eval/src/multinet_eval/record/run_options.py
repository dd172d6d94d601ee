"""`RunOptions`: options of playing a run, which its ``run.json`` remembers among the circumstances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import cattrs

from gridworld.support.structuring import describe_structure_error
from multinet_eval.record.record_folders import RunError
from multinet_eval.settings.converting import converter, leave_out
from multinet_eval.settings.defaults import PATIENCE
from multinet_eval.settings.spending import BudgetLimits

PLAYING = "playing"
"""Circumstance that holds the options."""


@attrs.frozen
class RunOptions:
    """Options without effect on results."""

    workers: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    """Number of workers, each with one request at a time."""
    batch_size: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    """Number of episodes that each worker plays in lockstep; a batch model gets their requests at once."""
    executor: str = "local"
    """Name of an installed executor."""
    address: str | None = None
    """Address of the executor's cluster; None for the default."""
    limits: BudgetLimits = attrs.Factory(BudgetLimits)
    patience: float = PATIENCE
    """Seconds without any answer of a server before the run stops; 0 to count such faults like others."""
    retry_faults: bool = False
    """Whether to play episodes again that ended by an error."""
    take_over: bool = False
    """Whether to take the run from a process that holds it."""


def with_options(circumstances: Mapping[str, Any], options: RunOptions) -> dict[str, Any]:
    """Circumstances with options; without an entry for the defaults."""
    plain = converter.unstructure(options)
    usual = plain == converter.unstructure(RunOptions())
    return {**without_options(circumstances), **({} if usual else {PLAYING: plain})}


def without_options(circumstances: Mapping[str, Any]) -> dict[str, Any]:
    """Circumstances without options."""
    return {name: value for name, value in circumstances.items() if name != PLAYING}


def remembered_options(circumstances: Mapping[str, Any], place: str) -> RunOptions:
    """Options in the circumstances of a run; the defaults where there are none.

    Args:
        circumstances: the circumstances.
        place: their file, for messages.

    Raises:
        RunError: they are damaged.
    """
    playing = circumstances.get(PLAYING, {})
    if not isinstance(playing, dict):
        raise RunError(f"{place} is damaged: circumstances.{PLAYING}: expected an object")
    try:
        return converter.structure(playing, RunOptions)
    except cattrs.BaseValidationError as error:
        what = describe_structure_error(error, "options")
        raise RunError(f"{place} is damaged: circumstances.{PLAYING}: {what}") from error


leave_out(RunOptions, "retry_faults", "take_over")  # which are of one session alone
