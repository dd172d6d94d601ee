"""`KnownSuite`: the tasks of a run on one tiling, against which an episode of one of them can be held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

import attrs

from gridworld.errors import GridworldError
from gridworld.solver import measure_difficulty
from gridworld.task_spec import TaskSpecification
from gridworld.world.world import World
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS
from multinet_eval.settings.task_hashes import task_hash

__all__ = ["Dimensions", "KnownSuite"]

Dimensions = Mapping[str, float | None]
"""The twelve static dimensions of a task, as `gridworld.solver.Difficulty.dimensions` has them."""


class KnownSuite:
    """The tasks of a run, and how difficult each is on a tiling, found out when it is first asked for.

    Args:
        tasks: the tasks.
        compiled: compiles one of them on the tiling.
        max_table_states: of tasks with more states nothing is known that needs all of them, and if a plan takes a
            search of more, nothing at all.
    """

    def __init__(
        self,
        tasks: Iterable[TaskSpecification],
        compiled: Callable[[TaskSpecification], World],
        max_table_states: int = MAX_STATES_OF_METRICS,
    ) -> None:
        self._tasks = tuple(tasks)
        self._compiled = compiled
        self._max_table_states = max_table_states

    @cached_property
    def dimensions(self) -> tuple[Dimensions, ...]:
        """Those of all tasks for which a plan was found."""
        return tuple(each for each in self._measured.values() if each is not None)

    def dimensions_of(self, task: TaskSpecification) -> Dimensions | None:
        """Those of one of the tasks, whatever its budget; None where no plan was found."""
        return self._measured[_key(task)]

    @cached_property
    def _measured(self) -> Mapping[str, Dimensions | None]:
        return {_key(task): self._measure(task) for task in self._tasks}

    def _measure(self, task: TaskSpecification) -> Dimensions | None:
        bound = self._max_table_states
        try:
            return measure_difficulty(self._compiled(task), bound, bound).dimensions()
        except GridworldError:
            return None


def _key(task: TaskSpecification) -> str:
    """The same for a task with any budget."""
    return task_hash(attrs.evolve(task, max_steps=1))
