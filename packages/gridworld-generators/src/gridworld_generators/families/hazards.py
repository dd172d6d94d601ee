"""Families with hazards: hazard fields, lava rivers and islets."""

# No postponed annotations: parameters are read from the types of inherited constructors.
from collections.abc import Iterable
from itertools import pairwise
from typing import ClassVar, Literal

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.mechanisms.hazards import HazardSpec
from gridworld.task_spec import GoalSpec, Position
from gridworld_generators.families.family import Puzzle
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.regions import shortest_path
from gridworld_generators.tools.sketch import Sketch
from gridworld_generators.tools.ways import estimated_length, place_ends

KINDS = ("lava", "pit", "spike")
ALIKE = 0.8
"""Probability that a hazard of mixed kind copies a neighbour's kind."""
GENEROUS = 4
"""Step budget as a multiple of the estimated plan length."""


@attrs.frozen(kw_only=True)
class Hazardous(Puzzle):
    """Base class of puzzles with hazards.

    Args:
        hazard: kind of the hazards.
    """

    hazard: Literal["lava", "pit", "spike", "mixed"] = "mixed"

    def budget(self, sketch: Sketch) -> int:
        """Return a step budget that is a multiple of the estimated plan length, to allow for detours."""
        return GENEROUS * (estimated_length(sketch) + self.size)

    def place_hazards(self, sketch: Sketch, cells: Iterable[Position], dice: Dice) -> None:
        """Place a hazard on each of some free cells; hazards of mixed kind often match a neighbour."""
        kinds: dict[Position, str] = {}
        for cell in cells:
            kind: str = self.hazard
            if kind == "mixed":
                beside = [kinds[there] for there in sketch.neighbors[cell] if there in kinds]
                kind = dice.choice(beside if beside and dice.chance(ALIKE) else KINDS)
            kinds[cell] = kind
            sketch.place("hazards", HazardSpec(sketch.new_id(f"{kind}_{cell.x}_{cell.y}"), cell, kind), cell)


ON_THE_WAY = 0.6
"""Probability that a hazard is placed on the current shortest path."""


