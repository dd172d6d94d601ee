"""Rooms and corridors: a dungeon in the rock."""

from typing import ClassVar

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld_generators.families.family import Family
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.dungeons import dig_dungeon
from gridworld_generators.tools.ends import place_ends
from gridworld_generators.tools.sketch import Sketch

__all__ = ["RoomsAndCorridors"]


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
