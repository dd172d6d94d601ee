"""Tables that fit the terminal: they drop columns, then list rows; only a name wider than the terminal is folded.

On a pipe or in a file, a table is plain: it has no rule and no margin and, unless its width is limited, a line for each
row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import Styled, echo, echo_lines, line_width, rendered

if TYPE_CHECKING:
    from rich.box import Box
    from rich.text import Text

Cell = str | Styled

GAP = 2
"""Blanks between two columns."""
LEAST_PROSE = 24
"""Minimum width of a column of prose."""
NAME_PART = re.compile(r"[^-_/.:,=]+[-_/.:,=]*|[-_/.:,=]+")
"""Part of a name with the separators after it, where a name that is wider than the terminal folds."""


@attrs.frozen
class Column:
    """A column of a table."""

    heading: str
    spare: int = 0
    """Rank among columns dropped for lack of room, the largest first; 0 for never."""
    right: bool = attrs.field(default=False, kw_only=True)
    """Whether cells are aligned right, as numbers are."""
    prose: bool = attrs.field(default=False, kw_only=True)
    """Whether cells may wrap."""


def numeric(heading: str, spare: int = 0) -> Column:
    """Make a column of numbers."""
    return Column(heading, spare, right=True)


def print_table(
    columns: Sequence[Column], rows: Iterable[Sequence[Cell]], title: str = "", most: int | None = None
) -> None:
    """Print a table on standard output that fits the terminal, and is at most `most` columns wide.

    Columns without room are dropped and named below the table. If the indispensable ones have no room, each row is
    printed as a list with a line for each cell. On a pipe, there is neither a rule below the headings nor a margin, and
    only `most` and the variable COLUMNS limit the width.
    """
    from rich.table import Table

    texts, title = [[_text(cell) for cell in row] for row in rows], visible_line(title)
    room = min((width for width in (line_width(), most) if width is not None), default=None)
    least = [_least_width(column, [row[at] for row in texts]) for at, column in enumerate(columns)]
    shown = _that_fit(columns, least, room)
    if shown is None:
        _print_listed(columns, texts, title, room)
        return
    if sys.stdout.isatty():
        table = Table(box=_rule(), padding=(0, GAP - 1, 0, 0), pad_edge=False, header_style="bold")
    else:
        table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False)
    for at in shown:
        heading = _text(columns[at].heading)
        table.add_column(
            heading,
            justify="right" if columns[at].right else "left",
            no_wrap=not columns[at].prose,
            overflow="fold",
            min_width=least[at],
        )
    for row in texts:
        table.add_row(*(row[at] for at in shown))
    if table.box is None:
        lines = rendered(table, room and room - 1)  # the margin of a terminal
    else:
        _, *lines, _ = rendered(table, room and room + 1)  # without the edges, which are blank
        title = title.center(max(map(_shown_width, lines))).rstrip()
    if title:
        print_prose(title)
        echo()
    echo_lines([*lines, ""])
    missing = [column.heading for at, column in enumerate(columns) if at not in shown]
    if missing:
        print_prose(f"not shown in this width: {', '.join(missing)}")


def _shown_width(line: str) -> int:
    """The columns that a rendered line takes, which may have colours."""
    from rich.text import Text

    return Text.from_ansi(line).cell_len


def _rule() -> Box:
    """Make a box of blanks with a rule below the headings."""
    from rich.box import Box

    line = "─" if (sys.stdout.encoding or "").casefold().startswith("utf") else "-"
    blank = "    \n"
    return Box(f"{blank * 2} {line * 2} \n{blank * 5}", ascii=line == "-")


def print_facts(facts: Mapping[str, str]) -> None:
    """Print names, each with a text, wrapped to the terminal."""
    _print_pairs([(Column(name, prose=True), _text(text)) for name, text in facts.items()], line_width(), "bold")


def print_prose(*parts: Cell) -> None:
    """Print a text, which may have parts in a colour or in bold, wrapped to the terminal."""
    from rich.text import Text

    echo_lines(_wrapped(Text().join(map(_text, parts)), line_width()))


def _wrapped(text: Text, room: int | None) -> list[str]:
    """Render a text in lines of at most `room` columns, broken at blanks; a longer word folds at its separators."""
    if room is None:
        return rendered(text, room)
    folded = _folded(text, room)
    return rendered(folded, max(room, _longest_word(folded)))


def _folded(text: Text, room: int) -> Text:
    """Insert a line feed into each word wider than `room`, after the last separator that fits, and again."""
    from rich.cells import cell_len

    places = []
    for word in re.finditer(r"\S+", text.plain):
        start, width = word.start(), 0
        for part in NAME_PART.findall(word[0]) if cell_len(word[0]) > room else ():
            if width and width + cell_len(part) > room:
                places.append(start)
                width = 0
            start, width = start + len(part), width + cell_len(part)
    lines = text.divide(places)
    return type(text)("\n").join(lines) if places else text


def _text(cell: Cell) -> Text:
    from rich.text import Text

    if isinstance(cell, Styled):
        return Text(visible_line(cell.text), " ".join([*(["bold"] if cell.bold else []), cell.color or ""]).strip())
    return Text(visible_line(cell))


def _longest_word(text: Text) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, text.plain.split()), default=0)


def _least_width(column: Column, texts: Sequence[Text]) -> int:
    """Return the minimum width of a column: words of prose are never broken, since they may be names."""
    full = max(text.cell_len for text in (_text(column.heading), *texts))
    if not column.prose:
        return full
    return min(full, max(LEAST_PROSE, *map(_longest_word, (_text(column.heading), *texts))))


def _that_fit(columns: Sequence[Column], least: Sequence[int], room: int | None) -> list[int] | None:
    """Find the indices of columns that fit side by side; None if fewer than two or not all indispensable ones fit."""
    shown = list(range(len(columns)))
    while room is not None and 1 + sum(least[at] + GAP for at in shown) - GAP > room:
        at = max(shown, key=lambda each: (columns[each].spare, each))
        if columns[at].spare == 0:
            return None
        shown.remove(at)
    return shown if len(shown) > 1 else None


def _print_listed(columns: Sequence[Column], rows: Sequence[Sequence[Text]], title: str, room: int | None) -> None:
    """Print each row as a list."""
    if title:
        print_prose(Styled(title, bold=True))
        echo()
    for place, (first, *others) in enumerate(rows):
        echo_lines([*([""] if place else []), *_wrapped(first, room)])
        _print_pairs(list(zip(columns[1:], others, strict=True)), room)
    echo()


def _print_pairs(pairs: Sequence[tuple[Column, Text]], room: int | None, style: str = "") -> None:
    """Print columns' headings, each with a text beside it."""
    from rich.table import Table

    if not pairs:
        return
    table = Table(box=None, show_header=False, padding=(0, 0, 0, GAP))
    names = [_text(column.heading) for column, _ in pairs]
    most = max(name.cell_len for name in names)
    beside = None if room is None else max(1, room - 2 * GAP - most)
    texts = [text if beside is None else _folded(text, beside) for _, text in pairs]
    least = max(map(_longest_word, texts))
    table.add_column(no_wrap=True, style=style, min_width=most)
    table.add_column(min_width=least, overflow="fold")
    for cells in zip(names, texts, strict=True):
        table.add_row(*cells)
    echo_lines(rendered(table, room and max(room, 2 * GAP + most + least)))
