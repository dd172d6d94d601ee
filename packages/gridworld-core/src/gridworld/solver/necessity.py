"""Whether a task can be won as soon without ever touching a thing."""

from __future__ import annotations

import attrs

from gridworld.solver.search import TaskSearches, without

__all__ = ["Spared", "spare"]


@attrs.frozen
class Spared:
    """What comes of leaving a thing alone."""

    length: int | None
    """The number of actions of a plan that is no longer than a shortest one; None if none was found."""
    decided: bool
    """Whether that is certain: False if none was found in as many states as were allowed."""

    @property
    def is_necessary(self) -> bool:
        """Whether every plan as short as a shortest one touches the thing."""
        return self.length is None and self.decided


def spare(searches: TaskSearches, entity: int) -> Spared:
    """Look for a plan that leaves an entity's value and place as they are at the start of the task.

    Args:
        searches: those of the task, which can be won.
        entity: its index.
    """
    found, optimum = searches.as_short(without(searches.world, entity)), searches.solution.length
    return Spared(found.length, found.length is not None or optimum is None or found.depth > optimum)
