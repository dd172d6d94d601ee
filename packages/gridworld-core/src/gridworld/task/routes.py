"""Routes: alternative ways through a maze, and the one that an agent took.

A task declares its routes under ``metadata.routes``, by name: the ``cells`` from where the routes diverge to where they
meet, and the ids of the ``mechanisms`` along the way. Routes share no cell, and everything beyond the meeting point is
reached through the last cell of a route. The route taken is therefore the first whose last cell was entered, whatever
else the agent visited, picked up or opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.errors import InvalidTaskError, Problem
from gridworld.task_spec import Position, TaskSpecification, to_ids, to_positions

ROUTES = "routes"
"""The key of the routes in a task's metadata."""
NEITHER = "neither"
"""Outcome of an episode in which no route was completed."""


@attrs.frozen
class Route:
    """One of several ways through a maze."""

    cells: tuple[Position, ...] = attrs.field(converter=to_positions, validator=attrs.validators.min_len(1))
    """Lattice cells in order, starting with the first that belongs to no other route."""
    mechanisms: tuple[str, ...] = attrs.field(default=(), converter=to_ids)
    """Ids of the mechanisms to use along the way, in order."""

    def to_dict(self) -> dict[str, Any]:
        """Return the route in its task file form."""
        return {"cells": [list(cell) for cell in self.cells], "mechanisms": list(self.mechanisms)}


def read_routes(task: TaskSpecification) -> Mapping[str, Route]:
    """Return the declared routes of a task by name; raises InvalidTaskError if they are malformed."""
    try:
        return {name: Route(**fields) for name, fields in task.metadata.get(ROUTES, {}).items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidTaskError([Problem(f"metadata.{ROUTES}", str(error))], task.task_id) from error


def with_only(task: TaskSpecification, name: str) -> TaskSpecification:
    """Return a copy of the task in which all other routes are blocked at their last cells."""
    closed = [route.cells[-1] for other, route in read_routes(task).items() if other != name]
    return attrs.evolve(task, maze=attrs.evolve(task.maze, walls=(*task.maze.walls, *closed)))


def route_taken(routes: Mapping[str, Route], positions: Iterable[Sequence[int]]) -> str:
    """Return the name of the route that an agent took, or `NEITHER`.

    Args:
        routes: as returned by `read_routes`.
        positions: lattice cells of the agent, in order, such as ``agent_position`` of each state.
    """
    ends = {route.cells[-1]: name for name, route in routes.items()}
    return next((ends[Position(x, y)] for x, y in positions if (x, y) in ends), NEITHER)
