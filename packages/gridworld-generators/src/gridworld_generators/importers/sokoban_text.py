"""Reading Sokoban levels in their common text formats: XSB and SOK, plain or run-length encoded.

``#`` is a wall; ``@`` or ``p`` the player, ``+`` or ``P`` on a target; ``$`` or ``b`` a box, ``*`` or ``B`` on a
target; ``.`` or ``o`` a target; a space, ``-`` or ``_`` floor. In run-length encoding a number precedes a repeated
character or a group in parentheses, and ``|`` separates rows.

Rows consist of such characters and have a wall; all other lines are titles or comments. A line that may be either
(`_read_line`) is judged by its neighbours (`_parts_of_block`). Fewer than three rows without a player are a ruler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import attrs

from gridworld.errors import ArgumentError
from gridworld.generation.importer import LARGEST_FILE
from gridworld.support.wording import shorten
from gridworld.task_spec import Position

WALL, ROW_END = "#", "|"
PLAYERS, BOXES, TARGETS = "@+", "$*", ".+*"
CELLS = "#@+$*. "
SYMBOLS = str.maketrans("pPbBo-_", "@+$*.  ")
"""Other spellings of cells."""
RUN = re.compile(r"([1-9][0-9]*)?(.)")
CODE = re.compile(r"[0-9()\s]")
LINE_END = re.compile(r"\r{0,2}\n|\r")
PADDING = "\f\v\x1a\ufeff"
"""Page breaks, and marks of the beginnings and ends of joined files."""
MOST_DIGITS = 9
"""Number of digits of a repetition beyond which it exceeds `LARGEST_FILE` anyway."""
COMMENT = re.compile(r";|::|[a-z][\w -]*:", re.IGNORECASE)
TITLE = re.compile(r"title\s*:\s*(.*)", re.IGNORECASE)
NO_TITLE = re.compile(r"::|[a-z][\w -]*:|(?=.*[lurd])[lurd0-9*(){}\[\]\s]*$|[\W_]*$", re.IGNORECASE)
"""Comments, ``key: value``, solutions and rulers."""


@attrs.frozen
class SokobanLevel:
    """A level as written, with cells counted from the top left corner of its rows."""

    rows: tuple[str, ...]
    lines: tuple[int, ...]
    """Number of each row's line in the text."""
    problem: str
    """Place and description of the first error; empty if all rows could be read."""
    doubt: str
    """The error of a line above or below that may belong to the level; empty if there is none."""
    title: str = ""

    @property
    def first_line(self) -> int:
        """Number of the line of the first row."""
        return self.lines[0]

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return max(map(len, self.rows)), len(self.rows)

    @property
    def players(self) -> list[Position]:
        """The cells of players, in reading order."""
        return self._all(PLAYERS)

    @property
    def boxes(self) -> list[Position]:
        """The cells of boxes, in reading order."""
        return self._all(BOXES)

    @property
    def targets(self) -> list[Position]:
        """The cells of targets, in reading order."""
        return self._all(TARGETS)

    def is_wall(self, cell: Position) -> bool:
        """Whether a cell is a wall."""
        return self.has(cell) and self.rows[cell.y][cell.x] == WALL

    def has(self, cell: Position) -> bool:
        """Whether a cell lies within the level's rows."""
        return 0 <= cell.y < len(self.rows) and 0 <= cell.x < len(self.rows[cell.y])

    def place_of(self, cell: Position) -> str:
        """Return the line and column of a cell in the text, for messages; of an encoded line also the row."""
        line = self.lines[cell.y]
        row = f", row {cell.y - self.lines.index(line) + 1}" if self.lines.count(line) > 1 else ""
        return f"line {line}{row}, column {cell.x + 1}"

    def _all(self, characters: str) -> list[Position]:
        return [
            Position(x, y)
            for y, row in enumerate(self.rows)
            for x, character in enumerate(row)
            if character in characters
        ]


@attrs.frozen
class _Line:
    """A line that is, or may be, one or several rows of a level."""

    number: int
    text: str
    rows: list[str]
    problem: str
    is_certain: bool


def read_sokoban(text: str) -> list[SokobanLevel]:
    """Parse the levels in a text; a level with an unreadable row has a `problem`.

    Raises:
        ArgumentError: the text contains no level.
    """
    levels: list[SokobanLevel] = []
    title = ""
    for part in _parts_of(text):
        if isinstance(part, SokobanLevel):
            levels.append(attrs.evolve(part, title=title))
            title = ""
        elif (named := TITLE.match(part)) is not None:
            if levels and not levels[-1].title:
                levels[-1] = attrs.evolve(levels[-1], title=shorten(named[1]))
        elif not NO_TITLE.match(part):
            title = shorten(part.strip("; "))
    if not levels:
        raise ArgumentError("no level in it; rows of a level consist of # @ + $ * . and blanks")
    return levels


