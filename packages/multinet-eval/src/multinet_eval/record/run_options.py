"""`RunOptions`: how a run is played, and how that is remembered among the circumstances in its ``run.json``."""

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

__all__ = ["RunOptions", "remembered_options", "with_options", "without_options"]

PLAYING = "playing"
"""The circumstance that holds the options."""


@attrs.frozen
class RunOptions:
    """Options without effect on results."""

    workers: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    """How many workers there are, each of which makes a request at a time."""
    batch_size: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    """How many episodes each worker plays in lockstep; a batch model is asked for the next step of all at once."""
    executor: str = "local"
    """The name of an installed executor."""
    address: str | None = None
    """Where the executor's cluster is; None for the usual one."""
    limits: BudgetLimits = attrs.Factory(BudgetLimits)
    patience: float = PATIENCE
    """The seconds for which a server may answer nothing before the run stops; 0 to count such faults like others."""
    retry_faults: bool = False
    """Whether episodes that ended by an error are played again."""
    take_over: bool = False
    """Whether to take the run from a process that holds it."""


def with_options(circumstances: Mapping[str, Any], options: RunOptions) -> dict[str, Any]:
    """Circumstances in which options are remembered; without an entry where they are the usual ones."""
    plain = converter.unstructure(options)
    usual = plain == converter.unstructure(RunOptions())
    return {**without_options(circumstances), **({} if usual else {PLAYING: plain})}


def without_options(circumstances: Mapping[str, Any]) -> dict[str, Any]:
    """Circumstances without the options that are remembered in them."""
    return {name: value for name, value in circumstances.items() if name != PLAYING}


def remembered_options(circumstances: Mapping[str, Any], place: str) -> RunOptions:
    """The options that are remembered in circumstances; the usual ones where there are none.

    Args:
        circumstances: those of a run.
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
