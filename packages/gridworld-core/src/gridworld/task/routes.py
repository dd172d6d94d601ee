"""Routes: the ways through a maze between which a task leaves the choice, and which of them was taken.

A task says under ``metadata.routes`` what its routes are: name to ``cells``, from where they part to where they meet,
and ``mechanisms``, the ids of what stands in the way. Routes share no cell, and there is no other way: all that lies
behind the place where they meet is reached through the last cell of one of them. So which one was taken does not depend
on what was entered and left again, picked up or opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.errors import InvalidTaskError, Problem
from gridworld.task_spec import Position, TaskSpecification, to_ids, to_positions

__all__ = ["NEITHER", "ROUTES", "Route", "read_routes", "route_taken", "with_only"]

ROUTES = "routes"
"""The key in a task's metadata."""
NEITHER = "neither"
"""The outcome of an episode in which no route was walked to its end."""


@attrs.frozen
class Route:
    """One of several ways."""

    cells: tuple[Position, ...] = attrs.field(converter=to_positions, validator=attrs.validators.min_len(1))
    """Its lattice cells, from the first that is on no other route to the last."""
    mechanisms: tuple[str, ...] = attrs.field(default=(), converter=to_ids)
    """The ids of what has to be used to walk it, in order."""

    def to_dict(self) -> dict[str, Any]:
        """What a task's metadata holds of it."""
        return {"cells": [list(cell) for cell in self.cells], "mechanisms": list(self.mechanisms)}


def read_routes(task: TaskSpecification) -> Mapping[str, Route]:
    """The routes of a task by name; none for a task that does not say what they are.

    Raises:
        InvalidTaskError: what it says is not well-formed.
    """
    try:
        return {name: Route(**fields) for name, fields in task.metadata.get(ROUTES, {}).items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidTaskError([Problem(f"metadata.{ROUTES}", str(error))], task.task_id) from error


def with_only(task: TaskSpecification, name: str) -> TaskSpecification:
    """The task with all routes but one walled up at their last cells."""
    closed = [route.cells[-1] for other, route in read_routes(task).items() if other != name]
    return attrs.evolve(task, maze=attrs.evolve(task.maze, walls=(*task.maze.walls, *closed)))


def route_taken(routes: Mapping[str, Route], positions: Iterable[Sequence[int]]) -> str:
    """Which route an agent took: the first whose last cell it was on; `NEITHER` if it was on none.

    Args:
        routes: as `read_routes` gives them.
        positions: the lattice cells that it was on, in order, such as ``agent_position`` of each state.
    """
    ends = {route.cells[-1]: name for name, route in routes.items()}
    return next((ends[Position(x, y)] for x, y in positions if (x, y) in ends), NEITHER)
