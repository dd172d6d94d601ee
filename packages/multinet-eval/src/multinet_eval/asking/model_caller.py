"""`ModelCaller`: makes requests of a model, and keeps what came of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import PluginFault, describe_value
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    BatchModel,
    ModelInput,
    ModelInterface,
    ModelOutput,
    OracleInterface,
)
from gridworld.plugins.faults import fault_of
from gridworld.runner.record import Request
from gridworld.support.wording import shorten
from multinet_eval.asking.asking import Ask
from multinet_eval.asking.moments import Answer

__all__ = ["ModelCaller"]


class ModelCaller:
    """Makes requests of a model; asking again is left to whoever holds it."""

    def __init__(self, model: ModelInterface) -> None:
        self._model = model

    def call(self, ask: Ask) -> Answer:
        """Make a request, unless its answer is known.

        Returns:
            What came of it; a `PluginFault` if the model raised something else than an `AnswerFault`, or returned no
            `ModelOutput`.
        """
        if ask.known is not None:
            return ask.known
        try:
            if isinstance(self._model, OracleInterface) and ask.state is not None:
                self._model.observe(ask.state)
            return _read(self._model.predict(_own_input(ask)), "predict")
        except AnswerFault as fault:
            return _faulty(fault)
        except (Exception, SystemExit) as error:
            return self._fault(error, f"at step {ask.step}")

    def call_together(self, asks: Sequence[Ask]) -> list[Answer]:
        """Make requests for different episodes: several at once of a `BatchModel`, of others one after another.

        Returns:
            What came of each, as `call` returns it.
        """
        unknown = [ask for ask in asks if ask.known is None]
        if len(unknown) < 2 or not isinstance(self._model, BatchModel):
            return [self.call(ask) for ask in asks]
        made = iter(self._call_batch(self._model, unknown))
        return [ask.known or next(made) for ask in asks]

    def _call_batch(self, model: BatchModel, asks: Sequence[Ask]) -> list[Answer]:
        try:
            outputs = model.predict_batch([_own_input(ask) for ask in asks])
            if len(outputs) != len(asks):
                raise ValueError(f"predict_batch returned {len(outputs)} answers to {len(asks)} questions")
        except AnswerFault as fault:
            return [_faulty(fault) for _ in asks]
        except (Exception, SystemExit) as error:
            return [self._fault(error, f"in a batch of {len(asks)}")] * len(asks)
        return [self._read_one(ask, output) for ask, output in zip(asks, outputs, strict=True)]

    def _read_one(self, ask: Ask, output: Any) -> Answer:
        if isinstance(output, AnswerFault):
            return _faulty(output)
        try:
            return _read(output, "predict_batch")
        except Exception as error:  # whatever a plugin's answer raises when it is read is the plugin's fault
            return self._fault(error, f"at step {ask.step}")

    def _fault(self, error: BaseException, when: str) -> PluginFault:
        fault = fault_of(error, f"model '{self._model.model_name}'", when)
        fault.__cause__ = error
        return fault


def _own_input(ask: Ask) -> ModelInput:
    """The input with an action space that the model may change."""
    return attrs.evolve(ask.input, action_space=dict(ACTION_SPACE))


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


def _read(answer: Any, method: str) -> Request:
    if not isinstance(answer, ModelOutput):
        raise TypeError(f"{method} returned {describe_value(answer)}, expected a ModelOutput")
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
