"""Open rooms: a hall split by partitions."""

from typing import ClassVar

import attrs

from gridworld_generators.families.family import Family
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.ends import place_ends
from gridworld_generators.tools.partitions import partition
from gridworld_generators.tools.sketch import Sketch

__all__ = ["OpenRooms"]


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