@attrs.frozen(kw_only=True)
class HazardField(Hazardous):
    """Open ground strewn with hazards that leave at least one winding path.

    Args:
        density: percentage of hazards on the ground, 1 to 60; fewer if no path would remain.
    """

    density: int = attrs.field(default=40, validator=[attrs.validators.ge(1), attrs.validators.le(60)])

    LEAST_SIZE: ClassVar[int] = 6

    def plan(self, dice: Dice) -> Sketch:
        """Plan a field of hazards placed one by one so that a path always remains."""
        sketch = Sketch(self.size, self.size)
        sketch.dig(sketch.inner_cells)
        place_ends(sketch, dice)
        self.place_hazards(sketch, _strewn(sketch, len(sketch.floor) * self.density // 100, dice), dice)
        return sketch

    def describe(self) -> str:
        """Return the advice to cross the field on safe ground."""
        return "Cross the field on safe ground; every hazard ends the attempt."


def _strewn(sketch: Sketch, count: int, dice: Dice) -> list[Position]:
    """Return up to `count` cells that leave a path from start to goal, many of them on the shortest path so far."""
    start, goal = sketch.start, sketch.goal
    if start is None or goal is None:
        raise ValueError("hazards need a start and a goal")
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


@attrs.frozen(kw_only=True)
class LavaRivers(Hazardous):
    """Vertical and horizontal rivers of lava from wall to wall that cross, each with one reachable ford.

    Args:
        rivers: number of rivers, at least 1; fewer if the hall is too small.
    """

    hazard: Literal["lava", "pit", "spike", "mixed"] = "lava"
    rivers: int = attrs.field(default=3, validator=attrs.validators.ge(1))

    LEAST_SIZE: ClassVar[int] = 6

    def plan(self, dice: Dice) -> Sketch:
        """Plan strips of ground between the rivers, crossed one after the other from one corner to the opposite one."""
        sketch = Sketch(self.size, self.size)
        sketch.dig(sketch.inner_cells)
        columns, rows = self._courses(dice)
        fords = _fords([0, *columns, self.size - 1], [0, *rows, self.size - 1], dice)
        river = [cell for cell in sketch.inner_cells if (cell.x in columns or cell.y in rows) and cell not in fords]
        mirror = dice.chance(0.5), dice.chance(0.5)
        first = Position(dice.between(1, columns[0] - 1 if columns else 2), dice.between(1, rows[0] - 1 if rows else 2))
        last = Position(self.size - 2, self.size - 2)
        sketch.start, sketch.goal = self._mirrored(first, mirror), self._mirrored(last, mirror)
        self.place_hazards(sketch, sorted(self._mirrored(cell, mirror) for cell in river), dice)
        return sketch

    def describe(self) -> str:
        """Return the advice to cross every river at a ford."""
        return "Cross every river where it has a ford."

    def _courses(self, dice: Dice) -> tuple[list[int], list[int]]:
        """Return the columns and rows of the rivers, with ground between any two."""
        lines = dice.shuffled([(upright, place) for upright in (True, False) for place in range(2, self.size - 2)])
        chosen: list[tuple[bool, int]] = []
        for upright, place in lines:
            if len(chosen) < self.rivers and not {(upright, place - 1), (upright, place + 1)} & {*chosen}:
                chosen.append((upright, place))
        return (
            sorted(place for upright, place in chosen if upright),
            sorted(place for upright, place in chosen if not upright),
        )

    def _mirrored(self, cell: Position, mirror: tuple[bool, bool]) -> Position:
        x, y = (self.size - 1 - place if flipped else place for place, flipped in zip(cell, mirror, strict=True))
        return Position(x, y)


def _fords(columns: list[int], rows: list[int], dice: Dice) -> set[Position]:
    """Return one ford per river, on a path from corner to corner; both lists begin and end with walls."""
    across, down = list(pairwise(columns)), list(pairwise(rows))
    i = j = 0
    fords = set()
    for upright in dice.shuffled([True] * (len(across) - 1) + [False] * (len(down) - 1)):
        (left, right), (top, bottom) = across[i], down[j]
        if upright:
            fords.add(Position(right, dice.between(top + 1, bottom - 1)))
            i += 1
        else:
            fords.add(Position(dice.between(left + 1, right - 1), bottom))
            j += 1
    return fords


@attrs.frozen(kw_only=True)
class Islet(Hazardous):
    """A patch of ground among hazards, with a hazard directly ahead: waiting is enough to stay alive.

    Args:
        ground: number of safe cells, at least 2.
        duration: steps to stay alive, at least 1.
    """

    size: int = 7
    ground: int = attrs.field(default=5, validator=attrs.validators.ge(2))
    duration: int = attrs.field(default=20, validator=attrs.validators.ge(1))

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for an islet too large to be surrounded by hazards."""
        super().__attrs_post_init__()
        if self.ground > (self.size - 2) ** 2 // 2:
            raise ValueError(f"ground={self.ground} is more than half of what size={self.size} holds")

    def plan(self, dice: Dice) -> Sketch:
        """Plan an islet grown cell by cell, with the start on its right shore."""
        sketch = Sketch(self.size, self.size)
        sketch.dig(sketch.inner_cells)
        islet = [dice.choice(sketch.inner_cells)]
        while len(islet) < self.ground:
            cell = dice.choice(sketch.neighbors[dice.choice(islet)])
            if cell not in islet:
                islet.append(cell)
        sea = [cell for cell in sketch.inner_cells if cell not in islet]
        shores = [cell for cell in islet if Position(cell.x + 1, cell.y) in sea]
        if not shores:
            raise NothingDrawn("no shore to the right")
        sketch.start = dice.choice(shores)
        sketch.goal = next(cell for cell in islet if cell != sketch.start)
        sketch.goal_spec = GoalSpec("survive_steps")
        self.place_hazards(sketch, sea, dice)
        return sketch

    def budget(self, sketch: Sketch) -> int:
        """Return the number of steps to stay alive."""
        return self.duration

    def describe(self) -> str:
        """Return the advice to stay alive until the time is up."""
        return "Stay alive on a scrap of ground until the time is up; nothing has to be done for it."
