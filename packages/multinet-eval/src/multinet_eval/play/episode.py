"""`EpisodeState` and `QuestionState`: an episode and an open question in progress, both without I/O.

    events = state.start()
    while state.pending is not None:
        events += state.apply(answer_to(state.pending))

A state exposes the pending request, takes its answer, and returns all events until the next request. Its owner makes
the requests, in any order and anywhere.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import attrs

from gridworld.errors import GridworldError, PluginFault
from gridworld.model_interface import AnswerOutcome, ModelInput, Prompt
from gridworld.model_interface.steps import correction_after
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import Decision, EndReason, EpisodeEnd, EpisodeHeader, Request, Step
from gridworld.runner.rollout import Rollout
from gridworld.support.faults import calling
from gridworld.support.files import parse_json
from gridworld.task_spec import TaskSpecification
from gridworld.world import State
from multinet_eval.play.recorder import Recorder
from multinet_eval.record.events import EpisodeBegun, EpisodeEnded, EpisodeRecord, Event, RequestMade
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.settings.asking import AnswerPolicies, FaultPolicy, LastResort, Protocol
from multinet_eval.settings.plugin_objects import class_name


class DivergedError(GridworldError):
    """A recorded episode plays differently now."""


class Retry(NamedTuple):
    """The repetition of a request after an infrastructure fault."""

    number: int
    """Number of this retry, from 1."""
    retries: int
    """Number of retries that the policy allows."""
    reason: str
    """Message of the latest fault."""
    retry_after: float | None
    """Minimum wait requested by the server in seconds, if any."""


@attrs.define(eq=False)
class EpisodeJob:
    """An episode to be played."""

    planned: PlannedEpisode
    task: TaskSpecification
    record: EpisodeRecord | None = None
    """Events recorded so far; None for a new episode."""
    is_recorded: bool = True
    """Whether prompts, scenes and pictures are needed for the record."""
    swapped: TaskSpecification | None = None
    """The task whose observations are shown instead, if observations are swapped."""
    number: int = attrs.field(init=False)
    """Number of the episode in the plan."""

    def __attrs_post_init__(self) -> None:
        self.number = self.planned.number

    @property
    def name(self) -> str:
        """Id of its task."""
        return self.planned.task_id

    @property
    def progress(self) -> int:
        """Number of recorded steps."""
        return 0 if self.record is None else len(self.record.steps)

    @property
    def steps_left(self) -> int:
        """Number of steps left in its budget."""
        return self.task.max_steps - self.progress

    def note(self, event: Event) -> None:
        """Apply an event to the record."""
        if isinstance(event, EpisodeBegun):
            self.record = EpisodeRecord(event.header)
        elif self.record is not None:
            self.record.add(event)


class PendingRequest(NamedTuple):
    """A request to be made."""

    input: ModelInput
    state: State | None
    """Full state, for oracles; None on a backend that is not built on the kernel."""
    step: int
    """Number of the step to decide, from 1."""
    retry: Retry | None = None


class AnswerCounter:
    """Counts the requests for one decision, and decides after each unusable answer whether to ask again.

    Args:
        policies: policies for unusable answers.
    """

    def __init__(self, policies: AnswerPolicies) -> None:
        self._policies = policies
        self._retries = Counter[AnswerOutcome]()
        self.requests: tuple[Request, ...] = ()

    def clear(self) -> None:
        """Begin another decision."""
        self._retries.clear()
        self.requests = ()

    def count_fault(self, request: Request) -> Retry | Decision:
        """Count a request without an action; return a retry, or the decision that ends the attempts."""
        self.requests += (request,)
        policy, kind = self._policies.of(request.outcome), self._policies.kind_of(request.outcome)
        if not request.permanent and self._retries[kind] < policy.retries:
            self._retries[kind] += 1
            return Retry(self._retries[kind], policy.retries, request.message, request.retry_after)
        return Decision.lose(self.requests) if policy.then is LastResort.SKIP else Decision.stop(self.requests)


class EpisodeState:
    """One episode in progress.

    Args:
        rollout: the episode, at its start.
        protocol: number of actions per reply, and how many of them are played.
        policies: policies for unusable answers.
        recorder: makes the events.
        finish: completes the end of the episode, for example with the optimal length.
    """

    def __init__(
        self,
        rollout: Rollout,
        protocol: Protocol,
        policies: AnswerPolicies,
        recorder: Recorder,
        finish: Callable[[EpisodeEnd], EpisodeEnd] = lambda end: end,
    ) -> None:
        self._rollout = rollout
        self._protocol = protocol
        self._finish = finish
        self.recorder = recorder
        self._max_replies = protocol.max_replies
        self._answers = AnswerCounter(policies)
        self._planned: deque[int] = deque()
        """Actions of the last reply that have not been played yet."""
        self._replies = 0
        self._looks_around = not protocol.reply.holds_one_action
        self._seen = rollout.things_in_view() if self._looks_around else frozenset()
        self.pending: PendingRequest | None = None
        """The next request to make; None before the start and after the end."""

    def start(self, header: EpisodeHeader) -> list[Event]:
        """Begin the episode; raises PluginFault if the scene cannot be made."""
        return [self.recorder.begun(header), *self._advance()]

    def replay(self, record: EpisodeRecord) -> None:
        """Repeat the recorded steps; raises DivergedError if the start or a step differs."""
        for _ in replayed_steps(self._rollout, record, self.take):
            pass

    def resume(self, record: EpisodeRecord) -> list[Event]:
        """Continue after `replay`, using the recorded requests of the next step.

        Returns:
            Events not recorded yet. They include a step if its request was recorded but the step was not.
        """
        events: list[Event] = [self.recorder.resumed(), *self._advance()]
        for request in record.pending:
            events += self.apply(request)
        return events

    def apply(self, answer: Request | PluginFault) -> list[Event]:
        """Take the answer to the pending request; return all events until the next request."""
        if isinstance(answer, PluginFault):
            return [self._failed(answer)]
        asked = self.pending
        if asked is None:
            raise ValueError("no request is pending")
        if answer.action is not None:
            return self._advance(Decision.act(answer.action, (*self._answers.requests, answer)))
        verdict = self._answers.count_fault(answer)
        if isinstance(verdict, Decision):
            return self._advance(verdict)
        if answer.outcome is AnswerOutcome.INFRASTRUCTURE:
            self.pending = asked._replace(retry=verdict)
        else:
            correction = correction_after(self._answers.requests, asked.input.reply)
            corrected = attrs.evolve(asked.input, correction=correction, attempt=asked.input.attempt + 1)
            self.pending = asked._replace(input=corrected, retry=None)
        return []

    def _advance(self, decision: Decision | None = None) -> list[Event]:
        """Play until the next request is due or the episode ends."""
        events: list[Event] = []
        rollout, self.pending = self._rollout, None
        try:
            while not rollout.over:
                if decision is None and (self._planned or self._replies == self._max_replies):
                    decision = self.next_planned()
                if decision is None:
                    question = rollout.question
                    assert question is not None
                    state = None if question.snapshot is None else question.snapshot.state
                    self.pending = PendingRequest(question.input, state, question.input.step_number + 1)
                    return events
                events.append(self.recorder.step(self.take(decision)))
                decision = None
            events.append(EpisodeEnded(self._finish(rollout.end())))
        except PluginFault as fault:
            events.append(self._failed(fault))
        return events

    def _failed(self, fault: PluginFault) -> EpisodeEnded:
        self.pending = None
        return EpisodeEnded(EpisodeEnd(EndReason.PLUGIN, error=str(fault)))

    def take(self, decision: Decision) -> Step:
        """Take a step; keep or drop the rest of the last reply after it."""
        step = self._rollout.take(decision)
        if step.requests:
            if self._answers.requests:
                self._answers.clear()
            self._replies += step.action is not None
        if self._looks_around:
            self._follow_plan(step)
        return step

    def next_planned(self) -> Decision | None:
        """Return a decision that needs no request; None if the model must be queried."""
        if self._planned:
            return Decision.act(self._planned[0])
        return Decision.stop() if self._replies == self._max_replies else None

    def _follow_plan(self, step: Step) -> None:
        """Keep or drop the rest of the last reply after a step."""
        new = self._rollout.things_in_view() - self._seen
        self._seen |= new
        if step.requests:
            self._planned = deque(step.requests[-1].planned)
        elif self._planned:
            self._planned.popleft()
        if self._planned:
            owner = owner_of("protocol", self._protocol, class_name(self._protocol))
            with calling(owner, "goes_on", f"after step {step.number}"):
                if not self._protocol.goes_on(step, bool(new)):
                    self._planned.clear()


def replayed_steps(
    rollout: Rollout, record: EpisodeRecord, take: Callable[[Decision], Step] | None = None
) -> Iterator[Step]:
    """Repeat recorded steps, lazily.

    Args:
        rollout: the episode, at its start.
        record: the recorded episode.
        take: takes a step of the rollout; by default `Rollout.take`.

    Raises:
        DivergedError: a step or the start differs from the record.
    """
    task = rollout.task.task_id
    if rollout.header.digest != record.header.digest:
        raise DivergedError(f"'{task}' does not start as it was recorded: was it recorded on other versions?")
    for recorded in tuple(record.steps):
        taken = (take or rollout.take)(recorded.decision)
        if taken != recorded:
            raise DivergedError(
                f"'{task}', played again, is another episode than was recorded from step {taken.number}"
            )
        yield taken


ASK_ONCE = AnswerPolicies(FaultPolicy(), FaultPolicy(), FaultPolicy(), on_truncated=FaultPolicy())
"""Policies that repeat a request after infrastructure faults only: a wrong answer is a result."""


@attrs.define(eq=False)
class QuestionJob:
    """An open question for the model."""

    number: int
    name: str
    prompt: Prompt
    requests: list[Request] = attrs.Factory(list)
    """Requests made so far that count."""
    sent: list[dict[str, Any]] = attrs.Factory(list)
    """What was sent for each of them (`multinet_eval.record.sent_requests`)."""

    @property
    def progress(self) -> int:
        """Number of requests that count."""
        return len(self.requests)

    def note(self, event: Event) -> None:
        """Store a request that counts."""
        if isinstance(event, RequestMade) and event.counts:
            self.requests.append(event.request)
            self.sent += parse_json(event.sent)


class PendingQuestion(NamedTuple):
    """An open question that is waiting for an answer."""

    prompt: Prompt
    retry: Retry | None = None
    step: int = 1


class QuestionState:
    """An open question in progress, such as a probe's: an episode with a single request.

    Args:
        prompt: the question.
        requests: earlier requests for it that count.
    """

    def __init__(self, prompt: Prompt, requests: Iterable[Request] = ()) -> None:
        self._answers = AnswerCounter(ASK_ONCE)
        self.pending: PendingQuestion | None = PendingQuestion(prompt)
        for request in requests:
            self.apply(request)

    def apply(self, answer: Request | PluginFault) -> list[Event]:
        """Take the answer; raises a `PluginFault` given as the answer."""
        if isinstance(answer, PluginFault):
            raise answer
        if self.pending is not None:
            verdict = None if answer.outcome is AnswerOutcome.OK else self._answers.count_fault(answer)
            self.pending = self.pending._replace(retry=verdict) if isinstance(verdict, Retry) else None
        return []
