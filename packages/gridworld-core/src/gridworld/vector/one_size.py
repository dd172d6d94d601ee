"""The size that all of some tasks have, for what shows them in arrays of one shape."""

from __future__ import annotations

from collections.abc import Iterable

from gridworld.errors import ArgumentError
from gridworld.world.world import World

__all__ = ["one_size"]


def one_size(worlds: Iterable[World]) -> tuple[int, int]:
    """The columns and rows of the mazes of some tasks.

    Raises:
        ArgumentError: they differ; two of the tasks are named.
    """
    first, *others = worlds
    size = first.topology.width, first.topology.height
    for other in others:
        if (other.topology.width, other.topology.height) != size:
            told = (
                f"'{each.task.task_id}' has {each.topology.width} x {each.topology.height}" for each in (first, other)
            )
            raise ArgumentError(f"pictures need tasks of one size, but {' cells and '.join(told)}")
    return size
