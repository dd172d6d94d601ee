"""Fields of hazards: open ground on which a few safe ways wind."""

from typing import ClassVar

import attrs

from gridworld.task_spec import Position
from gridworld_generators.families.hazardous import Hazardous
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.ends import place_ends
from gridworld_generators.tools.regions import shortest_path
from gridworld_generators.tools.sketch import Sketch

__all__ = ["HazardField"]

ON_THE_WAY = 0.6
"""The share of hazards that are put on what was a shortest way."""


@attrs.frozen(kw_only=True)
class HazardField(Hazardous):
    """Open ground without walls, strewn with hazards that leave at least one way, which winds.

    Args:
        density: how much of the ground is hazard, in percent, if a way is left then: 1 to 60.
    """

    density: int = attrs.field(default=40, validator=[attrs.validators.ge(1), attrs.validators.le(60)])

    LEAST_SIZE: ClassVar[int] = 6

    def plan(self, dice: Dice) -> Sketch:
        """Hazards one after the other, each where a way remains without its cell."""
        sketch = Sketch(self.size, self.size)
        sketch.dig(sketch.inner_cells)
        place_ends(sketch, dice)
        self.place_hazards(sketch, _strewn(sketch, len(sketch.floor) * self.density // 100, dice), dice)
        return sketch

    def describe(self) -> str:
        """A sentence."""
        return "Cross the field on safe ground; every hazard ends the attempt."


def _strewn(sketch: Sketch, count: int, dice: Dice) -> list[Position]:
    """Up to `count` cells that leave a way from start to goal, many of them where the shortest way would be."""
    start, goal = sketch.start, sketch.goal
    if start is None or goal is None:
        raise ValueError("hazards are strewn between a start and a goal")
    safe, found = set(sketch.floor), list[Position]()
    needed = {start, goal}
    path = shortest_path(safe, start, goal, sketch.neighbors)
    while len(found) < count:
        on_way = [cell for cell in path if cell not in needed]
        anywhere = [cell for cell in sketch.inner_cells if cell in safe and cell not in needed]
        if not anywhere:
            break
        cell = dice.choice(on_way if on_way and dice.chance(ON_THE_WAY) else anywhere)
        if cell in path:
            around = shortest_path(safe - {cell}, start, goal, sketch.neighbors)
            if not around:
                needed.add(cell)
                continue
            path = around
        safe.discard(cell)
        found.append(cell)
    return found
