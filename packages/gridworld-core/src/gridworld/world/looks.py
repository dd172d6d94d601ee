"""What a cell shows: the part of a world that pictures and texts are made from."""

from typing import NamedTuple

from gridworld.traits import Trait
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
    """What a cell shows in a state: a hidden thing looks like wall if it is solid, otherwise like nothing."""
    if cell in world.walls:
        return WALL
    present = [world.fixed_at[cell]] if world.fixed_at[cell] != NOTHING else []
    if cell in state.places:
        present.append(state.places.index(cell))
    if any(world.is_hidden(state, thing) and world.traits_of(state, thing) & Trait.SOLID for thing in present):
        return WALL
    things = tuple((thing, state.values[thing]) for thing in present if not world.is_hidden(state, thing))
    goal = cell in world.goal_cells
    return CellLook(False, goal, cell in world.markers and not goal, things)
