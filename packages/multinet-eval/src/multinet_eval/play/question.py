"""`QuestionState`: an open question that stands alone, such as a probe's; an episode with one question."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from gridworld.errors import PluginFault
from gridworld.model_interface import AnswerOutcome
from gridworld.runner.record import Request
from multinet_eval.play.episode import AnswerCounter, Retry
from multinet_eval.play.jobs import Parts
from multinet_eval.record.events import Event, RequestMade
from multinet_eval.settings.policies import AnswerPolicies, FaultPolicy

ASK_ONCE = AnswerPolicies(FaultPolicy(), FaultPolicy(), FaultPolicy())
"""A wrong answer is a result; only faults of infrastructure are asked again."""


@attrs.frozen(eq=False)
class PendingQuestion:
    """An open question that has to be put."""

    parts: Parts
    retry: Retry | None = None
    step: int = 1


class QuestionState:
    """An open question, until it is answered; its methods are those of `EpisodeState`.

    Args:
        parts: the question.
        requests: requests that have been made for it before.
    """

    def __init__(self, parts: Parts, requests: Iterable[Request] = ()) -> None:
        self._answers = AnswerCounter(ASK_ONCE)
        self.pending: PendingQuestion | None = PendingQuestion(parts)
        for request in requests:
            self.apply(request)

    def show(self) -> None:
        """Render nothing: the record names the question by its place."""

    def made(self, request: Request) -> RequestMade:
        """The event of the question, once it was put."""
        return RequestMade(request, 1)

    def apply(self, answer: Request | PluginFault) -> list[Event]:
        """Take the answer; raises the `PluginFault` that was raised instead."""
        if isinstance(answer, PluginFault):
            raise answer
        if self.pending is not None:
            verdict = None if answer.outcome is AnswerOutcome.OK else self._answers.add(answer)
            self.pending = attrs.evolve(self.pending, retry=verdict) if isinstance(verdict, Retry) else None
        return []
