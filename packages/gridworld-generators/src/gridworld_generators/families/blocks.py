"""Families with blocks: warehouses, and weights for pressure plates."""

import operator
from typing import ClassVar

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.mechanisms.blocks import BlockSpec
from gridworld.task_spec import GoalSpec, Position
from gridworld_generators.families.family import Puzzle
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.pulling import Pulled, pull_apart, square_cell, square_position, square_yard
from gridworld_generators.tools.regions import cut_cells, separators, shortest_path
from gridworld_generators.tools.rooms import carve_hall, partition
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.ways import estimated_length, place_ends

COLORS = ("red", "blue", "green", "purple")
"""Colours of the blocks, in order of use."""
WAREHOUSE_BREADTH = 8
"""Beam width when blocks are pulled."""


@attrs.frozen(kw_only=True)
class Warehouse(Puzzle):
    """A hall with blocks, each of which must be pushed onto the target of its colour.

    Args:
        blocks: number of blocks, 1 to 4.
        walls: approximate percentage of wall in the hall, 0 to 60.
        lines: maximum number of straight lines along which blocks are pulled away from their targets, 1 to 30.
    """

    size: int = 8
    blocks: int = attrs.field(default=2, validator=[attrs.validators.ge(1), attrs.validators.le(len(COLORS))])
    walls: int = attrs.field(default=25, validator=[attrs.validators.ge(0), attrs.validators.le(60)])
    lines: int = attrs.field(default=5, validator=[attrs.validators.ge(1), attrs.validators.le(30)])

    LEAST_SIZE: ClassVar[int] = 6
    MOST_SIZE: ClassVar[int] = 20

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for fewer lines than blocks, since every block is moved."""
        super().__attrs_post_init__()
        if self.lines < self.blocks:
            raise ValueError(f"lines={self.lines} is less than blocks={self.blocks}: each block needs at least one")

    def plan(self, dice: Dice) -> Sketch:
        """Plan a hall whose blocks are pulled away from their targets along at most `lines` lines."""
        inner = self.size - 2
        floor = carve_hall(1, 1, inner, inner, self.walls, dice)
        sketch = Sketch(self.size, self.size, set(floor))
        cells = sorted(floor)
        goals = dice.sample(cells, self.blocks)
        pulled = self._pulled(floor, goals, dice)
        blocks = [square_position(cell, self.size) for cell in pulled.blocks]
        starts = [cell for cell in cells if cell not in goals and pulled.may_start_on(square_cell(cell, self.size))]
        spare = [cell for cell in (*goals, *cells) if cell not in blocks]
        if not starts:
            raise NothingDrawn("no cell is free for the start")
        sketch.start = dice.choice(starts)
        # The goal is not a place, so nothing marks this cell, but it has to be free.
        sketch.goal = next(cell for cell in spare if cell != sketch.start)
        for color, cell in zip(COLORS, blocks, strict=False):
            sketch.place("blocks", BlockSpec(f"block_{color}", cell, color=color), cell)
        sketch.goal_spec = GoalSpec("push_block_to", target_ids=list(sketch.things), target_positions=goals)
        return sketch

    def budget(self, sketch: Sketch) -> int:
        """Return a step budget that suffices to walk across the hall before each line."""
        return 6 * self.size * (self.lines + 2)

    def describe(self) -> str:
        """Return the advice to push every block onto the target of its colour."""
        return "Push every block onto the target of its colour; what stands in a corner stays there."

    def _pulled(self, floor: frozenset[Position], goals: list[Position], dice: Dice) -> Pulled:
        yard = square_yard(self.size, self.size, floor)
        targets = [square_cell(cell, self.size) for cell in goals]
        for layer in reversed(pull_apart(yard, targets, self.lines, WAREHOUSE_BREADTH, dice)):
            moved = [each for each in layer if all(map(operator.ne, each.blocks, targets))]
            if moved:
                return dice.choice(moved)
        raise NothingDrawn("a block cannot be pulled away")


STEPS = 2
"""Number of chain steps per gate."""
LEAST_ROOM = 3
"""Minimum length of a room's shorter side; in narrower rooms nothing can be pushed around a corner."""
ROOM_BREADTH = 6
"""Beam width when a block is pulled in a room."""
PLATES = 4
"""Number of positions tried for a plate."""
GENEROUS = 6
"""Step budget as a multiple of the estimated plan length, since pushing requires detours."""


