"""Tables that fit the terminal: with fewer columns, or row by row, but never without or with a broken name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs
from rich.cells import cell_len

from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import Styled, echo, line_width, plain, rule, styled

Cell = str | Styled

GAP = "  "
LEAST_PROSE = 24
"""A column of prose is not made narrower than this."""


@attrs.frozen
class Column:
    """A column of a table."""

    heading: str
    right: bool = False
    """Whether its cells stand on the right, as numbers do."""
    prose: bool = False
    """Whether its cells may be broken into several lines."""
    spare: int = 0
    """Where there is no room for all columns, the one with the largest number goes first; one with 0 always stays."""


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], title: str = "") -> None:
    """Print a table on standard output, as wide as the terminal lets it be.

    Columns that do not fit are left out, and named below the table. Where even the others do not fit, each row is
    printed on lines of its own, a line for each cell.
    """
    room = line_width()
    rows = [[_on_one_line(cell) for cell in row] for row in rows]
    shown = _that_fit(columns, rows, room)
    lines = _listed(columns, rows, room) if shown is None else _tabulated(columns, rows, shown, room, title)
    if shown is None and title:
        echo(styled(visible_line(title), bold=True), "\n")
    for cells in lines:
        echo(*cells)
    echo()
    missing = [column.heading for number, column in enumerate(columns) if shown is not None and number not in shown]
    if missing:
        for line in _wrapped(f"not shown in this width: {', '.join(missing)}", room):
            echo(line)


def print_facts(facts: Mapping[str, str]) -> None:
    """Print names with a text each, which is broken into several lines where it has to be."""
    room = line_width()
    indent = max(map(cell_len, facts), default=0) + 2 * len(GAP)
    for name, text in facts.items():
        for number, line in enumerate(_wrapped(visible_line(text), room and max(LEAST_PROSE, room - indent))):
            echo(styled(f"{GAP}{'' if number else name}".ljust(indent), bold=True), line)


def print_prose(text: str) -> None:
    """Print a text, which is broken into several lines where it has to be."""
    for line in _wrapped(visible_line(text), line_width()):
        echo(line)


def _on_one_line(cell: Cell) -> Cell:
    return attrs.evolve(cell, text=visible_line(cell.text)) if isinstance(cell, Styled) else visible_line(cell)


def _that_fit(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int | None) -> list[int] | None:
    """The numbers of the columns that fit beside each other; None if that is but one, or the indispensable do not."""
    shown = list(range(len(columns)))
    least = [_least_width(column, rows, number) for number, column in enumerate(columns)]
    while room is not None and _total([least[number] for number in shown]) > room:
        number = max(shown, key=lambda each: (columns[each].spare, each))
        if columns[number].spare == 0:
            return None
        shown.remove(number)
    return shown if len(shown) > 1 else None


def _total(widths: Sequence[int]) -> int:
    """The width of a line, with the blank that it begins with."""
    return 1 + sum(widths) + len(GAP) * (len(widths) - 1)


def _full_width(column: Column, rows: Sequence[Sequence[Cell]], number: int) -> int:
    return max(cell_len(text) for text in [column.heading, *(plain(row[number]) for row in rows)])


def _least_width(column: Column, rows: Sequence[Sequence[Cell]], number: int) -> int:
    full = _full_width(column, rows, number)
    return min(full, LEAST_PROSE) if column.prose else full


def _widths(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], shown: Sequence[int], room: int | None
) -> dict[int, int]:
    """Column to its width: columns of prose share what the others leave."""
    widths = {number: _least_width(columns[number], rows, number) for number in shown}
    for number in shown:
        full = _full_width(columns[number], rows, number)
        left = full if room is None else room - _total(list(widths.values()))
        widths[number] = min(full, widths[number] + max(0, left))
    return widths


def _tabulated(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], shown: Sequence[int], room: int | None, title: str
) -> Iterator[list[Cell]]:
    widths = _widths(columns, rows, shown, room)
    total = _total(list(widths.values()))
    if title:
        yield [visible_line(title).center(total).rstrip()]
        yield [""]
    yield [" ", styled(_aligned([columns[number].heading for number in shown], columns, widths), bold=True)]
    yield [f" {rule() * (total - 1)}"]
    for row in rows:
        yield from _row_lines(row, columns, widths)


def _aligned(texts: Sequence[str], columns: Sequence[Column], widths: Mapping[int, int]) -> str:
    cells = zip(texts, widths.items(), strict=True)
    return GAP.join(_padded(text, width, columns[number].right) for text, (number, width) in cells).rstrip()


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks


def _row_lines(row: Sequence[Cell], columns: Sequence[Column], widths: Mapping[int, int]) -> Iterator[list[Cell]]:
    """The lines of one row: several if a cell of prose is broken."""
    broken = {
        number: list(_wrapped(plain(row[number]), width)) if columns[number].prose else [plain(row[number])]
        for number, width in widths.items()
    }
    for index in range(max(map(len, broken.values()))):
        line: list[Cell] = [" "]
        for number, width in widths.items():
            text = broken[number][index] if index < len(broken[number]) else ""
            cell = _padded(text, width, columns[number].right)
            line += [_like(row[number], cell), GAP]
        yield _stripped(line[:-1])


def _like(cell: Cell, text: str) -> Cell:
    return attrs.evolve(cell, text=text) if isinstance(cell, Styled) else text


def _stripped(line: list[Cell]) -> list[Cell]:
    """A line without the blanks at its end."""
    while line and not plain(line[-1]).strip():
        line.pop()
    return [*line[:-1], _like(line[-1], plain(line[-1]).rstrip())] if line else [""]


def _listed(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int | None) -> Iterator[list[Cell]]:
    """Each row on lines of its own; cells but prose are whole, however long."""
    indent = max(cell_len(column.heading) for column in columns) + 2 * len(GAP)
    for number, row in enumerate(rows):
        if number:
            yield [""]
        yield [_like(row[0], plain(row[0]))]
        for column, cell in zip(columns[1:], row[1:], strict=True):
            width = room and max(LEAST_PROSE, room - indent) if column.prose else None
            for index, text in enumerate(_wrapped(plain(cell), width)):
                yield [f"{GAP}{'' if index else column.heading}".ljust(indent), _like(cell, text)]


def _wrapped(text: str, width: int | None) -> Iterator[str]:
    """A text in lines of at most this width; at least one line. No word is broken, since it may be a name."""
    if width is None or cell_len(text) <= width:
        yield text
        return
    line, *words = text.split() or [""]
    for word in words:
        if cell_len(line) + 1 + cell_len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}"
    yield line
