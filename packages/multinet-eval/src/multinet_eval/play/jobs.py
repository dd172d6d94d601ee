"""Jobs, and the calls by which a scheduler has a worker play them; all of it can be pickled."""

from __future__ import annotations

from typing import Protocol

import attrs

from gridworld.model_interface import PromptImage, PromptText
from gridworld.runner.record import Request
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode import Retry
from multinet_eval.record.events import EpisodeBegun, EpisodeRecord, Event, RequestMade
from multinet_eval.record.plan import PlannedEpisode

Parts = tuple[PromptText | PromptImage, ...]
"""An open question: texts and pictures, in order."""


class Job(Protocol):
    """Something to be played: an episode, or a question that stands alone."""

    @property
    def number(self) -> int:
        """Tells it from the other jobs of a scheduler."""

    @property
    def name(self) -> str:
        """Names it in messages."""

    def note(self, event: Event) -> None:
        """Keep an event, so that another worker can continue from it."""


@attrs.define(eq=False)
class EpisodeJob:
    """An episode to be played."""

    planned: PlannedEpisode
    task: TaskSpecification
    record: EpisodeRecord | None = None
    """Its recorded events; None for an episode from its start."""
    is_recorded: bool = True
    """Whether prompts, scenes and pictures are needed for the record."""
    swapped: TaskSpecification | None = None
    """The task that is shown in its place, where observations are swapped."""

    @property
    def number(self) -> int:
        """Number of the episode in the plan."""
        return self.planned.number

    @property
    def name(self) -> str:
        """Id of its task."""
        return self.planned.task_id

    @property
    def steps_left(self) -> int:
        """Steps that it may still take."""
        return self.task.max_steps - (0 if self.record is None else len(self.record.steps))

    def note(self, event: Event) -> None:
        """Apply an event to the record."""
        if isinstance(event, EpisodeBegun):
            self.record = EpisodeRecord(event.header)
        elif self.record is not None:
            self.record.add(event)


@attrs.define(eq=False)
class QuestionJob:
    """An open question to be put to a model."""

    number: int
    name: str
    parts: Parts
    requests: list[Request] = attrs.Factory(list)
    """Requests that have been made and count."""

    def note(self, event: Event) -> None:
        """Keep a request."""
        if isinstance(event, RequestMade):
            self.requests.append(event.request)


@attrs.frozen
class Open:
    """Begin or continue jobs."""

    jobs: tuple[EpisodeJob | QuestionJob, ...]


@attrs.frozen
class Ask:
    """Make the pending requests of some jobs, together where the model takes several at once."""

    numbers: tuple[int, ...]


@attrs.frozen
class Apply:
    """Play on with the answers to the requests that were made last."""

    numbers: tuple[int, ...]


Call = Open | Ask | Apply
"""What a worker can be asked to do; it returns an `Update` for each job, in their order."""


@attrs.frozen
class Waiting:
    """A job waits for its next request to be made."""

    step: int
    """Number of the step that is asked for, from 1."""
    retry: Retry | None = None
    is_cached: bool = False
    """Whether the answer is in the cache, so that nobody is asked."""


@attrs.frozen
class Update:
    """What happened in a job during a call."""

    events: list[Event]
    waiting: Waiting | None = None
    """The next request; None once the job is over, and after an `Ask`."""
