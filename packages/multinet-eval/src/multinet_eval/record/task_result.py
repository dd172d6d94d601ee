"""`TaskResult`: how a model fared on one task, as a fold over the record of the episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import attrs

from gridworld.backends.grid_state import GridState
from gridworld.model_interface import AnswerOutcome, Usage
from gridworld.runner.record import DecisionKind, EndReason, EpisodeEnd, EpisodeHeader, Recording, Request, Step
from multinet_eval.record.totals import add_counts, add_usages, count_outcomes

__all__ = ["TaskResult", "optimality_ratio"]


def optimality_ratio(success: bool, steps_taken: int, optimal_steps: int | None) -> float | None:
    """``optimal_steps / steps_taken`` of a success, in (0, 1]; None for a failure or an unknown optimum."""
    if not success or optimal_steps is None:
        return None
    return optimal_steps / steps_taken


@attrs.frozen
class TaskResult:
    """How a model fared on one task."""

    task_id: str
    difficulty_tier: int
    seed: int
    mission: str
    success: bool
    steps_taken: int
    """The steps of the budget that were used: actions, and steps lost for want of a usable answer. So a model that
    wastes steps takes a longer path, and has a lower SPL."""
    max_steps: int
    optimal_steps: int | None
    """The length of a shortest plan; None where the solver finds none, or the episode ended by an error."""
    optimality_ratio: float | None
    total_reward: float
    """The sum of the world's own rewards; its clock does not count lost steps."""
    terminated: bool
    """The world ended the episode, by success or death."""
    truncated: bool
    """The budget was used up without success."""
    ineffective_steps: int | None
    """Steps that changed nothing: bumps, and actions without effect. None where the backend does not report it."""
    actions_taken: int = 0
    """The steps with an action; those that were lost are not among them."""
    requests_answered: int = 0
    """How often the model has answered, repeated requests included; a reply may hold several actions. What failed for
    want of a server is not counted, so that it changes no result."""
    unsolvable: bool = False
    """Whether `optimal_steps` is None since it is proven that there is no plan."""
    lost_steps: int = 0
    """Steps to which there was no usable answer; nothing happened in the world."""
    outcomes: dict[str, int] = attrs.Factory(count_outcomes)
    """How many requests for an action came to what, repeated ones included: every `AnswerOutcome` by its value, in
    alphabetical order."""
    complaint: str | None = None
    """What was wrong with most of the unusable answers, in words; None where all could be used."""
    fault: str | None = None
    """The kind of answer that ended the episode, where its policy is to fail."""
    error: str | None = None
    """Why the episode could not be played to its end although no answer of the model is to blame: an infrastructure
    fault, or a plugin that raised an exception. Such an episode is not scored."""
    epoch: int = 0
    """Which repetition of the task it is, from 0."""
    permanent: bool = False
    """Whether `error` would end every other episode, too, such as a refused credential; no further task is played."""
    usage: Usage = attrs.Factory(Usage)
    """What all requests cost together; each part is None where nothing was said of it."""
    cached_requests: int = 0
    """How many of the requests were answered from a cache, and cost nothing."""
    left_out: dict[str, int] = attrs.Factory(dict)
    """Part of a request, such as ``structured output``, to how many requests were made without it since the server
    refused it; in alphabetical order."""
    recording: Recording | None = attrs.field(default=None, repr=False, eq=False)
    """What it was computed from; None in the results of whole suites, which keep no recordings in memory."""

    @classmethod
    def of(cls, header: EpisodeHeader, steps: Iterable[Step], end: EpisodeEnd) -> TaskResult:
        """The result of a recorded episode: a pure function of the record."""
        taken = tuple(steps)
        success, used = end.reason is EndReason.GOAL, sum(step.kind is not DecisionKind.STOP for step in taken)
        requests = [request for step in taken for request in step.requests]
        outcomes = count_outcomes([Counter(request.outcome.value for request in requests)])
        return cls(
            task_id=header.task_id,
            difficulty_tier=header.difficulty_tier,
            seed=header.seed,
            mission=header.mission,
            success=success,
            steps_taken=used,
            max_steps=header.max_steps,
            optimal_steps=end.optimal_steps,
            optimality_ratio=optimality_ratio(success, used, end.optimal_steps),
            total_reward=sum(step.reward for step in taken),
            terminated=any(step.terminated for step in taken),
            truncated=used >= header.max_steps and not success,
            ineffective_steps=sum(step.is_ineffective for step in taken) if _has_effects(header, taken) else None,
            actions_taken=sum(step.kind is DecisionKind.ACTION for step in taken),
            requests_answered=sum(request.outcome is not AnswerOutcome.INFRASTRUCTURE for request in requests),
            unsolvable=end.unsolvable,
            lost_steps=sum(step.kind is DecisionKind.LOST for step in taken),
            outcomes=outcomes,
            complaint=_complaint(requests),
            fault=_fault(taken, end),
            error=end.error,
            epoch=header.epoch,
            permanent=end.permanent,
            usage=add_usages(request.usage for request in requests),
            cached_requests=sum(request.cached for request in requests),
            left_out=add_counts(Counter(request.left_out) for request in requests),
        )

    @property
    def trajectory(self) -> tuple[Step, ...]:
        """The steps of the recording; none where there is no recording."""
        return () if self.recording is None else self.recording.steps

    @property
    def final_state(self) -> GridState | None:
        """The state at the end of the recording; None where there is none."""
        return None if self.recording is None else self.recording.end.final_state

    @property
    def spl(self) -> float | None:
        """Its part of SPL (Anderson et al. 2018), in [0, 1]: the optimality ratio, and 0 for a failure.

        None where the optimum is not known.
        """
        return None if self.optimal_steps is None else self.optimality_ratio or 0.0

    @property
    def over_budget(self) -> bool:
        """Whether every plan is longer than its budget, so that nobody can win it."""
        return self.optimal_steps is not None and self.optimal_steps > self.max_steps

    def without_recording(self) -> TaskResult:
        """The same without its recording, which takes far more memory."""
        return attrs.evolve(self, recording=None)

    def to_dict(self) -> dict[str, Any]:
        """The contents of a results file for this task, without the recording."""
        return attrs.asdict(self.without_recording(), filter=attrs.filters.exclude("recording"))

    @property
    def scored(self) -> bool:
        """Whether the episode says anything about the model."""
        return self.error is None


def _has_effects(header: EpisodeHeader, steps: tuple[Step, ...]) -> bool:
    """Whether the record says what every action did."""
    return header.reports_events and all(step.events for step in steps if step.action is not None)


def _complaint(requests: Iterable[Request]) -> str | None:
    """The most frequent message about an unusable answer, of several the first by the alphabet."""
    unusable = [each for each in requests if each.action is None and each.outcome is not AnswerOutcome.INFRASTRUCTURE]
    messages = Counter(each.message for each in unusable if each.message)
    return min(messages, key=lambda message: (-messages[message], message), default=None)


def _fault(steps: tuple[Step, ...], end: EpisodeEnd) -> str | None:
    """The kind of answer that ended the episode."""
    last = steps[-1].last if steps and end.reason is EndReason.ANSWER else None
    return None if last is None else last.outcome.value
