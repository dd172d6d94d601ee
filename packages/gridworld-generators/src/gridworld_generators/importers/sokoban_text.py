"""The common text format of Sokoban levels.

A level is a block of lines that begin with a wall, blanks aside; whatever else stands between levels is a title or a
comment. ``#`` is a wall, ``@`` the player, ``+`` the player on a target, ``$`` a box, ``*`` a box on a target, ``.`` a
target; a space, ``-`` or ``_`` is floor. In the run-length encoding of some collections a number stands before what is
repeated, and ``|`` between rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from gridworld.errors import ArgumentError
from gridworld.task_spec import Position

__all__ = ["SokobanLevel", "read_sokoban"]

WALL, FLOOR, ROW_END = "#", " -_", "|"
PLAYERS, BOXES, TARGETS = "@+", "$*", ".+*"
KNOWN = WALL + FLOOR + "@+$*."
ROW = re.compile(r"[ \-_\d]*#")
RUN = re.compile(r"(\d*)(.)")
TITLE = re.compile(r"title\s*:\s*(.*)", re.IGNORECASE)
KEY = re.compile(r"[A-Za-z][\w -]*:")
LONGEST_ROW = 10_000


@attrs.frozen
class SokobanLevel:
    """A level as it is written; cells count from the top left corner of its lines."""

    first_line: int
    rows: tuple[str, ...]
    title: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return max(map(len, self.rows)), len(self.rows)

    @property
    def players(self) -> list[Position]:
        """Where players stand, in reading order."""
        return self._all(PLAYERS)

    @property
    def boxes(self) -> list[Position]:
        """Where boxes stand, in reading order."""
        return self._all(BOXES)

    @property
    def targets(self) -> list[Position]:
        """Where targets are, in reading order."""
        return self._all(TARGETS)

    def is_wall(self, cell: Position) -> bool:
        """Whether a cell is a wall."""
        return self.has(cell) and self.rows[cell.y][cell.x] == WALL

    def has(self, cell: Position) -> bool:
        """Whether a cell lies in one of the lines."""
        return 0 <= cell.y < len(self.rows) and 0 <= cell.x < len(self.rows[cell.y])

    def place_of(self, cell: Position) -> str:
        """Where a cell is in the text."""
        return f"line {self.first_line + cell.y}, column {cell.x + 1}"

    def _all(self, characters: str) -> list[Position]:
        return [
            Position(x, y)
            for y, row in enumerate(self.rows)
            for x, character in enumerate(row)
            if character in characters
        ]


def read_sokoban(text: str, source: str) -> list[SokobanLevel]:
    """The levels of a text.

    Args:
        text: the text.
        source: what error messages call it.

    Raises:
        ArgumentError: there is no level, or something in one is unknown, with its line and column.
    """
    levels: list[SokobanLevel] = []
    title, rows, first_line = "", list[str](), 1
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if ROW.match(line):
            first_line = first_line if rows else number
            rows += _read_rows(line.rstrip(), number, source)
            continue
        if rows:
            levels.append(SokobanLevel(first_line, tuple(rows), title))
            title, rows = "", []
        named = TITLE.match(line.strip())
        if named is not None and levels and not levels[-1].title:
            levels[-1] = attrs.evolve(levels[-1], title=named[1])
        elif line.strip() and not KEY.match(line.strip()):
            title = line.strip("; \t")
    if not levels:
        raise ArgumentError(f"{source}: no level in it; the lines of a level begin with '{WALL}', blanks aside")
    return levels


def _read_rows(line: str, number: int, source: str) -> Iterator[str]:
    row = ""
    for run in RUN.finditer(line):
        count, character = int(run[1] or 1), run[2]
        if character == ROW_END and not run[1]:
            yield row
            row = ""
        elif character in KNOWN and len(row) + count <= LONGEST_ROW:
            row += count * character
        else:
            wrong = f"'{run[0]}' does not belong into a level; expected # @ + $ * . or a blank"
            raise ArgumentError(f"{source}: line {number}, column {run.start() + 1}: {wrong}")
    yield row
