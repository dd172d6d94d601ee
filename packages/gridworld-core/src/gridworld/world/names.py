"""What people call a thing: the words of texts and missions, which say what pictures show."""

from gridworld.task_spec import Position
from gridworld.world.looks import Shown
from gridworld.world.marks import Mark
from gridworld.world.world import World

__all__ = ["NUMBERS", "describe_mark", "describe_thing", "dotted", "name_thing", "place_in_words"]


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
