"""Asking a model for an action, again where the policies say so, until there is one or the step is given up."""

from __future__ import annotations

from collections import Counter
from operator import index
from typing import Any, Protocol

import attrs

from gridworld.actions import ACTION_SPACE
from gridworld.culprits import fault_of
from gridworld.errors import describe_value
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    ModelInput,
    ModelInterface,
    ModelOutput,
    OracleInterface,
    Usage,
)
from gridworld.world import State
from multinet_eval.backoff import Backoff
from multinet_eval.policies import AnswerPolicies, LastResort, fault_kind

__all__ = ["Asked", "Asker", "Asks", "Request", "shorten"]

LONGEST_MESSAGE = 200
HOPELESS = "asking again cannot help"


def shorten(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """A text on one line, cut off with dots where it has more than `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


@attrs.frozen(eq=False)
class Request:
    """One request for an action, and what came of it."""

    outcome: AnswerOutcome
    message: str = ""
    """What was wrong with the answer; empty for an action."""
    action: int | None = None
    """The id of the action, if there is a legal one."""
    reasoning: str | None = None
    confidence: float | None = None
    raw_output: str | None = None
    usage: Usage | None = None
    retry_after: float | None = None
    """The seconds after which the server asked to be called again."""
    permanent: bool = False
    """Asking again cannot help, not even for another task."""


@attrs.frozen(eq=False)
class Asked:
    """All requests for one step: the last has an action, or a last resort follows it."""

    requests: tuple[Request, ...]
    resort: LastResort | None = None
    """What becomes of the step, if no request gave an action."""

    @property
    def last(self) -> Request:
        """The request that decided the step."""
        return self.requests[-1]

    def without_effect(self) -> Asked:
        """The same, where the action turned out to change nothing."""
        *faults, last = self.requests
        return Asked((*faults, attrs.evolve(last, outcome=AnswerOutcome.NO_EFFECT)))

    @property
    def reason(self) -> str:
        """Why there is no action."""
        times = len(self.requests)
        asked = f" (asked {times} times)" if times > 1 else ""
        hopeless = f" ({HOPELESS})" if self.last.permanent else ""
        return f"{self.last.outcome}: {shorten(self.last.message)}{asked}{hopeless}"


class Asks(Protocol):
    """Whoever finds an action for each step."""

    def ask(self, question: ModelInput, state: State) -> Asked:
        """Find the action of one step; `state` is the present one."""


class Asker:
    """Asks one model.

    Args:
        model: whom to ask.
        policies: what to do about answers that cannot be used.
        backoff: how to wait before a server is asked again.
    """

    def __init__(self, model: ModelInterface, policies: AnswerPolicies, backoff: Backoff) -> None:
        self._model = model
        self._policies = policies
        self._backoff = backoff

    def ask(self, question: ModelInput, state: State) -> Asked:
        """Ask for the action of one step.

        Args:
            question: what to ask.
            state: the present state, for an oracle.

        Raises:
            PluginFault: the model raised something else than an `AnswerFault`, or returned no `ModelOutput`.
        """
        requests: list[Request] = []
        retries: Counter[AnswerOutcome] = Counter()
        while True:
            request = self._request(question, state)
            requests.append(request)
            if request.action is not None:
                return Asked(tuple(requests))
            policy, kind = self._policies.of(request.outcome), fault_kind(request.outcome)
            if request.permanent or retries[kind] == policy.retries:
                return Asked(tuple(requests), policy.then)
            if kind is AnswerOutcome.INFRASTRUCTURE:
                self._backoff.wait(retries[kind], request.retry_after)
            else:
                question = attrs.evolve(question, correction=_correction(request))
            retries[kind] += 1

    def _request(self, question: ModelInput, state: State) -> Request:
        unspoilt = attrs.evolve(question, action_space=dict(ACTION_SPACE))
        try:
            if isinstance(self._model, OracleInterface):
                self._model.observe(state)
            return _read(self._model.predict(unspoilt))
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
            raise fault_of(error, f"model '{self._model.model_name}'", f"at step {question.step_number + 1}") from error


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
        reasoning=answer.reasoning,
        confidence=answer.confidence,
        raw_output=answer.raw_output,
        usage=answer.usage,
    )


def _legal(action: Any) -> int | None:
    """The id of an action, from any kind of integer; a truth value is none."""
    if isinstance(action, bool):
        return None
    try:
        number = index(action)
    except TypeError:
        return None
    return number if number in ACTION_SPACE else None
