"""Tasks as environments play them: compiled on squares, with their missions and the sizes of what is seen of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gridworld.errors import ArgumentError
from gridworld.runner.task_set import TaskSet
from gridworld.support.checks import check_int
from gridworld.task.validation import MAX_VIEW_SIZE, MIN_VIEW_SIZE, refuse_impossible_sides
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, World, square_topology

MAX_SIDE = 1536
"""The largest width and height of a picture in pixels, unless another is asked for."""


def asked_tile_size(tile_size: int, width: int, height: int, max_side: int) -> int:
    """`fitting_tile_size` of what somebody asks for.

    Raises:
        ValueError: `tile_size` or `max_side` is not a whole number of at least 1.
    """
    tile_size = check_int("tile_size", tile_size, 1, "pixel")
    return fitting_tile_size(tile_size, width, height, check_int("max_side", max_side, 1, "pixel"))


def fitting_tile_size(tile_size: int, width: int, height: int, max_side: int) -> int:
    """The width of a cell in pixels: the one asked for, or the largest with which the picture is not too large.

    Args:
        tile_size: what is asked for.
        width: of the grid, in cells.
        height: likewise.
        max_side: the largest width and height of the picture, in pixels; a cell has at least one pixel all the same.
    """
    return max(1, min(tile_size, max_side // max(width, height)))


USUAL_VIEW_SIZE = 7
"""MiniGrid's; most sets of tasks have the same space then, and what is trained on one can be used on another."""


def compile_tasks(tasks: Iterable[TaskSpecification]) -> TaskSet:
    """The tasks on squares.

    Raises:
        InvalidTaskError: a task is invalid.
        ArgumentError: there is none, or two have one id.
    """
    return TaskSet.compiled(tasks, _squares)


def _squares(task: TaskSpecification) -> Topology:
    refuse_impossible_sides(task)
    return square_topology(*task.maze.dimensions)


def grid_size(worlds: Sequence[World]) -> tuple[int, int]:
    """The columns and rows of the grid that holds those of all of some tasks."""
    return max(world.topology.width for world in worlds), max(world.topology.height for world in worlds)


def mission_of(world: World) -> str:
    """The sentence that tells an agent of the goal."""
    return world.goal_type.mission(world)


def view_size(world: World, given: int | None) -> int:
    """Cells along a side of the symbolic view: what is given, by default the task's own.

    Raises:
        ArgumentError: what is given is not a whole number, not odd, or outside the range of task files.
    """
    if given is None:
        return world.task.rules.view_size
    if isinstance(given, bool | float) or given not in range(MIN_VIEW_SIZE, MAX_VIEW_SIZE + 1, 2):
        raise ArgumentError(
            f"agent_view_size has to be odd, at least {MIN_VIEW_SIZE} and at most {MAX_VIEW_SIZE}, a whole number, "
            f"got {given!r}"
        )
    return int(given)


def image_size(worlds: Iterable[World], given: int | None) -> int:
    """Cells along a side of the image that holds the views of all of some tasks."""
    sizes = [view_size(world, given) for world in worlds]
    least = USUAL_VIEW_SIZE if len(sizes) > 1 and given is None else 0
    return max(least, *sizes)
