"""The visible contents of cells, as the basis of pictures and texts, and names of entities."""

from collections.abc import Callable
from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world.goal_type import Mark, dots_for
from gridworld.world.mechanism_type import Trait
from gridworld.world.state import NOTHING, State
from gridworld.world.world import Entity, World

SOLID = int(Trait.SOLID)


class Shown(NamedTuple):
    """How an entity looks."""

    entity: int
    value: int
    part: int = 0
    """Index of the position shown, for an entity with several."""
    number: int = 0
    """Number of dots that distinguish the entity from others of its kind; 0 without dots."""


class CellLook(NamedTuple):
    """The visible contents of a cell, apart from the agent."""

    wall: bool = False
    mark: Mark | None = None
    """The goal's mark, if any."""
    things: tuple[Shown, ...] = ()
    """The entities, from bottom to top."""


ShownLook = Callable[[int], CellLook | None]
"""Returns the current look of a cell; None for a cell that is not shown."""

WALL = CellLook(wall=True)
FLOOR = CellLook()


def bare_look(world: World, cell: int) -> CellLook:
    """Return the look of a cell without entities."""
    if cell in world.walls:
        return WALL
    mark = world.marks.get(cell)
    return FLOOR if mark is None else CellLook(mark=mark)


def look_at(world: World, state: State, cell: int, met: tuple[int, ...] = ()) -> CellLook:
    """Return the look of a cell in a state. A solid hidden entity looks like a wall; others are invisible.

    Args:
        world: the world.
        state: its state.
        cell: the cell.
        met: the numbered entities in the order in which they were first seen (`Knowledge.met`).
    """
    bare = _marked_look(world, state, cell)
    fixed, movable = world.fixed_at[cell], cell in state.places
    if fixed == NOTHING and not movable:
        return bare
    present = [] if fixed == NOTHING else [fixed]
    if movable:
        present.append(state.places.index(cell))
    hidden = [index for index in present if world.is_hidden(state, index)]
    if any(world.traits_of(state, index) & SOLID for index in hidden):
        return WALL
    shown = tuple(show_thing(world, state, index, cell, met) for index in present if index not in hidden)
    return bare._replace(things=shown) if shown else bare


def _marked_look(world: World, state: State, cell: int) -> CellLook:
    """Return the look of a cell without entities; marks that the goal's memory counts as visited look visited."""
    bare = bare_look(world, cell)
    if world.visited is None or bare.mark is None or cell not in world.visited(state.memory):
        return bare
    return bare._replace(mark=bare.mark._replace(visited=True))


def looks_barred(world: World, look: ShownLook, position: Position) -> bool:
    """Whether a lattice cell looks like a barrier (wall, door or gate), which can seal the seams next to it."""
    looks = (look(cell) for cell in world.topology.patches[position])
    return any(look_bars(world, shown) for shown in looks if shown)


def look_bars(world: World, look: CellLook) -> bool:
    """Whether a look shows a barrier."""
    return look.wall or any(
        world.entities[shown.entity].type.fills_patch and any(traits & SOLID for traits in world.traits[shown.entity])
        for shown in look.things
    )


def held_look(world: World, state: State, met: tuple[int, ...] = ()) -> CellLook | None:
    """Return the look of the entity in the agent's hand; None if the hand is empty."""
    if state.carried == NOTHING:
        return None
    return CellLook(things=(show_thing(world, state, state.carried, state.cell, met),))


def show_thing(world: World, state: State, index: int, cell: int = NOTHING, met: tuple[int, ...] = ()) -> Shown:
    """Return how one entity looks on a cell."""
    entity, part = world.entities[index], 0
    if len(entity.anchors) > 1:
        part = entity.anchors.index(world.topology.anchor(world.topology.lattice[cell]))
    number = _number(world, entity, met) if entity.type.numbered else entity.number
    return Shown(index, state.values[index], part, number)


def _number(world: World, entity: Entity, met: tuple[int, ...]) -> int:
    same_type = [index for index in met if world.entities[index].type is entity.type]
    return dots_for(same_type.index(entity.index) + 1) if entity.index in same_type else 0


NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
"""English words for 0 to 9."""
TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def place_in_words(position: Position) -> str:
    """Describe a lattice cell for missions, without digits, such as ``column three row twelve``; up to 999."""
    return f"column {_in_words(position.x)} row {_in_words(position.y)}"


def _in_words(number: int) -> str:
    if number < 20:
        return (NUMBERS + TEENS)[number] if number else "zero"
    if number < 100:
        return TENS[number // 10] + (f" {_in_words(number % 10)}" if number % 10 else "")
    return f"{NUMBERS[number // 100]} hundred" + (f" {_in_words(number % 100)}" if number % 100 else "")


def dotted(name: str, number: int) -> str:
    """Add a number of dots, 0 to 9, to a name, as in ``key with two dots``; with 0 the name stays unchanged."""
    return f"{name} with {NUMBERS[number]} dot{'s' if number > 1 else ''}" if number else name


def name_thing(world: World, shown: Shown) -> str:
    """Return the name of an entity without its state, such as ``red key`` or ``teleporter entrance with two dots``."""
    entity = world.entities[shown.entity]
    part = entity.type.part(entity.spec, entity.type.field_of(entity.spec, shown.part))
    name = entity.type.describe(entity.spec)
    return dotted(f"{name} {part}" if part else name, shown.number)


def describe_thing(world: World, shown: Shown) -> str:
    """Return the name of an entity with its state, such as ``locked red door``."""
    entity = world.entities[shown.entity]
    adjective = entity.type.adjective(entity.spec, entity.type.values[shown.value])
    name = name_thing(world, shown)
    return f"{adjective} {name}" if adjective else name


def describe_mark(mark: Mark) -> str:
    """Return the name of a mark, such as ``goal`` or ``blue target with one dot``."""
    words = ("visited" if mark.visited else None, mark.color, mark.kind)
    return dotted(" ".join(filter(None, words)), mark.number)
