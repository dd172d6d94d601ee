"""`Board`: what a board shows, cell by cell, as it is, or as a model has transcribed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gridworld.ascii.reading import A_FLOOR, A_WALL, YOU
from gridworld.errors import GridworldError
from gridworld.observations.agent import ARROWS, arrow
from gridworld.observations.character_map import FIXED_LEGEND, FLOOR, UNSEEN, WALL
from gridworld.observations.labels import GOAL, every_label, names_on
from gridworld.task_spec import Position
from gridworld.world.looks import CellLook
from multinet_eval.probing.grading import Unreadable
from multinet_eval.probing.names import Name, name_of, read_names
from multinet_eval.probing.scene import Scene

__all__ = ["MAP_FORM", "Board", "SeenThing", "board_of", "contents_of", "draw_board", "read_board"]

MAP_FORM = (
    '"rows": the board row by row from the top, as texts of one character for each cell; "legend": an object that says '
    f"what each character stands for. '{WALL}' is a wall, '{FLOOR}' floor, '{GOAL}' the goal, '{UNSEEN}' a cell that "
    f"is not shown, and one of {' '.join(ARROWS)} the agent, as it points; these need no entry. Every other character "
    'is yours to choose and to explain, in words such as "red key", "locked red door", "switched-on yellow switch", '
    '"closed gate", "blue block", "blue target" or "lava". Where several things are on one cell, the character stands '
    'for all of them, as in {">": "you and blue target"}.'
)
"""What is asked for as a transcription."""
UNSEEN_CELL = FIXED_LEGEND[UNSEEN]
USUAL = {**FIXED_LEGEND, **dict.fromkeys(ARROWS, YOU), " ": A_FLOOR}
"""What characters stand for that the legend does not explain."""


@attrs.frozen(order=True)
class SeenThing:
    """A thing, or a mark of the goal, on a cell."""

    cell: Position
    name: Name

    def moved(self, dx: int, dy: int) -> SeenThing:
        """The same elsewhere."""
        return attrs.evolve(self, cell=Position(self.cell.x + dx, self.cell.y + dy))


@attrs.frozen
class Board:
    """What is on the cells of a board."""

    width: int
    height: int
    walls: frozenset[Position] = frozenset()
    unseen: frozenset[Position] = frozenset()
    things: frozenset[SeenThing] = frozenset()
    agents: frozenset[Position] = frozenset()
    """One cell on the board as it is; as many as a transcription says."""


def contents_of(look: CellLook | None, scene: Scene) -> list[str]:
    """What a cell is shown to hold, in the words of the text view, from the ground up; nothing of bare floor."""
    if look is None:
        return [UNSEEN_CELL]
    if look.wall:
        return [A_WALL]
    return names_on(scene.world, look)


def board_of(scene: Scene) -> Board:
    """The board as it is shown."""
    return read_board(draw_board(scene))


def draw_board(scene: Scene) -> dict[str, Any]:
    """A transcription, in the form of `MAP_FORM`, that is entirely right.

    Raises:
        GridworldError: there are more different contents of cells than characters.
    """
    topology = scene.topology
    agent = arrow(topology, scene.state.heading)
    legend: dict[str, str] = {}
    chosen = {"": FLOOR, A_WALL: WALL, UNSEEN_CELL: UNSEEN, "goal": GOAL}
    free = every_label()
    rows = []
    for y in range(topology.height):
        row = ""
        for x in range(topology.width):
            words = " and ".join(contents_of(scene.look(topology.anchor(Position(x, y))), scene))
            if Position(x, y) == scene.agent:
                row += agent
                legend |= {agent: f"{YOU} and {words}"} if words else {}
                continue
            if words not in chosen:
                chosen[words] = next(free, "")
                if not chosen[words]:
                    raise GridworldError(
                        f"'{scene.name}' cannot be drawn as a board: no character is left for cell [{x}, {y}], "
                        f"{words}: {len(legend)} other contents have one already"
                    )
                legend[chosen[words]] = words
            row += chosen[words]
        rows.append(row)
    return {"rows": rows, "legend": legend}


def read_board(said: Mapping[str, Any]) -> Board:
    """What a transcription in the form of `MAP_FORM` says; it need not be of a possible board.

    Raises:
        Unreadable: it is not of this form.
    """
    rows, legend = said.get("rows"), said.get("legend", {})
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows):
        raise Unreadable("rows: expected a list of texts")
    if not isinstance(legend, dict) or not all(isinstance(words, str) for words in legend.values()):
        raise Unreadable("legend: expected an object with texts")
    meanings = {character: read_names(words) for character, words in {**USUAL, **legend}.items() if words.strip()}
    found: dict[str, set[Position]] = {A_WALL: set(), UNSEEN_CELL: set(), YOU: set()}
    things = set()
    for cell, character in _cells(rows):
        for name in meanings.get(character, [name_of([f"'{character}'"])]):
            if name.kind in found:
                found[name.kind].add(cell)
            elif not name.kind.startswith(A_FLOOR):
                things.add(SeenThing(cell, name))
    return Board(
        width=max(map(len, rows)),
        height=len(rows),
        walls=frozenset(found[A_WALL]),
        unseen=frozenset(found[UNSEEN_CELL]),
        things=frozenset(things),
        agents=frozenset(found[YOU]),
    )


def _cells(rows: list[str]) -> Iterator[tuple[Position, str]]:
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            yield Position(x, y), character
