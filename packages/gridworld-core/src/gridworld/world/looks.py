"""What a cell shows: the part of a world that pictures and texts are made from."""

from typing import NamedTuple

from gridworld.world.state import NOTHING, State
from gridworld.world.world import World

__all__ = ["CellLook", "look_at"]


class CellLook(NamedTuple):
    """What can be seen of one cell, the agent aside."""

    wall: bool
    goal: bool
    """Whether ``maze.goal`` is drawn here."""
    marker: bool
    """Whether another target of the task's goal is drawn here."""
    things: tuple[tuple[int, int], ...]
    """(entity, value) of what lies here, from the ground up."""


WALL = CellLook(wall=True, goal=False, marker=False, things=())


def look_at(world: World, state: State, cell: int) -> CellLook:
    """What a cell shows in a state."""
    if cell in world.walls:
        return WALL
    things: tuple[tuple[int, int], ...] = ()
    fixed = world.fixed_at[cell]
    if fixed != NOTHING:
        things = ((fixed, state.values[fixed]),)
    if cell in state.places:
        movable = state.places.index(cell)
        things = (*things, (movable, state.values[movable]))
    goal = cell in world.goal_cells
    return CellLook(False, goal, cell in world.markers and not goal, things)
