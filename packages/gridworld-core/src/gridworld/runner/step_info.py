"""`step_info`: what an environment reports of a reset or step in addition to the observation."""

from __future__ import annotations

from typing import Any

from gridworld.world.episode import Episode
from gridworld.world.events import Event

__all__ = ["step_info"]


def step_info(episode: Episode, events: tuple[Event, ...] = ()) -> dict[str, Any]:
    """The ``info`` of a reset (without events) or step of an environment.

    Returns:
        ``events``, the kernel's records of what happened; ``event_records``, the same as JSON-ready dictionaries
        (`Event.to_dict`); ``success``, whether the goal has been reached; ``task_id``, the task that is played.
        Events include what the agent cannot see: they are for statistics, not for policies.
    """
    return {
        "events": events,
        "event_records": [event.to_dict() for event in events],
        "success": episode.succeeded,
        "task_id": episode.world.task.task_id,
    }
