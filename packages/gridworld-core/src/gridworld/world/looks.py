"""What a cell shows: the part of a world that pictures and texts are made from."""

from collections.abc import Callable
from typing import NamedTuple

from gridworld.task_spec import Position
from gridworld.world.goal_type import Mark, dots_for
from gridworld.world.mechanism_type import Trait
from gridworld.world.state import NOTHING, State
from gridworld.world.world import Entity, World

SOLID = int(Trait.SOLID)


class Shown(NamedTuple):
    """One thing as it is seen."""

    entity: int
    value: int
    part: int = 0
    """Which of its positions it is seen at, for what takes more than one."""
    number: int = 0
    """How many dots it has, by which it is told from its fellows; 0 for none."""


class CellLook(NamedTuple):
    """What can be seen of one cell, the agent aside."""

    wall: bool = False
    mark: Mark | None = None
    """What the task's goal marks here."""
    things: tuple[Shown, ...] = ()
    """What lies here, from the ground up."""


ShownLook = Callable[[int], CellLook | None]
"""How a cell is shown now; None for one that is not."""

WALL = CellLook(wall=True)
FLOOR = CellLook()


def bare_look(world: World, cell: int) -> CellLook:
    """What a cell shows while nothing lies there."""
    if cell in world.walls:
        return WALL
    mark = world.marks.get(cell)
    return FLOOR if mark is None else CellLook(mark=mark)


def look_at(world: World, state: State, cell: int, met: tuple[int, ...] = ()) -> CellLook:
    """What a cell shows in a state: a hidden thing looks like wall if it is solid, otherwise like nothing.

    Args:
        world: the world.
        state: its state.
        cell: the cell.
        met: the things with numbers in the order in which they were first shown, see `Knowledge.met`.
    """
    bare = _marked_look(world, state, cell)
    fixed, movable = world.fixed_at[cell], cell in state.places
    if fixed == NOTHING and not movable:
        return bare
    present = [] if fixed == NOTHING else [fixed]
    if movable:
        present.append(state.places.index(cell))
    hidden = [thing for thing in present if world.is_hidden(state, thing)]
    if any(world.traits_of(state, thing) & SOLID for thing in hidden):
        return WALL
    things = tuple(show_thing(world, state, thing, cell, met) for thing in present if thing not in hidden)
    return bare._replace(things=things) if things else bare


def _marked_look(world: World, state: State, cell: int) -> CellLook:
    """What a cell shows where nothing lies; a mark that the goal's memory is done with looks so."""
    bare = bare_look(world, cell)
    if world.visited is None or bare.mark is None or cell not in world.visited(state.memory):
        return bare
    return bare._replace(mark=bare.mark._replace(visited=True))


def looks_barred(world: World, look: ShownLook, position: Position) -> bool:
    """Whether a lattice cell is seen to be a barrier (wall, door or gate), which can seal the seams beside it."""
    looks = (look(cell) for cell in world.topology.patches[position])
    return any(look_bars(world, shown) for shown in looks if shown)


def look_bars(world: World, look: CellLook) -> bool:
    """Whether a cell that looks so is seen to be a barrier."""
    return look.wall or any(_bars(world, thing.entity) for thing in look.things)


def _bars(world: World, thing: int) -> bool:
    return world.entities[thing].type.fills_patch and any(traits & SOLID for traits in world.traits[thing])


def held_look(world: World, state: State, met: tuple[int, ...] = ()) -> CellLook | None:
    """What the agent's hand shows; None while it is empty."""
    if state.carried == NOTHING:
        return None
    return CellLook(things=(show_thing(world, state, state.carried, state.cell, met),))


def show_thing(world: World, state: State, thing: int, cell: int = NOTHING, met: tuple[int, ...] = ()) -> Shown:
    """How one thing is shown on a cell."""
    entity = world.entities[thing]
    part = _part(world, entity, cell) if len(entity.anchors) > 1 else 0
    return Shown(thing, state.values[thing], part, _number(world, entity, met))


def _part(world: World, entity: Entity, cell: int) -> int:
    position = world.topology.lattice[cell]
    return entity.anchors.index(world.topology.anchor(position))


def _number(world: World, entity: Entity, met: tuple[int, ...]) -> int:
    if not entity.type.numbered:
        return entity.number
    fellows = [thing for thing in met if world.entities[thing].type is entity.type]
    return dots_for(fellows.index(entity.index) + 1) if entity.index in fellows else 0


NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
"""The words for 0 to 9."""


TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def place_in_words(position: Position) -> str:
    """A lattice cell without digits, such as ``column three row twelve``, as missions have it; up to 999."""
    return f"column {_in_words(position.x)} row {_in_words(position.y)}"


def _in_words(number: int) -> str:
    if number < 20:
        return (NUMBERS + TEENS)[number] if number else "zero"
    if number < 100:
        return TENS[number // 10] + (f" {_in_words(number % 10)}" if number % 10 else "")
    return f"{NUMBERS[number // 100]} hundred" + (f" {_in_words(number % 100)}" if number % 100 else "")


def dotted(name: str, number: int) -> str:
    """A name with its number of dots, 0 to 9, if it has any."""
    return f"{name} with {NUMBERS[number]} dot{'s' if number > 1 else ''}" if number else name


def name_thing(world: World, shown: Shown) -> str:
    """A thing without the state that it is in, such as ``red key`` or ``teleporter entrance with two dots``."""
    entity = world.entities[shown.entity]
    part = entity.type.part(entity.spec, entity.type.field_of(entity.spec, shown.part))
    name = entity.type.describe(entity.spec)
    return dotted(f"{name} {part}" if part else name, shown.number)


def describe_thing(world: World, shown: Shown) -> str:
    """A thing with its state, such as ``locked red door``."""
    entity = world.entities[shown.entity]
    adjective = entity.type.adjective(entity.spec, entity.type.values[shown.value])
    name = name_thing(world, shown)
    return f"{adjective} {name}" if adjective else name


def describe_mark(mark: Mark) -> str:
    """A mark, such as ``goal`` or ``blue target with one dot``."""
    words = ("visited" if mark.visited else None, mark.color, mark.kind)
    return dotted(" ".join(filter(None, words)), mark.number)
