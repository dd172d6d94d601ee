"""Mazes as rows of zeros and ones, from the top left to the bottom right corner."""

from collections.abc import Iterator
from pathlib import Path

from gridworld.generation import Importer, Inexpressible
from gridworld.hookspecs import ArgumentError, GoalSpec, MazeLayout, Position, TaskSpecification

__all__ = ["BitsImporter"]


class BitsImporter(Importer):
    """Reads a text file of mazes with a blank line between them: ``1`` is wall, ``0`` floor.

    The agent goes from the top left to the bottom right corner inside the border.
    """

    def levels(self, source: str) -> Iterator[TaskSpecification | Inexpressible]:
        """A task for each maze."""
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentError(f"{source}: {error}") from error
        for number, maze in enumerate(text.split("\n\n"), start=1):
            yield _read(f"maze {number}", maze.split())


def _read(level: str, rows: list[str]) -> TaskSpecification | Inexpressible:
    widths = {len(row) for row in rows}
    if len(widths) != 1 or set("".join(rows)) - {"0", "1"}:
        return Inexpressible(level, "its rows are not zeros and ones of one length")
    width, height = widths.pop(), len(rows)
    walls = [Position(x, y) for y, row in enumerate(rows) for x, bit in enumerate(row) if bit == "1"]
    start, goal = Position(1, 1), Position(width - 2, height - 2)
    if min(width, height) < 3 or start == goal or {start, goal} & set(walls):
        return Inexpressible(level, "its corners are walls, or one cell")
    return TaskSpecification(
        task_id=level.replace(" ", "_"),
        seed=0,
        difficulty_tier=1,
        maze=MazeLayout((width, height), start, goal, walls),
        goal=GoalSpec("reach_position"),
        max_steps=4 * width * height,
    )
