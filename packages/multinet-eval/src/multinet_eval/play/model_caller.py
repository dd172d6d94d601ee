"""`ModelCaller`: the only code that calls models and interprets their answers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE, Action
from gridworld.errors import PluginFault, describe_value
from gridworld.model_interface import (
    Adjustment,
    AnswerFault,
    AnswerOutcome,
    BatchModel,
    ModelInput,
    ModelInterface,
    ModelOutput,
    OracleInterface,
    Prompt,
    Reply,
    ReplyForm,
    Sent,
)
from gridworld.model_interface.chat_model import BatchChatModel, ChatModel, sent_for
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import Request
from gridworld.support.faults import RAISED, calling, fault_of
from gridworld.support.wording import counted, shorten
from gridworld.world import State
from multinet_eval.record.lines import recordable

EXPECTED = f"expected the number of an action, such as {Action.MOVE_FORWARD:d} ({ACTION_SPACE[Action.MOVE_FORWARD]})"


@attrs.frozen(eq=False)
class Asked:
    """A request to make: an input, or the prompt of an open question."""

    input: ModelInput | None
    """The input; None for an open question."""
    prompt: Prompt | None = None
    """The adapted prompt; None for a model that is not a `ChatModel`."""
    state: State | None = None
    """Full state, for oracles."""

    @property
    def when(self) -> str:
        """The moment, for messages."""
        return "" if self.input is None else f"at step {self.input.step_number + 1}"


@attrs.frozen
class Made:
    """A request that was made."""

    request: Request = attrs.field(converter=recordable)
    sent: tuple[Sent, ...] = ()
    """What was sent, in order; empty for a model that is not a `ChatModel`."""
    adjustments: tuple[Adjustment, ...] = ()
    """Workarounds that the request found to be necessary."""


Answer = Made | PluginFault
"""A request that was made; a `PluginFault` if the model raised anything but an `AnswerFault`."""


class ModelCaller:
    """Makes requests to a model, without repeating them."""

    def __init__(self, model: ModelInterface) -> None:
        self._model = model
        self._chat = model if isinstance(model, ChatModel) else None
        self._owner = owner_of("model", model, model.model_name)
        self._oracle = model if isinstance(model, OracleInterface) else None

    def render(self, input: ModelInput) -> Prompt | None:
        """Render and adapt the prompt for an input; None for a model that is not a `ChatModel`; raises PluginFault."""
        return None if self._chat is None else self.adapt(render_prompt(self._chat, input))

    def adapt(self, prompt: Prompt) -> Prompt:
        """Return a prompt without what the server is known to reject; raises PluginFault if that fails."""
        assert self._chat is not None
        with calling(self._owner, "adapt"):
            return self._chat.adapt(prompt)

    def call(self, asked: Sequence[Asked]) -> list[Answer]:
        """Make requests of different episodes, in one batch if the model supports it, otherwise one by one.

        Returns:
            Their answers, in order.
        """
        inputs = [each.input for each in asked if each.input is not None]
        if len(asked) > 1 and isinstance(self._model, BatchModel) and len(inputs) == len(asked):
            return self._call_batch(self._model, asked, inputs)
        return list(map(self._call_one, asked))

    def _call_one(self, asked: Asked) -> Answer:
        """Make one request."""
        try:
            if asked.input is None:
                return self._words(asked)
            self._observe(asked)
            if self._chat is not None and asked.prompt is not None:
                output = self._chat.answer(asked.prompt, asked.input)
            else:
                # A copy: the model may change it.
                output = self._model.predict(attrs.evolve(asked.input, action_space=dict(ACTION_SPACE)))
            return _read(output, asked.input.reply)
        except AnswerFault as fault:
            return made_of(fault, asked)
        except RAISED as error:
            return fault_of(error, self._owner, "send" if self._chat is not None else "predict", asked.when)

    def _call_batch(self, model: BatchModel, asked: Sequence[Asked], inputs: Sequence[ModelInput]) -> list[Answer]:
        outputs: Sequence[ModelOutput | AnswerFault]
        try:
            for each in asked:
                self._observe(each)
            if isinstance(model, BatchChatModel):
                outputs = model.answer_many([each.prompt for each in asked if each.prompt is not None], inputs)
            else:
                outputs = model.predict_batch([attrs.evolve(each, action_space=dict(ACTION_SPACE)) for each in inputs])
            if len(outputs) != len(asked):
                raise PluginFault(f"returned {len(outputs)} answers to {len(asked)} questions")
        except AnswerFault as fault:
            return [made_of(fault, each) for each in asked]
        except RAISED as error:
            return [fault_of(error, self._owner, "predict_batch", f"in a batch of {len(asked)}")] * len(asked)
        return [self._read_one(each, output) for each, output in zip(asked, outputs, strict=True)]

    def _observe(self, asked: Asked) -> None:
        """Show the state to an oracle."""
        if self._oracle is not None and asked.state is not None:
            with calling(self._owner, "observe", passing=AnswerFault):
                self._oracle.observe(asked.state)

    def _words(self, asked: Asked) -> Answer:
        """Ask an open question; its answer is `Request.raw_output`."""
        assert self._chat is not None
        assert asked.prompt is not None
        reply: Any = self._chat.send(asked.prompt)
        if not isinstance(reply, Reply):
            raise PluginFault(f"returned {describe_value(reply)}, expected a Reply")
        sent = (sent_for(reply, asked.prompt),)
        try:
            words = self._chat.words(reply)
        except AnswerFault as fault:
            raise fault.noting(sent=sent, left_out=reply.left_out, adjustments=reply.adjustments) from None
        request = Request(AnswerOutcome.OK, raw_output=words, usage=reply.usage, left_out=reply.left_out)
        return Made(request, sent, reply.adjustments)

    def _read_one(self, asked: Asked, output: Any) -> Answer:
        if isinstance(output, AnswerFault):
            return made_of(output, asked)
        assert asked.input is not None
        try:
            return _read(output, asked.input.reply)
        except RAISED as error:  # from what the answer holds
            return fault_of(error, self._owner, "predict_batch", asked.when)


def render_prompt(model: ChatModel, input: ModelInput) -> Prompt:
    """Render the prompt for an input; raises PluginFault if that fails."""
    with calling(owner_of("model", model, model.model_name), "prompt", f"at step {input.step_number + 1}"):
        prompt: Any = model.prompt(input)
        if not isinstance(prompt, Prompt):
            raise PluginFault(f"returned {describe_value(prompt)}, expected a Prompt")
    return prompt


def made_of(fault: AnswerFault, asked: Asked) -> Made:
    """Convert a fault to a request that was made."""
    sent = fault.sent or (() if asked.prompt is None else (Sent(asked.prompt),))
    return Made(request_of(fault), sent, fault.adjustments)


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


def _read(answer: Any, form: ReplyForm) -> Made:
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
    request = Request(
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
        returned=tuple({"kind": each.kind, "content": each.content} for each in answer.returned),
    )
    return Made(request, answer.sent, answer.adjustments)


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
