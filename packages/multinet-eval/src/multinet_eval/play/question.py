"""`QuestionState`: an open question that stands alone, such as a probe's; an episode with one question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import attrs

from gridworld.errors import PluginFault
from gridworld.model_interface import AnswerOutcome, PromptImage, PromptText
from gridworld.runner.record import Request
from multinet_eval.play.episode import AnswerCounter, Retry
from multinet_eval.record.events import Event, RequestMade
from multinet_eval.settings.policies import AnswerPolicies, FaultPolicy

Parts = tuple[PromptText | PromptImage, ...]
"""An open question: texts and pictures, in order."""
ASK_ONCE = AnswerPolicies(FaultPolicy(), FaultPolicy(), FaultPolicy())
"""A wrong answer is a result; only faults of infrastructure are asked again."""


@attrs.define(eq=False)
class QuestionJob:
    """An open question to be put to a model."""

    number: int
    name: str
    parts: Parts
    requests: list[Request] = attrs.Factory(list)
    """Requests that have been made and count."""

    @property
    def progress(self) -> int:
        """Requests that are recorded."""
        return len(self.requests)

    def note(self, event: Event) -> None:
        """Keep a request."""
        if isinstance(event, RequestMade):
            self.requests.append(event.request)


class PendingQuestion(NamedTuple):
    """An open question that has to be put."""

    input: Parts
    retry: Retry | None = None
    step: int = 1


class QuestionRecorder:
    """Makes the event of a question; the record names it by its place."""

    def request(self, request: Request, step: int) -> RequestMade:
        """The event of the question, once it was put."""
        return RequestMade(request, step)


class QuestionState:
    """An open question, until it is answered; its methods are those of `EpisodeState`.

    Args:
        parts: the question.
        requests: requests that have been made for it before.
    """

    def __init__(self, parts: Parts, requests: Iterable[Request] = ()) -> None:
        self._answers = AnswerCounter(ASK_ONCE)
        self.recorder = QuestionRecorder()
        self.pending: PendingQuestion | None = PendingQuestion(parts)
        for request in requests:
            self.apply(request)

    def show(self) -> None:
        """Render nothing: the record names a question by its place."""

    def apply(self, answer: Request | PluginFault) -> list[Event]:
        """Take the answer; raises the `PluginFault` that was raised instead."""
        if isinstance(answer, PluginFault):
            raise answer
        if self.pending is not None:
            verdict = None if answer.outcome is AnswerOutcome.OK else self._answers.count_fault(answer)
            self.pending = self.pending._replace(retry=verdict) if isinstance(verdict, Retry) else None
        return []