@attrs.frozen(kw_only=True)
class Weights(Puzzle):
    """Rooms behind gates, each with a block that must be left on the plate of the next gate.

    Args:
        depth: number of chain steps, 2 to 8, two per gate: a block for its plate, a plate for its gate.
        lines: maximum number of straight lines along which a block is pushed, at least 1.
    """

    size: int = 10
    depth: int = attrs.field(default=2, validator=[attrs.validators.ge(2), attrs.validators.le(8)])
    lines: int = attrs.field(default=3, validator=attrs.validators.ge(1))

    LEAST_SIZE: ClassVar[int] = 9

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for an odd depth, or more rooms than fit."""
        super().__attrs_post_init__()
        space = ((self.size - 1) // (LEAST_ROOM + 1)) ** 2
        if self.depth % STEPS:
            raise ValueError(f"depth={self.depth} is odd: each gate takes {STEPS} steps")
        if self._gates + 1 > space:
            raise ValueError(f"size={self.size} holds {space} rooms, but depth={self.depth} needs {self._gates + 1}")

    @property
    def _gates(self) -> int:
        return self.depth // STEPS

    def plan(self, dice: Dice) -> Sketch:
        """Plan a hall of rooms with gates on the way from start to goal, and a block before each gate."""
        hall = partition(self.size, self.size, self._gates + 1 + dice.below(2), dice, LEAST_ROOM)
        sketch = Sketch(self.size, self.size, set(hall.floor))
        place_ends(sketch, dice)
        start, goal = sketch.start, sketch.goal
        if start is None or goal is None:
            raise ValueError("a hall needs a start and a goal")
        ways = [each for each in separators(sketch.floor, start, goal, sketch.neighbors) if each.cell in hall.gaps]
        if len(ways) < self._gates:
            raise NothingDrawn("too few rooms between start and goal")
        chosen = sorted(dice.sample(range(len(ways)), self._gates))
        before: frozenset[Position] = frozenset()
        path = shortest_path(sketch.floor, start, goal, sketch.neighbors)
        entry = start
        for way in (ways[number] for number in chosen):
            room = way.near_side - before
            before = way.near_side | {way.cell}
            gate = path.index(way.cell)
            self._bar(sketch, room, entry, path[gate - 1], way.cell, dice)
            entry = path[gate + 1]
        return sketch

    def budget(self, sketch: Sketch) -> int:
        """Return a step budget that is a multiple of the estimated plan length."""
        return GENEROUS * (estimated_length(sketch) + self.size)

    def describe(self) -> str:
        """Return the advice to leave a block on each plate."""
        return "A plate holds its gate open only while something stands on it: leave a block there."

    def _bar(
        self, sketch: Sketch, room: frozenset[Position], entry: Position, leave: Position, gate: Position, dice: Dice
    ) -> None:
        """Close a gate, and place its plate and a block in the room before it.

        Args:
            sketch: the sketch to change.
            room: the cells between the previous gate and this one.
            entry: the cell behind the previous gate.
            leave: the cell before the gate.
            gate: the cell of the gate.
            dice: the source of randomness.
        """
        plate, block = self._weight(sketch, room, entry, leave, gate, dice)
        color = dice.choice(sketch.switch_colors_left())
        name = sketch.place_gate(gate, color)
        switch = sketch.place_switch(plate, color, "hold", name)
        crate = sketch.place("blocks", BlockSpec(sketch.new_id(f"block_{color}"), block, color=color), block)
        sketch.add_step("block-switch", crate, switch)
        sketch.add_step("switch-gate", switch, name)

    def _weight(
        self, sketch: Sketch, room: frozenset[Position], entry: Position, leave: Position, gate: Position, dice: Dice
    ) -> tuple[Position, Position]:
        """Return cells for a plate and a block that can be pushed onto it: the pair that takes the most effort."""
        # From a plate beside the gate the agent could step into it; one on its path would be pressed by chance.
        taken = {*sketch.around[gate], *shortest_path(room, entry, leave, sketch.neighbors)}
        taken |= cut_cells(room, sketch.neighbors) | {entry, leave}
        found: list[tuple[Position, Pulled]] = []
        for plate in dice.sample([cell for cell in sorted(room) if cell not in taken and sketch.is_free(cell)], PLATES):
            found += [(plate, each) for each in self._pulled(sketch, room, entry, plate, dice)]
        if not found:
            raise NothingDrawn("no room for a block and its plate")
        most = max(_effort(pulled) for _, pulled in found)
        plate, pulled = dice.choice([each for each in found if _effort(each[1]) == most])
        return plate, square_position(pulled.blocks[0], self.size)

    def _pulled(
        self, sketch: Sketch, room: frozenset[Position], entry: Position, plate: Position, dice: Dice
    ) -> list[Pulled]:
        yard = square_yard(self.size, self.size, room)
        layers = pull_apart(yard, [square_cell(plate, self.size)], self.lines, ROOM_BREADTH, dice)
        inside = square_cell(entry, self.size)
        return [
            each
            for layer in layers
            for each in layer
            if each.may_start_on(inside)
            and sketch.is_free(block := square_position(each.blocks[0], self.size))
            and block not in (entry, plate, *sketch.neighbors[entry])
        ]


def _effort(pulled: Pulled) -> tuple[int, int]:
    """Return a sort key: the number of lines, then the number of pushes."""
    return pulled.lines, len(pulled.pushes)
