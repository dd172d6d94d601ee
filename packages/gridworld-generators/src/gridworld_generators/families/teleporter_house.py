"""Houses of rooms without doors, connected by teleporters."""

from itertools import pairwise
from typing import ClassVar

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.mechanisms.teleporters import TeleporterSpec
from gridworld.task_spec import Position
from gridworld_generators.families.family import Puzzle
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import components, cut_cells
from gridworld_generators.tools.rooms import partition
from gridworld_generators.tools.sketch import TIERS, Sketch

Room = frozenset[Position]


@attrs.frozen(kw_only=True)
class TeleporterHouse(Puzzle):
    """Closed rooms connected by teleporters from first to last, with teleporters to side rooms and back.

    Args:
        depth: number of teleporters on the path to the goal, 1 to 6.
        decoys: number of side rooms with a way back.
        traps: number of side rooms without a way back.
        one_way: approximate percentage of one-way teleporters, 0 to 100.
    """

    size: int = 11
    depth: int = attrs.field(default=2, validator=[attrs.validators.ge(1), attrs.validators.le(6)])
    decoys: int = attrs.field(default=2, validator=attrs.validators.ge(0))
    traps: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    one_way: int = attrs.field(default=40, validator=[attrs.validators.ge(0), attrs.validators.le(100)])

    LEAST_SIZE: ClassVar[int] = 7
    TIER: ClassVar[int] = max(TIERS)

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for more rooms than fit."""
        super().__attrs_post_init__()
        space = ((self.size - 1) // 3) ** 2
        if self._rooms > space:
            raise ValueError(f"size={self.size} holds {space} rooms, but {self._rooms} are requested")

    @property
    def _rooms(self) -> int:
        return self.depth + 1 + self.decoys + self.traps

    def plan(self, dice: Dice) -> Sketch:
        """Plan the path through the house, then the side rooms."""
        house = partition(self.size, self.size, self._rooms, dice)
        sketch = Sketch(self.size, self.size, set(house.floor) - set(house.gaps))
        rooms = [frozenset(room) for room in dice.shuffled(components(sketch.floor, sketch.neighbors))]
        if len(rooms) < self._rooms:
            raise NothingDrawn("too few rooms")
        way, beside = rooms[: self.depth + 1], rooms[self.depth + 1 :]
        sketch.start, sketch.goal = dice.choice(sorted(way[0])), dice.choice(sorted(way[-1]))
        builder = _Builder(sketch, dice)
        portals = [builder.join(*pair, one_way=self._is_one_way(dice)) for pair in pairwise(way)]
        for portal, following in zip(portals, [*portals[1:], "goal"], strict=True):
            sketch.add_step("teleporter-goal" if following == "goal" else "teleporter-teleporter", portal, following)
        for number, room in enumerate(beside):
            self._add_beside(builder, way, room, number < self.decoys, dice)
        return sketch

    def budget(self, sketch: Sketch) -> int:
        """Return a step budget that suffices to visit all rooms."""
        return 8 * self.size * (self._rooms + 1)

    def describe(self) -> str:
        """Return the advice to find the teleporters to the goal."""
        return "No room has a door: find the teleporters that lead to the goal."

    def _is_one_way(self, dice: Dice) -> bool:
        return dice.below(100) < self.one_way

    def _add_beside(self, builder: "_Builder", way: list[Room], room: Room, leads_back: bool, dice: Dice) -> None:
        """Connect a side room to any room on the path but the last, with a way back unless it is a trap."""
        near = dice.below(len(way) - 1)
        one_way = self._is_one_way(dice) or not leads_back
        portal = builder.join(way[near], room, one_way=one_way)
        if one_way and leads_back:
            builder.join(room, way[dice.below(near + 1)], one_way=True)
        if leads_back:
            builder.sketch.add_distractor("distractor_teleporter", portal, "Leads off the way.")


@attrs.frozen
class _Builder:
    """Connects rooms with teleporters whose ends do not obstruct each other."""

    sketch: Sketch
    dice: Dice

    def join(self, here: Room, there: Room, one_way: bool) -> str:
        """Place a teleporter and return its id."""
        sketch = self.sketch
        ends = (self._place_for_end(here), self._place_for_end(there))
        number = sum(thing.kind == "teleporters" for thing in sketch.things.values()) + 1
        spec = TeleporterSpec(sketch.new_id(f"teleporter_{number}"), *ends, not one_way)
        return sketch.place("teleporters", spec, *ends)

    def _place_for_end(self, room: Room) -> Position:
        """Return a free cell that keeps the room connected and all ends accessible, if possible away from ends."""
        sketch = self.sketch
        clear = {cell for cell in room if cell not in sketch.taken}
        needed = cut_cells(clear, sketch.neighbors)
        ends = [cell for cell in room if cell in sketch.taken]
        for end in ends:
            exits = [cell for cell in sketch.neighbors[end] if cell in clear]
            needed |= set(exits) if len(exits) == 1 else set()
        cells = [cell for cell in sorted(clear) if sketch.is_free(cell) and cell not in needed]
        if not cells:
            raise NothingDrawn("a room is too small for its teleporters")
        apart = [cell for cell in cells if not any(there in sketch.taken for there in sketch.around[cell])]
        return self.dice.choice(apart or cells)
