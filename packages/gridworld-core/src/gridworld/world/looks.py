"""What a cell shows: the part of a world that pictures and texts are made from."""

from typing import NamedTuple

from gridworld.world.state import NOTHING, State
from gridworld.world.traits import Trait
from gridworld.world.world import World

__all__ = ["CellLook", "bare_look", "look_at"]

SOLID = int(Trait.SOLID)


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
FLOOR = CellLook(wall=False, goal=False, marker=False, things=())
GOAL = CellLook(wall=False, goal=True, marker=False, things=())
MARKER = CellLook(wall=False, goal=False, marker=True, things=())


def bare_look(world: World, cell: int) -> CellLook:
    """What a cell shows while nothing lies there."""
    if cell in world.walls:
        return WALL
    if cell in world.goal_cells:
        return GOAL
    return MARKER if cell in world.markers else FLOOR


def look_at(world: World, state: State, cell: int) -> CellLook:
    """What a cell shows in a state: a hidden thing looks like wall if it is solid, otherwise like nothing."""
    bare = bare_look(world, cell)
    fixed, movable = world.fixed_at[cell], cell in state.places
    if fixed == NOTHING and not movable:
        return bare
    present = [] if fixed == NOTHING else [fixed]
    if movable:
        present.append(state.places.index(cell))
    hidden = [thing for thing in present if world.is_hidden(state, thing)]
    if any(world.traits_of(state, thing) & SOLID for thing in hidden):
        return WALL
    things = tuple((thing, state.values[thing]) for thing in present if thing not in hidden)
    return bare._replace(things=things) if things else bare
