"""Perfect mazes: trees of corridors."""

from __future__ import annotations

import attrs

from gridworld.generation.generator import Drawing, Generator
from gridworld.task_spec import GoalSpec, MazeLayout, Position, TaskSpecification
from gridworld_generators.tools.dice import Dice

__all__ = ["PerfectMaze"]


@attrs.frozen(kw_only=True)
class PerfectMaze(Generator):
    """Mazes with exactly one way between any two places.

    Args:
        size: columns and rows of the lattice, border included; odd, at least 5.
    """

    size: int = attrs.field(default=11, validator=attrs.validators.ge(5))

    def draw(self, seed: int) -> Drawing:
        """A maze from the top left to the bottom right corner."""
        dice = Dice(seed)
        rooms = [Position(x, y) for y in range(1, self.size - 1, 2) for x in range(1, self.size - 1, 2)]
        floor, waiting = {rooms[0]}, [rooms[0]]
        while waiting:
            here = waiting[-1]
            ways = [
                (Position(here.x + dx, here.y + dy), Position(here.x + 2 * dx, here.y + 2 * dy))
                for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))
            ]
            open_ways = [(between, there) for between, there in ways if there in rooms and there not in floor]
            if not open_ways:
                waiting.pop()
                continue
            between, there = dice.choice(open_ways)
            floor |= {between, there}
            waiting.append(there)
        inside = [Position(x, y) for y in range(1, self.size - 1) for x in range(1, self.size - 1)]
        walls = [cell for cell in inside if cell not in floor]
        maze = MazeLayout((self.size, self.size), rooms[0], rooms[-1], walls)
        task = TaskSpecification(
            task_id="maze", seed=seed, difficulty_tier=1, maze=maze, goal=GoalSpec("reach_position"), max_steps=500
        )
        return Drawing((task,))
