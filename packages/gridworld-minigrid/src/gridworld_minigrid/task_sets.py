"""Compilation of tasks on squares, and the sizes of their views and pictures; does not import MiniGrid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gridworld.errors import ArgumentError
from gridworld.runner.task_set import TaskSet
from gridworld.support.checks import check_int
from gridworld.task.validation import MAX_VIEW_SIZE, MIN_VIEW_SIZE, refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, World, square_topology

MAX_SIDE = 1536
"""Default maximum width and height of a picture, in pixels."""
USUAL_VIEW_SIZE = 7
"""MiniGrid's view size, so that most task sets share one space and policies can be transferred between them."""


def compile_tasks(tasks: TaskSpecification | Iterable[TaskSpecification]) -> TaskSet:
    """Compile one or several tasks on squares.

    Raises:
        InvalidTaskError: a task is invalid.
        ArgumentError: no task is given, or two tasks have the same id.
    """
    return TaskSet.compiled([tasks] if isinstance(tasks, TaskSpecification) else tasks, _squares)


def _squares(task: TaskSpecification) -> Topology:
    refuse_impossible_sides(task)
    return square_topology(*task.maze.dimensions)


def asked_tile_size(tile_size: int, width: int, height: int, max_side: int) -> int:
    """Return `fitting_tile_size`; raises `ValueError` unless `tile_size` and `max_side` are integers of at least 1."""
    tile_size = check_int("tile_size", tile_size, 1, "pixel")
    return fitting_tile_size(tile_size, width, height, check_int("max_side", max_side, 1, "pixel"))


def fitting_tile_size(tile_size: int, width: int, height: int, max_side: int) -> int:
    """Return the width of a cell in pixels: `tile_size`, or the largest for which the picture fits.

    Args:
        tile_size: the requested width.
        width: columns of the grid.
        height: rows of the grid.
        max_side: largest width and height of the picture in pixels; exceeded only to give each cell one pixel.
    """
    return max(1, min(tile_size, max_side // max(width, height)))


def grid_size(worlds: Sequence[World]) -> tuple[int, int]:
    """Return the columns and rows of the smallest grid that contains every task's grid."""
    return max(world.topology.width for world in worlds), max(world.topology.height for world in worlds)


def view_size(world: World, given: int | None) -> int:
    """Return the number of cells along a side of the symbolic view: `given`, or by default the task's own.

    Raises:
        ArgumentError: `given` is not an odd integer in the range of task files.
    """
    if given is None:
        return world.task.rules.view_size
    if isinstance(given, bool | float) or given not in range(MIN_VIEW_SIZE, MAX_VIEW_SIZE + 1, 2):
        raise ArgumentError(
            f"agent_view_size must be an odd whole number from {MIN_VIEW_SIZE} to {MAX_VIEW_SIZE}, got {given!r}"
        )
    return int(given)


def image_size(worlds: Iterable[World], given: int | None) -> int:
    """Return the number of cells along a side of the image that fits the views of all tasks."""
    sizes = [view_size(world, given) for world in worlds]
    least = USUAL_VIEW_SIZE if len(sizes) > 1 and given is None else 0
    return max(least, *sizes)
