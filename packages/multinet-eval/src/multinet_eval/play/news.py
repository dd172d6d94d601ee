"""What a worker and whoever drives it say to each other: jobs, pieces of news, and replies."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import attrs

from gridworld.model_interface import Adjustment
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Request, Step
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.moments import Past, Resumed
from multinet_eval.play.observers import Place
from multinet_eval.play.retries import Retry
from multinet_eval.record.plan import PlannedEpisode

__all__ = ["NOWHERE", "Faulted", "Job", "Kept", "News", "Reply", "Waiting"]

NOWHERE: Place = (0, 0, 0)
"""The place of news that is not of a step."""


@attrs.frozen
class Job:
    """An episode to be played."""

    planned: PlannedEpisode
    task: TaskSpecification
    past: Past | None = None
    """What is recorded of it; None for an episode from its start."""
    recorded: bool = True
    """Whether what happens is to be recorded."""
    swapped: TaskSpecification | None = None
    """The task that is shown in its place, where observations are swapped."""


class Reply(Enum):
    """What a worker may be told in reply to a piece of news."""

    AGAIN = "again"
    """Make the `Faulted` request once more; it is not counted."""
    LATER = "later"
    """Make the request that is `Waiting` after those of other episodes; it is announced again then."""


@attrs.frozen
class Waiting:
    """A request is about to be made, as soon as all episodes of the worker wait for theirs."""

    step: int
    retry: Retry | None = None
    cached: bool = False
    """Whether its answer is known from a cache, so that nobody is asked."""


@attrs.frozen
class Faulted:
    """A request that failed for a reason that may concern all requests to the server."""

    step: int
    """The number of the step that was asked for."""
    request: Request


@attrs.frozen
class Kept:
    """A file to be kept beside the episodes, before the line that names it."""

    folder: str
    name: str
    content: bytes


class News(NamedTuple):
    """What has happened, and what is to be written before the worker goes on."""

    episode: int
    """The number of the episode in the plan."""
    what: EpisodeHeader | Resumed | Waiting | Faulted | Request | Adjustment | Step | EpisodeEnd
    line: bytes = b""
    """What is to be written; empty where nothing is."""
    kept: tuple[Kept, ...] = ()
    """What is to be kept before that."""
    place: Place = NOWHERE
    """Where the agent is after a `Step`."""
    can_wait: bool = False
    """Whether the line may be written with the next one, which follows at once, since its loss costs nothing."""
