"""`ModelCaller`: makes requests of a model, and keeps what came of them."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import describe_value
from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInterface, ModelOutput, OracleInterface
from gridworld.plugins.faults import fault_of
from gridworld.runner.record import Request
from gridworld.support.wording import shorten
from multinet_eval.asking.asking import Ask

__all__ = ["ModelCaller"]


class ModelCaller:
    """Makes single requests of a model; asking again is left to whoever holds it."""

    def __init__(self, model: ModelInterface) -> None:
        self._model = model

    def call(self, ask: Ask) -> Request:
        """Make a request.

        Raises:
            PluginFault: the model raised something else than an `AnswerFault`, or returned no `ModelOutput`.
        """
        own = attrs.evolve(ask.input, action_space=dict(ACTION_SPACE))  # which the model may change
        try:
            if isinstance(self._model, OracleInterface) and ask.state is not None:
                self._model.observe(ask.state)
            return _read(self._model.predict(own))
        except AnswerFault as fault:
            return _faulty(fault)
        except (Exception, SystemExit) as error:
            raise fault_of(error, f"model '{self._model.model_name}'", f"at step {ask.step}") from error


def _faulty(fault: AnswerFault) -> Request:
    return Request(
        fault.outcome,
        fault.message,
        raw_output=fault.raw_output,
        usage=fault.usage,
        retry_after=fault.retry_after,
        trouble=fault.trouble,
        permanent=fault.permanent,
    )


def _read(answer: Any) -> Request:
    if not isinstance(answer, ModelOutput):
        raise TypeError(f"predict returned {describe_value(answer)}, expected a ModelOutput")
    action = _legal(answer.action)
    return Request(
        outcome=AnswerOutcome.ILLEGAL if action is None else AnswerOutcome.OK,
        message=f"{shorten(describe_value(answer.action))} is not in the action space" if action is None else "",
        action=action,
        reasoning=_text(answer.reasoning),
        confidence=_finite(answer.confidence),
        raw_output=_text(answer.raw_output),
        usage=answer.usage,
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _finite(confidence: float | None) -> float | None:
    """A number that JSON can hold, or None."""
    return None if confidence is None or not math.isfinite(confidence) else float(confidence)


def _legal(action: Any) -> int | None:
    """The id of an action, from any kind of integer; a truth value is none."""
    if isinstance(action, bool):
        return None
    try:
        number = index(action)
    except TypeError:
        return None
    return number if number in ACTION_SPACE else None
