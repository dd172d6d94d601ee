"""`ModelCaller`: the one place where models are called, and where their answers are read."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import PluginFault, describe_value
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    BatchModel,
    ModelInterface,
    ModelOutput,
    OpenAnswer,
    OpenModel,
    OracleInterface,
    ReplyForm,
)
from gridworld.plugins.faults import fault_of
from gridworld.runner.record import Request
from gridworld.support.wording import counted, shorten
from multinet_eval.play.episode import PendingRequest
from multinet_eval.play.question import PendingQuestion

EXPECTED = f"expected the number of an action, such as {Action.MOVE_FORWARD:d} ({ACTION_SPACE[Action.MOVE_FORWARD]})"

Answer = Request | PluginFault
"""Outcome of a request; a `PluginFault` if the model raised something else than an `AnswerFault`."""


class ModelCaller:
    """Makes requests of a model, once each; asking again is left to others."""

    def __init__(self, model: ModelInterface) -> None:
        self._model = model
        self._oracle = model if isinstance(model, OracleInterface) else None

    def call(self, asked: PendingRequest | PendingQuestion) -> Answer:
        """Make a request."""
        if isinstance(asked, PendingQuestion):
            return self._ask(asked)
        try:
            if self._oracle is not None and asked.state is not None:
                self._oracle.observe(asked.state)
            own = attrs.evolve(asked.input, action_space=dict(ACTION_SPACE))  # which the model may change
            return _read(self._model.predict(own), asked.input.reply, "predict")
        except AnswerFault as fault:
            return request_of(fault)
        except (Exception, SystemExit) as error:  # a plugin's model may raise anything
            return self._fault(error, f"at step {asked.step}")

    def call_together(self, asked: Sequence[PendingRequest | PendingQuestion]) -> list[Answer]:
        """Make requests of different episodes: several at once of a `BatchModel`, of others one after another.

        Returns:
            What came of each, in their order.
        """
        episodes = [each for each in asked if isinstance(each, PendingRequest)]
        if len(episodes) < max(2, len(asked)) or not isinstance(self._model, BatchModel):
            return [self.call(each) for each in asked]
        return self._call_batch(self._model, episodes)

    def _call_batch(self, model: BatchModel, asked: Sequence[PendingRequest]) -> list[Answer]:
        try:
            for each in asked:
                if self._oracle is not None and each.state is not None:
                    self._oracle.observe(each.state)
            outputs = model.predict_batch([attrs.evolve(each.input, action_space=dict(ACTION_SPACE)) for each in asked])
            if len(outputs) != len(asked):
                raise ValueError(f"predict_batch returned {len(outputs)} answers to {len(asked)} questions")
        except AnswerFault as fault:
            return [request_of(fault) for _ in asked]
        except (Exception, SystemExit) as error:
            return [self._fault(error, f"in a batch of {len(asked)}")] * len(asked)
        return [self._read_one(each, output) for each, output in zip(asked, outputs, strict=True)]

    def _ask(self, question: PendingQuestion) -> Answer:
        """Put an open question, whose answer is `Request.raw_output`."""
        assert isinstance(self._model, OpenModel)
        try:
            answer = self._model.ask(question.input)
            if not isinstance(answer, OpenAnswer):
                raise TypeError(f"ask returned {describe_value(answer)}, expected an OpenAnswer")
        except AnswerFault as fault:
            return request_of(fault)
        except (Exception, SystemExit) as error:
            return self._fault(error, "when it was asked an open question")
        return Request(AnswerOutcome.OK, raw_output=answer.text, usage=answer.usage)

    def _read_one(self, asked: PendingRequest, output: Any) -> Answer:
        if isinstance(output, AnswerFault):
            return request_of(output)
        try:
            return _read(output, asked.input.reply, "predict_batch")
        except Exception as error:  # whatever a plugin's answer raises when it is read is the plugin's fault
            return self._fault(error, f"at step {asked.step}")

    def _fault(self, error: BaseException, when: str) -> PluginFault:
        fault = fault_of(error, f"model '{self._model.model_name}'", when)
        fault.__cause__ = error
        return fault


def request_of(fault: AnswerFault) -> Request:
    """The request that a fault came of."""
    return Request(
        fault.outcome,
        fault.message,
        raw_output=fault.raw_output,
        usage=fault.usage,
        retry_after=fault.retry_after,
        trouble=fault.trouble,
        permanent=fault.permanent,
        left_out=fault.left_out,
    )


def _read(answer: Any, form: ReplyForm, method: str) -> Request:
    """The request that an answer came of; raises whatever the plugin's answer raises when it is read."""
    if not isinstance(answer, ModelOutput):
        raise TypeError(f"{method} returned {describe_value(answer)}, expected a ModelOutput")
    action, outcome, message, confidence = answer.action, AnswerOutcome.OK, "", answer.confidence
    actions: tuple[int, ...] | None = None
    if answer.actions is not None or type(action) is not int or action not in ACTION_SPACE:
        outcome, message = _judge(answer, form)
        if outcome is AnswerOutcome.OK:
            action = index(answer.action)
            actions = None if answer.actions is None else tuple(index(each) for each in answer.actions)
    usable = outcome is AnswerOutcome.OK
    return Request(
        outcome=outcome,
        message=message,
        action=action if usable else None,
        actions=actions,
        subgoal=str(answer.subgoal) if form.subgoal and answer.subgoal is not None else None,
        note=str(answer.note) if form.note_length and answer.note is not None else None,
        reasoning=None if answer.reasoning is None else str(answer.reasoning),
        confidence=float(confidence) if confidence is not None and 0 <= confidence <= 1 else None,
        raw_output=None if answer.raw_output is None else str(answer.raw_output),
        usage=answer.usage,
        left_out=answer.left_out,
    )


def _judge(answer: ModelOutput, form: ReplyForm) -> tuple[AnswerOutcome, str]:
    """Whether the actions of an answer can be played, and if not, why."""
    actions = (answer.action,) if answer.actions is None else tuple(answer.actions)
    for action in actions:
        if _legal(action) is None:
            return AnswerOutcome.ILLEGAL, f"{shorten(describe_value(action))} is not in the action space, {EXPECTED}"
    if not actions or actions[0] != answer.action:
        raise ValueError(f"actions: expected them to begin with the action, {answer.action}, got {actions}")
    if form.max_actions is not None and len(actions) > form.max_actions:
        return AnswerOutcome.UNPARSABLE, f"expected at most {counted(form.max_actions, 'action')}, got {len(actions)}"
    return AnswerOutcome.OK, ""


def _legal(action: Any) -> int | None:
    """The id of an action, from any kind of integer; a truth value is none."""
    if isinstance(action, bool):
        return None
    try:
        number = index(action)
    except TypeError:
        return None
    return number if number in ACTION_SPACE else None
