"""`RetryingModel`: asks a model for a decision, and asks again where the policies say so."""

from __future__ import annotations

import math
from collections import Counter
from operator import index
from typing import Any

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.errors import describe_value
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    ModelInput,
    ModelInterface,
    ModelOutput,
    OracleInterface,
)
from gridworld.plugins.faults import fault_of
from gridworld.runner.record import Decision, Request
from gridworld.runner.rollout import Question
from gridworld.support.wording import shorten
from gridworld.world import State
from multinet_eval.asking.backoff import Backoff, Wait, WaitListener
from multinet_eval.asking.policies import AnswerPolicies, LastResort, fault_kind

__all__ = ["RetryingModel"]


class RetryingModel:
    """A model with policies for answers that cannot be used.

    Args:
        model: whom to ask.
        policies: what to do about answers that cannot be used.
        backoff: how to wait before a server is asked again.
        on_wait: called before each wait.
    """

    def __init__(
        self, model: ModelInterface, policies: AnswerPolicies, backoff: Backoff, on_wait: WaitListener
    ) -> None:
        self._model = model
        self._policies = policies
        self._backoff = backoff
        self._on_wait = on_wait

    def decide(self, question: Question) -> Decision:
        """Ask for the action of one step.

        Raises:
            PluginFault: the model raised something else than an `AnswerFault`, or returned no `ModelOutput`.
        """
        given = question.input
        requests: list[Request] = []
        retries = Counter[AnswerOutcome]()
        while True:
            request = self._request(given, None if question.snapshot is None else question.snapshot.state)
            requests.append(request)
            if request.action is not None:
                return Decision.act(request.action, tuple(requests))
            policy, kind = self._policies.of(request.outcome), fault_kind(request.outcome)
            if request.permanent or retries[kind] == policy.retries:
                return _without_action(policy.then, tuple(requests))
            if kind is AnswerOutcome.INFRASTRUCTURE:
                self._wait(question.input.step_number + 1, request, retries[kind], policy.retries)
            else:
                given = attrs.evolve(given, correction=_correction(request))
            retries[kind] += 1

    def _wait(self, step: int, request: Request, retry: int, retries: int) -> None:
        seconds = self._backoff.delay(retry, request.retry_after)
        self._on_wait(Wait(step, seconds, retry + 1, retries, request.message))
        self._backoff.sleep(seconds)

    def _request(self, given: ModelInput, state: State | None) -> Request:
        own = attrs.evolve(given, action_space=dict(ACTION_SPACE))  # which the model may change
        try:
            if isinstance(self._model, OracleInterface) and state is not None:
                self._model.observe(state)
            return _read(self._model.predict(own))
        except AnswerFault as fault:
            return Request(
                fault.outcome,
                fault.message,
                raw_output=fault.raw_output,
                usage=fault.usage,
                retry_after=fault.retry_after,
                permanent=fault.permanent,
            )
        except (Exception, SystemExit) as error:
            raise fault_of(error, f"model '{self._model.model_name}'", f"at step {given.step_number + 1}") from error


def _without_action(then: LastResort, requests: tuple[Request, ...]) -> Decision:
    return Decision.lose(requests) if then is LastResort.SKIP else Decision.stop(requests)


def _correction(request: Request) -> str:
    """What was wrong with an answer and what is expected, to follow words such as "your answer could not be used:"."""
    names = ", ".join(ACTION_SPACE.values())
    wrong = shorten(request.message).rstrip(".") or str(request.outcome)
    return f"{wrong}; answer in the form asked for, with exactly one of {names}."


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
