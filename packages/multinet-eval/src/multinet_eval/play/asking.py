"""`Asking`: how one question is put to a model, request by request, until there is a decision.

    asking = Asking(question, policies)
    while (ask := asking.ask) is not None:
        asking.answer(request_made_of(ask))
    rollout.take(asking.decision)

It asks nobody: whoever holds it makes the requests, so that requests of several episodes can be made at once.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from gridworld.model_interface import AnswerOutcome, ModelInput
from gridworld.model_interface.corrections import correction_after
from gridworld.runner.record import Decision, Request
from gridworld.runner.rollout import Question
from gridworld.world import State
from multinet_eval.play.retries import Retries, Retry
from multinet_eval.settings.policies import AnswerPolicies, LastResort

__all__ = ["Ask", "Asking"]


@attrs.frozen(eq=False)
class Ask:
    """A request that has to be made."""

    input: ModelInput
    state: State | None
    """The whole truth, for oracles; None on a backend that is not built on the kernel."""
    retry: Retry | None = None
    known: Request | None = None
    """The answer, if it is known from a cache, so that nobody is asked."""

    @property
    def step(self) -> int:
        """The number of the step that is asked for, from 1."""
        return self.input.step_number + 1


class Asking:
    """The requests for one decision, as the policies have it.

    Args:
        question: what is asked.
        policies: what to do about answers that cannot be used.
        answered: requests for this decision that have been made before, oldest first.

    Raises:
        ValueError: fewer requests than `answered` lead to a decision.
    """

    def __init__(self, question: Question, policies: AnswerPolicies, answered: Iterable[Request] = ()) -> None:
        self._policies = policies
        self._requests: list[Request] = []
        self._retries = Retries(policies)
        self._decision: Decision | None = None
        self.ask = Ask(question.input, None if question.snapshot is None else question.snapshot.state)
        for request in answered:
            self.answer(request)

    ask: Ask | None
    """The request to make next; None once there is a decision."""

    @property
    def decision(self) -> Decision:
        """What the requests have led to.

        Raises:
            ValueError: another request is needed first.
        """
        if self._decision is None:
            raise ValueError("there is no decision yet")
        return self._decision

    def answer(self, request: Request) -> None:
        """Add the request that was made of `ask`.

        Raises:
            ValueError: there is a decision already.
        """
        if self.ask is None:
            raise ValueError("there is a decision already")
        self._requests.append(request)
        if request.action is not None:
            self._decide(Decision.act(request.action, tuple(self._requests)))
            return
        retry = self._retries.after(request)
        if retry is None:
            self._decide(_without_action(self._policies.of(request.outcome).then, tuple(self._requests)))
        elif request.outcome is AnswerOutcome.INFRASTRUCTURE:
            self.ask = attrs.evolve(self.ask, retry=retry)
        else:
            given = self.ask.input
            correction = correction_after(self._requests, given.reply)
            corrected = attrs.evolve(given, correction=correction, attempt=given.attempt + 1)
            self.ask = attrs.evolve(self.ask, input=corrected, retry=None)

    def _decide(self, decision: Decision) -> None:
        self._decision, self.ask = decision, None


def _without_action(then: LastResort, requests: tuple[Request, ...]) -> Decision:
    return Decision.lose(requests) if then is LastResort.SKIP else Decision.stop(requests)
