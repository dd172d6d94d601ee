"""Families of open floor: partitioned halls, dungeons and caves."""

from typing import ClassVar

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld_generators.families.family import Family
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.rooms import dig_dungeon, grow_cave, partition
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.ways import place_ends


@attrs.frozen(kw_only=True)
class OpenRooms(Family):
    """A hall with thin walls across, each with one gap: rooms wall to wall, with nothing in them.

    Args:
        rooms: how many rooms there are, at least 1; fewer where they would become too small; none for by size.
    """

    rooms: int | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(1)))

    LEAST_SIZE: ClassVar[int] = 6
    NOUN: ClassVar[str] = "A hall with partitions"

    def lay_out(self, dice: Dice) -> Sketch:
        """A hall with as many rooms as chains need at least."""
        rooms = max(self.depth + 1, dice.between(2, self.size // 2 - 1)) if self.rooms is None else self.rooms
        sketch = Sketch(self.size, self.size, set(partition(self.size, self.size, rooms, dice).floor))
        place_ends(sketch, dice)
        return sketch


@attrs.frozen(kw_only=True)
class RoomsAndCorridors(Family):
    """Small rooms in the rock, joined by narrow corridors.

    Args:
        rooms: how many rooms there are, at least 2; fewer where they find no place; none for by size.
        loops: how many corridors there are beyond those that join all rooms.
    """

    size: int = 13
    rooms: int | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(2)))
    loops: int = attrs.field(default=0, validator=attrs.validators.ge(0))

    LEAST_SIZE: ClassVar[int] = 9
    NOUN: ClassVar[str] = "Rooms and corridors"

    def lay_out(self, dice: Dice) -> Sketch:
        """A dungeon of three rooms at least, if not told otherwise."""
        rooms = dice.between(self.size // 3, self.size // 2) if self.rooms is None else self.rooms
        dungeon = dig_dungeon(self.size, self.size, rooms, dice, self.loops)
        if len(dungeon.rooms) < min(rooms, 3):
            raise NothingDrawn("too few rooms found a place")
        sketch = Sketch(self.size, self.size, dungeon.floor())
        place_ends(sketch, dice)
        return sketch


LEAST_SHARE = 0.4
"""The share of the cells inside the border that a cave has at least."""
LEAST_ROUGHNESS = 0.62
"""The share of its cells that have rock beside them, or diagonally, at least: otherwise it is a plain hall."""


@attrs.frozen(kw_only=True)
class Cave(Family):
    """Irregular halls, with no straight walls, no corridors and many ways.

    Args:
        rounds: how often the walls are smoothed, 1 to 4: the halls become wider.
    """

    size: int = 13
    rounds: int = attrs.field(default=2, validator=[attrs.validators.ge(1), attrs.validators.le(4)])

    LEAST_SIZE: ClassVar[int] = 8
    NOUN: ClassVar[str] = "A cave"

    def lay_out(self, dice: Dice) -> Sketch:
        """The largest hall of a cave."""
        sketch = Sketch(self.size, self.size, grow_cave(self.size, self.size, dice, self.rounds))
        if len(sketch.floor) < LEAST_SHARE * len(sketch.inner_cells):
            raise NothingDrawn("the cave became too small")
        rough = sum(any(there not in sketch.floor for there in sketch.around[cell]) for cell in sketch.floor)
        if rough < LEAST_ROUGHNESS * len(sketch.floor):
            raise NothingDrawn("the cave became a plain hall")
        place_ends(sketch, dice)
        return sketch
