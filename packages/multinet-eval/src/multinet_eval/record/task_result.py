"""`TaskResult`: the result of one episode, computed from its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from gridworld.backends.grid_state import GridState
from gridworld.model_interface import AnswerOutcome, Usage
from gridworld.runner.record import DecisionKind, EndReason, EpisodeEnd, EpisodeHeader, Recording, Request, Step
from gridworld.task_spec import TaskSpecification
from multinet_eval.statistics.clusters import base_maze

MEASURED_DECIMALS = 6
"""Number of decimal places up to which equal durations may be a coincidence."""


ANSWERS = tuple(kind for kind in AnswerOutcome if kind is not AnswerOutcome.INFRASTRUCTURE)
"""Outcomes of answers; a request that failed for lack of a server got none."""


def count_outcomes(counts: Iterable[Mapping[str, int]] = ()) -> dict[str, int]:
    """Add up counts of answers by outcome; includes every outcome of `ANSWERS` by its value."""
    total = add_counts(counts)
    return {kind.value: total.get(kind.value, 0) for kind in ANSWERS}


USELESS: Mapping[AnswerOutcome, str] = {
    AnswerOutcome.ILLEGAL: "the model never named an action of the action space",
    AnswerOutcome.UNPARSABLE: "the model never named an action in the required format",
    AnswerOutcome.EMPTY: "the model never said anything",
    AnswerOutcome.TRUNCATED: "the model always reached its token limit before it named an action",
    AnswerOutcome.REFUSED: "the model or its server always declined to answer",
}
"""Meaning of a run whose answers are all of one kind."""


def describe_useless_answers(outcomes: Mapping[str, int]) -> str | None:
    """Say that no answer named an action that could be taken; None if one did, or if there was no answer."""
    counts = {kind: outcomes[kind] for kind in ANSWERS}
    kinds, total = [kind for kind, count in counts.items() if count], sum(counts.values())
    if not kinds or not USELESS.keys() >= set(kinds):
        return None
    if len(kinds) == 1:
        which, meaning = str(kinds[0]), USELESS[kinds[0]]
    else:
        which = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        meaning = "the model never named an action that could be taken"
    return f"{'the only answer was' if total == 1 else f'all {total} answers were'} {which}: {meaning}"


def add_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add up counts by name, in alphabetical order."""
    total = Counter[str]()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def add_usages(usages: Iterable[Usage | None]) -> Usage:
    """Add up the usage of calls; a part that none of them reports stays None."""
    reported = [attrs.astuple(usage, recurse=False) for usage in usages if usage is not None]
    columns = ([value for value in column if value is not None] for column in zip(*reported, strict=True))
    return Usage(*(sum(column) if column else None for column in columns))


def mechanisms_of(task: TaskSpecification) -> tuple[str, ...]:
    """Return the types of mechanisms that a task has, such as ``doors``, sorted."""
    return tuple(name for name, specs in task.mechanisms.groups() if specs)


def measured_times(steps: Iterable[Step]) -> tuple[float, ...]:
    """List the measured durations of requests, which are unique to an episode and therefore reveal copies."""
    usages = (request.usage for step in steps for request in step.requests)
    seconds = [usage.seconds for usage in usages if usage is not None and usage.seconds is not None]
    return tuple(each for each in seconds if round(each, MEASURED_DECIMALS) != each)


def optimality_ratio(success: bool, steps_taken: int, optimal_steps: int | None) -> float | None:
    """Compute ``optimal_steps / steps_taken`` of a success, in (0, 1]; None for a failure or an unknown optimum."""
    if not success or optimal_steps is None:
        return None
    return optimal_steps / steps_taken


