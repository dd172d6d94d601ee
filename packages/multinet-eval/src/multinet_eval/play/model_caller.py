"""`ModelCaller`: the only code that calls models and interprets their answers."""

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
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import Request
from gridworld.support.faults import RAISED, calling, fault_of
from gridworld.support.wording import counted, shorten
from multinet_eval.play.episode import PendingQuestion, PendingRequest

EXPECTED = f"expected the number of an action, such as {Action.MOVE_FORWARD:d} ({ACTION_SPACE[Action.MOVE_FORWARD]})"

Answer = Request | PluginFault
"""Answer to a request; a `PluginFault` if the model raised anything but an `AnswerFault`."""


class ModelCaller:
    """Makes requests to a model, without repeating them."""

    def __init__(self, model: ModelInterface) -> None:
        self._model = model
        self._owner = owner_of("model", model, model.model_name)
        self._oracle = model if isinstance(model, OracleInterface) else None

    def call(self, asked: Sequence[PendingRequest | PendingQuestion]) -> list[Answer]:
        """Make requests of different episodes, in one batch if the model supports it, otherwise one by one.

        Returns:
            Their answers, in order.
        """
        if len(asked) > 1 and isinstance(self._model, BatchModel):
            episodes = [each for each in asked if isinstance(each, PendingRequest)]
            if len(episodes) == len(asked):
                return self._predict_batch(self._model, episodes)
        answers: list[Answer] = []
        for each in asked:
            if isinstance(each, PendingQuestion):
                answers.append(self._ask(each))
                continue
            try:
                self._observe(each)
                own = attrs.evolve(each.input, action_space=dict(ACTION_SPACE))  # a copy: the model may change it
                answers.append(_read(self._model.predict(own), each.input.reply))
            except AnswerFault as fault:
                answers.append(request_of(fault))
            except RAISED as error:
                answers.append(self._fault(error, "predict", f"at step {each.step}"))
        return answers

    def _predict_batch(self, model: BatchModel, asked: Sequence[PendingRequest]) -> list[Answer]:
        try:
            for each in asked:
                self._observe(each)
            outputs = model.predict_batch([attrs.evolve(each.input, action_space=dict(ACTION_SPACE)) for each in asked])
            if len(outputs) != len(asked):
                raise PluginFault(f"returned {len(outputs)} answers to {len(asked)} questions")
        except AnswerFault as fault:
            return [request_of(fault) for _ in asked]
        except RAISED as error:
            return [self._fault(error, "predict_batch", f"in a batch of {len(asked)}")] * len(asked)
        return [self._read_one(each, output) for each, output in zip(asked, outputs, strict=True)]

    def _observe(self, asked: PendingRequest) -> None:
        """Show the state to an oracle."""
        if self._oracle is not None and asked.state is not None:
            with calling(self._owner, "observe", passing=AnswerFault):
                self._oracle.observe(asked.state)

    def _ask(self, question: PendingQuestion) -> Answer:
        """Ask an open question; its answer is `Request.raw_output`."""
        assert isinstance(self._model, OpenModel)
        try:
            answer = self._model.ask(question.input)
            if not isinstance(answer, OpenAnswer):
                raise PluginFault(f"returned {describe_value(answer)}, expected an OpenAnswer")
        except AnswerFault as fault:
            return request_of(fault)
        except RAISED as error:
            return self._fault(error, "ask")
        return Request(AnswerOutcome.OK, raw_output=answer.text, usage=answer.usage)

    def _read_one(self, asked: PendingRequest, output: Any) -> Answer:
        if isinstance(output, AnswerFault):
            return request_of(output)
        try:
            return _read(output, asked.input.reply)
        except RAISED as error:  # from what the answer holds
            return self._fault(error, "predict_batch", f"at step {asked.step}")

    def _fault(self, error: BaseException, method: str, when: str = "") -> PluginFault:
        return fault_of(error, self._owner, method, when)


def request_of(fault: AnswerFault) -> Request:
    """Convert a fault to a recorded request."""
    return Request(
        fault.outcome,
        fault.message,
        raw_output=fault.raw_output,
        usage=fault.usage,
        retry_after=fault.retry_after,
        trouble=fault.trouble,
        permanent=fault.permanent,
        left_out=fault.left_out,
        status=fault.status,
        advice=fault.advice,
    )


def _read(answer: Any, form: ReplyForm) -> Request:
    """Make the request that an answer belongs to; raises whatever reading the plugin's answer raises."""
    if not isinstance(answer, ModelOutput):
        raise PluginFault(f"returned {describe_value(answer)}, expected a ModelOutput")
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
    """Decide whether the actions of an answer can be played; return the outcome and a message."""
    actions = (answer.action,) if answer.actions is None else tuple(answer.actions)
    for action in actions:
        if not _is_legal(action):
            return AnswerOutcome.ILLEGAL, f"{shorten(describe_value(action))} is not in the action space, {EXPECTED}"
    if not actions or actions[0] != answer.action:
        raise ValueError(f"actions: expected them to begin with the action, {answer.action}, got {actions}")
    if form.max_actions is not None and len(actions) > form.max_actions:
        return AnswerOutcome.UNPARSABLE, f"expected at most {counted(form.max_actions, 'action')}, got {len(actions)}"
    return AnswerOutcome.OK, ""


def _is_legal(action: Any) -> bool:
    """Whether a value is the id of an action, as any kind of integer but a bool."""
    try:
        return not isinstance(action, bool) and index(action) in ACTION_SPACE
    except TypeError:
        return False
