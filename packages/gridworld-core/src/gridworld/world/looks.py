"""What a cell shows: the part of a world that pictures and texts are made from."""

from collections.abc import Callable
from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world.state import NOTHING, State
from gridworld.world.traits import Trait
from gridworld.world.world import World

__all__ = ["CellLook", "ShownLook", "bare_look", "look_at", "looks_barred"]

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


ShownLook = Callable[[int], CellLook | None]
"""How a cell is shown now; None for one that is not."""

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


def looks_barred(world: World, look: ShownLook, position: Position) -> bool:
    """Whether a lattice cell is seen to be a barrier (wall, door or gate), which can seal the seams beside it."""
    looks = (look(cell) for cell in world.topology.patches[position])
    return any(shown.wall or any(_bars(world, thing) for thing, _ in shown.things) for shown in looks if shown)


def _bars(world: World, thing: int) -> bool:
    return world.entities[thing].type.fills_patch and any(traits & SOLID for traits in world.traits[thing])