def _parts_of(text: str) -> Iterator[SokobanLevel | str]:
    """Yield the levels and the other lines of a text, in order."""
    block: list[_Line] = []
    room = LARGEST_FILE
    for number, written in enumerate([*_without_comments(LINE_END.split(text)), ""], start=1):
        line = _read_line(number, written, room)
        if isinstance(line, _Line):
            block.append(line)
            room -= 0 if line.problem else sum(len(row) + 1 for row in line.rows)
        else:
            yield from _parts_of_block(block)
            block = []
            yield line


def _without_comments(lines: list[str]) -> list[str]:
    """Empty the lines from ``Comment:`` to ``Comment-End:``."""
    start = None
    for number, line in enumerate(lines):
        key = line.strip().lower()
        if key.startswith("comment:"):
            start = number
        elif key.startswith("comment-end:") and start is not None:
            lines[start:number] = [""] * (number - start)
            start = None
    return lines


def _read_line(number: int, written: str, room: int) -> _Line | str:
    """Read a line that is, or may be, a row of a level; return any other line without surrounding blanks.

    A row has a wall. If there are letters or digits in it, it also begins and ends with a wall or a box on a target;
    otherwise it may be a title. So may a line of cells without a wall, and a faulty line that has a wall and consists
    mostly of cells.
    """
    line = written.strip(PADDING).rstrip().expandtabs()
    text = line.lstrip()
    if not text or COMMENT.match(text):
        return text
    rows, problem = _decode(line, room)
    cells = "".join(rows)
    known = sum(map(cells.count, CELLS.strip()))
    if problem and not (WALL in cells and 2 * known >= len(CODE.sub("", cells))):
        return text
    is_closed = cells.strip()[:1] in "#*" and cells.strip()[-1:] in "#*"
    is_certain = WALL in cells and set(cells) <= set(CELLS) and (is_closed or not any(map(str.isalnum, text)))
    return _Line(number, text, rows, problem and f"line {number}, {problem}", is_certain)


def _decode(line: str, room: int) -> tuple[list[str], str]:
    """Return the rows in a line and an empty string; or the rows as written, and the first error with its column.

    A wall stands for more than `room` cells.
    """
    pieces, groups = list[str](), list[tuple[list[str], int]]()
    overflow = ""
    for run in RUN.finditer(line):
        count, piece = int((run[1] or "1")[:MOST_DIGITS]), run[2]
        place = f"column {run.start() + 1}"
        if piece == "(":
            groups.append((pieces, count))
            pieces = []
            continue
        if piece == ")" and groups and not run[1]:
            piece = "".join(pieces)
            pieces, count = groups.pop()
        elif piece.translate(SYMBOLS) not in CELLS + ROW_END:
            return _rows_in(line), f"{place}: unexpected {shorten(repr(run[0]), 40)}; expected # @ + $ * . or a blank"
        room -= count * len(piece)
        if room >= 0:
            pieces.append(count * piece)
        elif not overflow:
            overflow = f"{place}: more than {LARGEST_FILE} cells in a file"
    if groups:
        return _rows_in(line), f"column {len(line) + 1}: expected ')'"
    return ([WALL], overflow) if overflow else (_rows_in("".join(pieces)), "")


def _rows_in(cells: str) -> list[str]:
    return [row.rstrip() for row in cells.translate(SYMBOLS).strip(ROW_END).split(ROW_END)]


def _parts_of_block(block: list[_Line]) -> Iterator[SokobanLevel | str]:
    """Yield the levels and titles in adjacent lines, all of which are, or may be, rows.

    A line that may be a row is one if it lies between rows, unless there are players both above and below: then it
    separates two levels, as does the end of a line with several rows. Without a certain row, all lines are a level if
    they have three rows with walls, or one of them has several rows with a player.
    """
    above, level, below = list[_Line](), list[_Line](), list[_Line]()
    has_player = False
    for _, run in groupby(block, key=lambda line: (line.is_certain, len(line.rows) > 1 and line.number)):
        lines = list(run)
        if not lines[0].is_certain:
            below += lines
            continue
        has_another = _has_player(lines)
        if level and not (has_player and has_another):
            has_player |= has_another or _has_player(below)
            level += below + lines
        else:
            yield from _titles_and_level(above, level, below)
            above, level, has_player = below, lines, has_another
        below = []
    walls = sum(WALL in row for line in below for row in line.rows)
    if not level and (walls > 2 or _has_player([line for line in below if len(line.rows) > 1])):
        level, below = below, []
    yield from _titles_and_level(above, level, below)


def _has_player(lines: list[_Line]) -> bool:
    return any(player in row for line in lines for row in line.rows for player in PLAYERS)


def _titles_and_level(above: list[_Line], lines: list[_Line], below: list[_Line]) -> Iterator[SokobanLevel | str]:
    """Yield the titles above a level, and the level unless it is a ruler; without a level, all lines as titles."""
    yield from (line.text for line in (above if lines else below))
    rows = tuple(row for line in lines for row in line.rows)
    problem, doubt = (
        next((line.problem for line in some if line.problem), "") for some in (lines, above[-1:] + below[:1])
    )
    if len(rows) > 2 or problem or _has_player(lines):
        yield SokobanLevel(rows, tuple(line.number for line in lines for _ in line.rows), problem, doubt)
