"""`TaskSet`: compiled tasks of which an environment plays one in each episode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import compile_world
from gridworld.world.topology import Topology
from gridworld.world.world import World

__all__ = ["TASK_ID", "TaskSet"]

TASK_ID = "task_id"
"""The entry of the options of ``reset`` that chooses a task."""


class TaskSet:
    """The worlds of some tasks, at least one.

    Args:
        worlds: the worlds, whose tasks have different ids.

    Raises:
        ArgumentError: there is no world, or two tasks have one id.
    """

    def __init__(self, worlds: Iterable[World]) -> None:
        self.worlds = tuple(worlds)
        self._by_id = {world.task.task_id: world for world in self.worlds}
        if not self.worlds:
            raise ArgumentError("at least one task has to be given")
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
            ArgumentError: as the class does.
        """
        return cls(compile_world(task, make_topology(task)) for task in tasks)

    def choose(self, options: Mapping[str, Any] | None, rng: np.random.Generator) -> World:
        """The world of the next episode: that of ``options["task_id"]``, by default one at random.

        `rng` is asked only where there is a choice.

        Raises:
            UnknownNameError: no task has that id.
            ArgumentError: there is another option.
        """
        unknown = sorted(set(options or ()) - {TASK_ID}, key=str)
        if unknown:
            raise ArgumentError(f"unknown option {unknown[0]!r} of reset; there is '{TASK_ID}'")
        if options:
            return self._named(str(options[TASK_ID]))
        return self.worlds[int(rng.integers(len(self.worlds)))] if len(self.worlds) > 1 else self.worlds[0]

    def _named(self, task_id: str) -> World:
        if task_id not in self._by_id:
            raise UnknownNameError("task of this environment", task_id, self._by_id, listed_as="there are")
        return self._by_id[task_id]