@attrs.frozen
class TaskResult:
    """Result of one episode of a task."""

    task_id: str
    difficulty_tier: int
    seed: int
    mission: str
    success: bool
    steps_taken: int
    """Number of budget steps used: actions, and steps lost for lack of a usable answer, which lower SPL."""
    max_steps: int
    optimal_steps: int | None
    """Length of a shortest plan; None if the solver finds none, or the episode ended with an error."""
    optimality_ratio: float | None
    total_reward: float
    """Sum of the world's rewards; its step count does not include lost steps."""
    terminated: bool
    """Whether the world ended the episode, by success or death."""
    truncated: bool
    """Whether the budget was used up without success."""
    ineffective_steps: int | None
    """Number of steps that changed nothing: bumps, and actions without effect. None if the backend does not report it.
    """
    actions_taken: int = 0
    """Number of steps with an action, excluding lost ones."""
    answered: int = 0
    """Number of answers, including those to repeated requests and from a cache; an answer may hold several actions.

    Failed requests got none, so that faults of a server do not affect results.
    """
    unsolvable: bool = False
    """Whether `optimal_steps` is None because the task is proven to have no plan."""
    lost_steps: int = 0
    """Number of steps without a usable answer, in which nothing happened."""
    outcomes: dict[str, int] = attrs.Factory(count_outcomes)
    """Number of answers by outcome, including those to repeated requests (`ANSWERS`)."""
    complaint: str | None = None
    """The most frequent problem with unusable answers; None if all were usable."""
    fault: str | None = None
    """Kind of answer that ended the episode under its policy."""
    error: str | None = None
    """Error that ended the episode and is not the model's fault: an infrastructure fault or a plugin's exception.

    Such an episode is not scored.
    """
    epoch: int = 0
    """Repetition of the task, from 0."""
    permanent: bool = False
    """Whether `error`, such as a rejected credential, would also end every other episode; no further task is played."""
    usage: Usage = attrs.Factory(Usage)
    """Total usage of all requests; a part that was never reported is None."""
    cached_requests: int = 0
    """Number of requests answered from a cache, at no cost."""
    tiling: str | None = None
    """Name of the tiling, if any."""
    base: str | None = None
    """Base maze of which the task is a variant; None if the task is its own base maze, or if unknown."""
    mechanisms: tuple[str, ...] = ()
    """Types of mechanisms that the task has, such as ``doors``, sorted; empty if unknown."""
    left_out: dict[str, int] = attrs.Factory(dict)
    """Number of requests by the part omitted because the server rejects it, such as ``structured output``.

    In alphabetical order.
    """
    recording: Recording | None = attrs.field(default=None, repr=False, eq=False)
    """Recording behind the result; None in the results of suites, which keep no recordings in memory."""

    @classmethod
    def of(cls, header: EpisodeHeader, steps: Iterable[Step], end: EpisodeEnd) -> TaskResult:
        """Compute the result of a recorded episode; depends only on the record."""
        taken = tuple(steps)
        success, used = end.reason is EndReason.GOAL, sum(step.kind is not DecisionKind.STOP for step in taken)
        requests = [request for step in taken for request in step.requests]
        answers = [request for request in requests if request.outcome is not AnswerOutcome.INFRASTRUCTURE]
        has_effects = header.reports_events and all(step.events for step in taken if step.action is not None)
        last = taken[-1].last if taken and end.reason is EndReason.ANSWER else None
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
            total_reward=sum((step.reward for step in taken), 0.0),
            terminated=any(step.terminated for step in taken),
            truncated=used >= header.max_steps and not success,
            ineffective_steps=sum(step.is_ineffective for step in taken) if has_effects else None,
            actions_taken=sum(step.kind is DecisionKind.ACTION for step in taken),
            answered=len(answers),
            unsolvable=end.unsolvable,
            lost_steps=sum(step.kind is DecisionKind.LOST for step in taken),
            outcomes=count_outcomes([Counter(answer.outcome.value for answer in answers)]),
            complaint=_complaint(answers),
            fault=None if last is None else last.outcome.value,
            error=end.error,
            epoch=header.epoch,
            tiling=header.tiling,
            permanent=end.permanent,
            usage=add_usages(request.usage for request in requests),
            cached_requests=sum(request.cached for request in requests),
            left_out=add_counts(Counter(request.left_out) for request in requests),
        )

    @property
    def maze(self) -> str:
        """Base maze, which may be the task itself (`multinet_eval.statistics.clusters.base_maze`)."""
        return self.task_id if self.base is None else self.base

    @property
    def trajectory(self) -> tuple[Step, ...]:
        """Steps of the recording; empty without a recording."""
        return () if self.recording is None else self.recording.steps

    @property
    def final_state(self) -> GridState | None:
        """State at the end of the recording; None without a recording."""
        return None if self.recording is None else self.recording.end.final_state

    @property
    def spl(self) -> float | None:
        """Contribution to SPL (Anderson et al. 2018), in [0, 1]: the optimality ratio, or 0 for a failure.

        None if the optimum is unknown.
        """
        return None if self.optimal_steps is None else self.optimality_ratio or 0.0

    @property
    def over_budget(self) -> bool:
        """Whether every plan is longer than the budget, so that success is impossible."""
        return self.optimal_steps is not None and self.optimal_steps > self.max_steps

    def of_task(self, task: TaskSpecification) -> TaskResult:
        """Return a copy of the result with the base maze and the mechanisms of its task."""
        base = base_maze(task)
        return attrs.evolve(self, base=None if base == self.task_id else base, mechanisms=mechanisms_of(task))

    def without_recording(self) -> TaskResult:
        """Return a copy of the result without its recording, which takes far more memory."""
        return attrs.evolve(self, recording=None)

    def to_dict(self) -> dict[str, Any]:
        """Make the part of a results file about this task, without the recording."""
        return attrs.asdict(self.without_recording(), filter=attrs.filters.exclude("recording"))

    @property
    def scored(self) -> bool:
        """Whether the episode says anything about the model."""
        return self.error is None


def _complaint(answers: Iterable[Request]) -> str | None:
    """Return the most frequent message about an unusable answer; on a tie, the alphabetically first."""
    messages = Counter(each.message for each in answers if each.action is None and each.message)
    return min(messages, key=lambda message: (-messages[message], message), default=None)
