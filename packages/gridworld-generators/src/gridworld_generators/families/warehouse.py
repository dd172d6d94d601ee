"""Warehouses: blocks to be pushed onto their targets."""

import operator
from typing import ClassVar

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.mechanisms.blocks import BlockSpec
from gridworld.task_spec import GoalSpec, Position
from gridworld_generators.families.puzzle import Puzzle
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.halls import carve_hall
from gridworld_generators.tools.pulling import Pulled, pull_apart, square_cell, square_position, square_yard
from gridworld_generators.tools.sketch import Sketch

__all__ = ["COLORS", "Warehouse"]

COLORS = ("red", "blue", "green", "purple")
"""Block to its colour."""
BREADTH = 8
"""From how many places pulling goes on after each line."""


@attrs.frozen(kw_only=True)
class Warehouse(Puzzle):
    """A hall with blocks, each to be pushed onto the target of its colour; made by pulling them away from there.

    Args:
        blocks: how many there are, 1 to 4.
        walls: how much of the hall is wall, about, in percent: 0 to 60.
        lines: how many straight lines the blocks are pulled along, at most; 1 to 30.
    """

    size: int = 8
    blocks: int = attrs.field(default=2, validator=[attrs.validators.ge(1), attrs.validators.le(len(COLORS))])
    walls: int = attrs.field(default=25, validator=[attrs.validators.ge(0), attrs.validators.le(60)])
    lines: int = attrs.field(default=5, validator=[attrs.validators.ge(1), attrs.validators.le(30)])

    LEAST_SIZE: ClassVar[int] = 6
    MOST_SIZE: ClassVar[int] = 20

    def __attrs_post_init__(self) -> None:
        """Refuse fewer lines than blocks, since each block is moved.

        Raises:
            ValueError: as said, and as families of puzzles do.
        """
        super().__attrs_post_init__()
        if self.lines < self.blocks:
            raise ValueError(f"lines={self.lines} is less than blocks={self.blocks}: each block takes one at least")

    def plan(self, dice: Dice) -> Sketch:
        """Blocks as far from their targets, in lines, as they came."""
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
            raise NothingDrawn("no place to start from")
        sketch.start = dice.choice(starts)
        # Nothing marks it, since the goal is no place; it has to be free all the same.
        sketch.goal = next(cell for cell in spare if cell != sketch.start)
        for color, cell in zip(COLORS, blocks, strict=False):
            sketch.place("blocks", BlockSpec(f"block_{color}", cell, color=color), cell)
        sketch.goal_spec = GoalSpec("push_block_to", target_ids=list(sketch.things), target_positions=goals)
        return sketch

    def budget(self, sketch: Sketch) -> int:
        """Room enough to walk across the hall before each line."""
        return 6 * self.size * (self.lines + 2)

    def describe(self) -> str:
        """A sentence."""
        return "Push every block onto the target of its colour; what stands in a corner stays there."

    def _pulled(self, floor: frozenset[Position], goals: list[Position], dice: Dice) -> Pulled:
        yard = square_yard(self.size, self.size, floor)
        targets = [square_cell(cell, self.size) for cell in goals]
        for layer in reversed(pull_apart(yard, targets, self.lines, BREADTH, dice)):
            moved = [each for each in layer if all(map(operator.ne, each.blocks, targets))]
            if moved:
                return dice.choice(moved)
        raise NothingDrawn("a block cannot be pulled away")
