"""What a model is told of the steps before: earlier pictures and a rolling text, made from the kernel's events."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.world import Episode, World
from gridworld.world.events import Event
from multinet_eval.asking import shorten
from multinet_eval.tally import Step

__all__ = ["History", "describe_events"]


def describe_events(world: World, events: Iterable[Event]) -> str:
    """What a step did, in words."""

    def name(entity_id: str) -> str:
        entity = world.by_id[entity_id]
        return entity.type.describe(entity.spec)

    return "; ".join(event.sentence(name) for event in events)


class History:
    """The recent past of one episode.

    Args:
        episode: the running episode; of what it does, only what the agent can perceive is told.
        images: how many earlier observations to keep.
        text_window: how many steps the text tells of; 0 for no text.
    """

    def __init__(self, episode: Episode, images: int, text_window: int) -> None:
        self._episode = episode
        self._images: deque[Any] = deque(maxlen=images)
        self._lines: deque[str] = deque(maxlen=text_window)

    def record(self, image: Any, step: Step) -> None:
        """Add a step: what was seen before it, and what it did, or what was wrong with the answer."""
        if image is not None:
            self._images.append(image)
        self._lines.append(f"Step {step.number}: {self._told(step)}.")

    def _told(self, step: Step) -> str:
        if step.transition is None:
            return f"no action: {shorten(step.last.message).rstrip('.')}"
        episode, events = self._episode, step.transition.events
        done = describe_events(episode.world, episode.observer.witnessed(episode.state, events))
        return f"{ACTION_SPACE[step.transition.action]}: {done}"

    @property
    def prior_images(self) -> list[Any] | None:
        """Earlier observations, oldest first; None when none are kept."""
        return list(self._images) if self._images.maxlen else None

    @property
    def text(self) -> str | None:
        """One line for each recent step, oldest first; None when no text is kept."""
        return "\n".join(self._lines) if self._lines.maxlen else None
