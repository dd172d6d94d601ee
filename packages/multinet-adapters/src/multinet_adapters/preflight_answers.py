"""Checks of answers to a question of a run: their format, length and time, and the arguments that follow."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from copy import copy
from typing import ClassVar

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInput, ModelOutput, Trouble
from multinet_adapters.preflight_models import Asked, Examined, Found, Local
from multinet_adapters.refusals import RequestPart

RETRY_MAX_TOKENS = 256
"""Tokens of which an answer takes a part; a reply that was cut off at fewer is requested again with as many."""
CHARACTERS_PER_TOKEN = 4
SHORT_REASONING = 200
"""Characters of reasoning with which a reply that had as many tokens is requested again."""
LESS_REASONING = f"reasoning_length={SHORT_REASONING}"
FULL_SHARE = 0.95
"""Share of the allowed reasoning from which on a model is taken not to come to an end by itself."""


class Answering(ABC):
    """Sends one question of a run to a model and collects the answers.

    Args:
        model: the model.
        question: the question.
        timeout: seconds to wait for a reply; None for no limit.
    """

    limit: ClassVar[str]
    """The model's argument for the maximum length of a reply."""

    def __init__(self, model: Asked, question: ModelInput, timeout: float | None = None) -> None:
        self._model = model
        self._question = question
        self._timeout = timeout
        self.answered = False
        """Whether the model has answered at all."""
        self.unreadable = False
        """Whether a reply that was not cut off could not be read."""
        self._fills_reasoning = False
        """Whether the reasoning of an answer took all the room that it has."""

    @property
    @abstractmethod
    def _max_tokens(self) -> int | None:
        """The maximum length of a reply in tokens; None if there is none."""

    @abstractmethod
    def _changed(self, tokens: int | None, reasoning: int | None) -> Asked:
        """Return the model with other maximum lengths of a reply and of its reasoning."""

    @property
    def _reasoning_length(self) -> int | None:
        """The maximum length of the reasoning that is in effect, in characters; None if there is none."""
        return None

    @property
    def _can_reason_less(self) -> bool:
        return self._reasoning_length is not None and self._reasoning_length > SHORT_REASONING

    def keeps_format(self) -> Found:
        """Check that an answer can be read; one that was cut off is requested again with more room."""
        try:
            output = self._model.predict(self._question)
        except AnswerFault as fault:
            self.answered = fault.outcome is not AnswerOutcome.INFRASTRUCTURE
            if fault.outcome is AnswerOutcome.TRUNCATED:
                return self._when_cut_off()
            if fault.trouble is Trouble.SLOW and self._timeout is not None:
                return Found(False, fault.message, (_read_timeout(5 * self._timeout),))
            self.unreadable = self.answered
            raise
        self.answered = True
        self._note_reasoning(output)
        return Found(True, f"it answered {ACTION_SPACE[output.action]}")

    def _when_cut_off(self) -> Found:
        """Ask again with more room, then with little reasoning."""
        given, reasoning = self._max_tokens, self._reasoning_length
        message = f"the reply was cut off ({self.limit}={given})"
        room = given if given is None else max(given, RETRY_MAX_TOKENS)
        attempts = [(room, reasoning)] if room != given else []
        attempts += [(room, SHORT_REASONING)] if self._can_reason_less else []
        for tokens, length in attempts:
            changes = [f"{self.limit}={tokens}"] if tokens != given else []
            changes += [f"reasoning_length={length}"] if length != reasoning else []
            message = f"{message}; with {' and '.join(changes)}"
            try:
                usage = self._changed(tokens, length).predict(self._question).usage
            except AnswerFault as fault:
                if fault.outcome is AnswerOutcome.TRUNCATED:
                    message = f"{message} as well"
                    continue
                self.unreadable = fault.outcome is not AnswerOutcome.INFRASTRUCTURE
                return Found(False, f"{message}: {fault.message}")
            taken = None if usage is None else usage.completion_tokens
            if tokens != given and taken is not None:
                changes[0] = f"{self.limit}={_room_for(taken)}"
            advice = " ".join(f"-M {each}" for each in changes)
            answered = "it answered" if taken is None else f"it answered in {taken} tokens"
            return Found(False, f"{message} {answered}: {advice}", tuple(changes))
        return Found(False, f"{message}; it may be repeating itself, or reasoning at length")

    def measure(self, first: float) -> Found:
        """Ask for the next step, and describe the tokens and the time of an answer; the first took `first` seconds."""
        begun, unreadable = time.monotonic(), ""
        try:
            output = self._model.predict(attrs.evolve(self._question, step_number=1))
            self._note_reasoning(output)
            usage = output.usage
        except AnswerFault as fault:
            if fault.outcome is AnswerOutcome.INFRASTRUCTURE:
                raise
            usage, unreadable = fault.usage, f"; this one could not be read: {fault.message}"
        seconds = time.monotonic() - begun
        prompt, tokens = (None, None) if usage is None else (usage.prompt_tokens, usage.completion_tokens)
        if tokens is None or prompt is None:
            counted, speed = "the server counts no tokens, so --max-tokens and --max-cost cannot be kept", ""
        else:
            counted, speed = f"{prompt:,} tokens of prompt, {tokens} of answer", f", {tokens / seconds:,.1f} tokens/s"
        arguments = self._time_arguments(max(first, seconds), tokens, seconds)
        if self._fills_reasoning:
            counted = f"{counted}, whose reasoning takes all the room it has"
            arguments = tuple(dict.fromkeys([LESS_REASONING, *arguments]))
        times = f"first {first:.1f} s, next {seconds:.1f} s{speed}"
        return Found(not unreadable, f"{counted}; {times}{unreadable}", arguments)

    def _note_reasoning(self, output: ModelOutput) -> None:
        length = self._reasoning_length
        if length is not None and length > SHORT_REASONING:
            self._fills_reasoning |= len(output.reasoning or "") > FULL_SHARE * length

    def _time_arguments(self, longest: float, tokens: int | None, seconds: float) -> tuple[str, ...]:
        """Return arguments for replies that might not arrive in time."""
        given, reasoning, timeout = self._max_tokens, self._reasoning_length, self._timeout
        if timeout is None:
            return ()
        if 2 * longest > timeout:
            return (_read_timeout(4 * longest),)
        if not tokens or given is None:
            return ()
        most = given if reasoning is None else min(given, RETRY_MAX_TOKENS + reasoning // CHARACTERS_PER_TOKEN)
        if longest + most * seconds / tokens <= timeout:
            return ()
        if self._can_reason_less:
            return (LESS_REASONING,)
        return (f"{self.limit}={_room_for(tokens)}",) if _room_for(tokens) < given else ()


class LocalAnswering(Answering):
    """Answers of a model in this process."""

    limit: ClassVar[str] = "max_new_tokens"

    def __init__(self, model: Local, question: ModelInput) -> None:
        super().__init__(model, question)
        self._local = model

    @property
    def _max_tokens(self) -> int:
        return self._local.max_new_tokens

    def _changed(self, tokens: int | None, reasoning: int | None) -> Asked:
        other = copy(self._local)
        other.max_new_tokens = tokens or other.max_new_tokens
        return other


class ServedAnswering(Answering):
    """Answers of a model behind a server."""

    limit: ClassVar[str] = "max_tokens"

    def __init__(self, model: Examined, question: ModelInput, timeout: float) -> None:
        super().__init__(model, question, timeout)
        self._served = model

    @property
    def _max_tokens(self) -> int | None:
        return self._served.max_tokens

    def _changed(self, tokens: int | None, reasoning: int | None) -> Asked:
        other = copy(self._served)
        other.max_tokens, other.reasoning_length = tokens, reasoning or other.reasoning_length
        return other

    @property
    def _reasoning_length(self) -> int | None:
        refused = {each.refused for each in self._served.adjustments()}
        unlimited = refused & {RequestPart.STRUCTURED_OUTPUT, RequestPart.REASONING_LENGTH}
        return self._served.reasoning_length if self._served.structured and not unlimited else None


def _read_timeout(seconds: float) -> str:
    """Return the argument for a time of at least these seconds, in minutes."""
    return f"read_timeout={60 * math.ceil(seconds / 60)}"


def _room_for(tokens: int) -> int:
    """Return a token limit for answers like one of this length."""
    return 64 * math.ceil(4 * tokens / 64)
