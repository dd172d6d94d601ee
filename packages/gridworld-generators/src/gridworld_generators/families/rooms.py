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
    """A hall split into empty rooms by thin walls with one gap each.

    Args:
        rooms: number of rooms, at least 1; fewer if they would become too small; by default it depends on the size.
    """

    rooms: int | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(1)))

    LEAST_SIZE: ClassVar[int] = 6
    NOUN: ClassVar[str] = "A hall with partitions"

    def lay_out(self, dice: Dice) -> Sketch:
        """Lay out a hall with at least as many rooms as the chain needs."""
        rooms = max(self.depth + 1, dice.between(2, self.size // 2 - 1)) if self.rooms is None else self.rooms
        sketch = Sketch(self.size, self.size, set(partition(self.size, self.size, rooms, dice).floor))
        place_ends(sketch, dice)
        return sketch


@attrs.frozen(kw_only=True)
class RoomsAndCorridors(Family):
    """Small rooms in the rock, joined by narrow corridors.

    Args:
        rooms: number of rooms, at least 2; fewer if they do not fit; by default it depends on the size.
        loops: number of corridors beyond those that connect all rooms.
    """

    size: int = 13
    rooms: int | None = attrs.field(default=None, validator=attrs.validators.optional(attrs.validators.ge(2)))
    loops: int = attrs.field(default=0, validator=attrs.validators.ge(0))

    LEAST_SIZE: ClassVar[int] = 9
    NOUN: ClassVar[str] = "Rooms and corridors"

    def lay_out(self, dice: Dice) -> Sketch:
        """Lay out a dungeon of at least three rooms, or of as many as requested if that is fewer."""
        rooms = dice.between(self.size // 3, self.size // 2) if self.rooms is None else self.rooms
        dungeon = dig_dungeon(self.size, self.size, rooms, dice, self.loops)
        if len(dungeon.rooms) < min(rooms, 3):
            raise NothingDrawn("too few rooms could be placed")
        sketch = Sketch(self.size, self.size, dungeon.floor())
        place_ends(sketch, dice)
        return sketch


LEAST_SHARE = 0.4
"""Minimum share of floor inside the border."""
LEAST_ROUGHNESS = 0.62
"""Minimum share of floor cells with rock among their eight neighbours; with less, a cave is just a hall."""


@attrs.frozen(kw_only=True)
class Cave(Family):
    """Irregular halls without straight walls or corridors, with many paths.

    Args:
        rounds: rounds of smoothing, 1 to 4; more give wider halls.
    """

    size: int = 13
    rounds: int = attrs.field(default=2, validator=[attrs.validators.ge(1), attrs.validators.le(4)])

    LEAST_SIZE: ClassVar[int] = 8
    NOUN: ClassVar[str] = "A cave"

    def lay_out(self, dice: Dice) -> Sketch:
        """Lay out the largest region of a cave."""
        sketch = Sketch(self.size, self.size, grow_cave(self.size, self.size, dice, self.rounds))
        if len(sketch.floor) < LEAST_SHARE * len(sketch.inner_cells):
            raise NothingDrawn("the cave became too small")
        rough = sum(any(there not in sketch.floor for there in sketch.around[cell]) for cell in sketch.floor)
        if rough < LEAST_ROUGHNESS * len(sketch.floor):
            raise NothingDrawn("the cave became a plain hall")
        place_ends(sketch, dice)
        return sketch
