"""`TaskSet`: compiled tasks for environments that play one of them per episode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gridworld.errors import ArgumentError, UnknownNameError, describe_value
from gridworld.support.wording import listed, nearest_hint, shorten
from gridworld.task_spec import TaskSpecification
from gridworld.world.compilation import compile_world
from gridworld.world.episode import Episode
from gridworld.world.events import Event
from gridworld.world.topology import Topology
from gridworld.world.world import World

TASK_ID = "task_id"
"""Option of ``reset`` that selects a task."""


class TaskSet:
    """The compiled worlds of one or more tasks.

    Args:
        worlds: the worlds, whose tasks have different ids.

    Raises:
        ArgumentError: `worlds` is empty, or two tasks have the same id.
    """

    def __init__(self, worlds: Iterable[World]) -> None:
        self.worlds = tuple(worlds)
        self._by_id = {world.task.task_id: world for world in self.worlds}
        if not self.worlds:
            raise ArgumentError("expected at least one task")
        if len(self._by_id) < len(self.worlds):
            ids = [world.task.task_id for world in self.worlds]
            raise ArgumentError(f"more than one task has the id '{next(each for each in ids if ids.count(each) > 1)}'")

    @classmethod
    def compiled(
        cls, tasks: Iterable[TaskSpecification], make_topology: Callable[[TaskSpecification], Topology]
    ) -> TaskSet:
        """Compile tasks, each on its topology.

        Raises:
            InvalidTaskError: a task is invalid.
            ArgumentError: `tasks` is empty, or two tasks have the same id.
        """
        return cls(compile_world(task, make_topology(task)) for task in tasks)

    def choose(self, options: Mapping[str, Any] | None, rng: np.random.Generator) -> World:
        """Choose the world of the next episode: the task ``options["task_id"]``, or by default a random one.

        `rng` is used only if there are several worlds to choose from.

        Raises:
            UnknownNameError: no task has that id.
            ArgumentError: `options` is not a mapping, or has a key other than ``task_id``.
        """
        chosen = self.chosen(options)
        if chosen is not None:
            return chosen
        return self.worlds[int(rng.integers(len(self.worlds)))] if len(self.worlds) > 1 else self.worlds[0]

    def chosen(self, options: Mapping[str, Any] | None) -> World | None:
        """Return the world selected by the options of ``reset``; None if they select none.

        Raises:
            UnknownNameError: no task has the id.
            ArgumentError: `options` is not a mapping, or has a key other than ``task_id``.
        """
        given = check_options(options, [TASK_ID])
        return self._named(given[TASK_ID]) if TASK_ID in given else None

    def _named(self, task_id: object) -> World:
        world = self._by_id.get(task_id) if isinstance(task_id, str) else None
        if world is None:
            raise UnknownNameError(
                "task of this environment", shorten(str(task_id)), self._by_id, listed_as="there are"
            )
        return world


def check_options(options: object, known: Sequence[str]) -> Mapping[str, Any]:
    """Check the options of ``reset``; None becomes an empty mapping.

    Args:
        options: the options given.
        known: the accepted keys.

    Raises:
        ArgumentError: `options` is not a mapping, or has an unknown key; the message suggests the nearest known one.
    """
    if options is None:
        return {}
    quoted = [f"'{name}'" for name in known]
    if not isinstance(options, Mapping):
        got = shorten(describe_value(options))
        raise ArgumentError(f"options of reset: expected a dictionary with {listed(quoted, 'or')}, got {got}")
    unknown = sorted(set(options) - set(known), key=str)
    if unknown:
        there = f"there {'is' if len(known) == 1 else 'are'} {listed(quoted)}"
        raise ArgumentError(f"unknown option {unknown[0]!r} of reset{nearest_hint(str(unknown[0]), known)}; {there}")
    return options


def step_info(episode: Episode, events: tuple[Event, ...] = ()) -> dict[str, Any]:
    """Return the ``info`` of an environment's reset (without events) or step.

    Returns:
        ``events``, the kernel's events; ``event_records``, the events as JSON-ready dictionaries (`Event.to_dict`);
        ``success``, whether the goal has been reached; ``task_id``, the id of the current task. Events include some
        that
        the agent cannot see: use them for statistics, not in policies.
    """
    return {
        "events": events,
        "event_records": [event.to_dict() for event in events],
        "success": episode.succeeded,
        "task_id": episode.world.task.task_id,
    }
