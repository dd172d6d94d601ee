"""Contents of a board, cell by cell, real or transcribed by a model, and the names of objects.

Words from models and from the text view are parsed into kind, colour and state, which can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from gridworld.ascii.layout import LegendEntry, LegendError, Word, read_legend
from gridworld.ascii.reading import A_FLOOR, A_WALL, YOU
from gridworld.ascii.words import vocabulary_of
from gridworld.errors import GridworldError
from gridworld.observations.character_map import FIXED_LEGEND, FLOOR, UNSEEN, WALL
from gridworld.observations.labels import GOAL, every_label, names_on
from gridworld.observations.shown_cells import ARROWS, arrow
from gridworld.plugins import get_registry
from gridworld.task.colors import ANY_COLORS
from gridworld.task_spec import Position
from gridworld.world.looks import CellLook
from multinet_eval.probing.probe import Scene, Unreadable

MARKS = ("goal", "target")
SPELLINGS = {"gray": "grey"}


@attrs.frozen(order=True)
class Name:
    """The visible properties of an object, apart from its position."""

    kind: str
    """Kind of the object, such as ``key``; an unknown word counts as a separate kind."""
    color: str = ""
    """Colour of the object; empty for objects without a colour."""
    state: str = ""
    """State of the object, such as ``locked``; empty for objects with a single state."""
    words: str = attrs.field(default="", eq=False, order=False, repr=False)
    """Phrase that parses to an equal name."""

    def __str__(self) -> str:
        return self.words


def read_names(phrase: str) -> list[Name]:
    """Parse the names in a phrase such as ``blue block and target``, in the vocabulary of drawings; at least one.

    Dots, ids and the targets of switches are ignored. Defaults may be omitted, as in drawings: a ``red door`` is a
    locked one.
    """
    return [name_of(said.texts) for said in _things(phrase)]


def _things(phrase: str) -> list[LegendEntry]:
    """Parse a phrase into legend entries; an unknown phrase becomes one name."""
    try:
        return read_legend(f"A = {' '.join(phrase.split())}")[1]
    except LegendError:
        return [LegendEntry(1, [Word(phrase, 1)])]


def name_of(words: Sequence[str]) -> Name:
    """Parse the words for one object."""
    texts = [SPELLINGS.get(word, word) for word in words]
    return attrs.evolve(_named(texts), words=" ".join(texts))


def _named(texts: list[str]) -> Name:
    color = next((word for word in texts if word in ANY_COLORS), "")
    others = [word for word in texts if word != color]
    if others and others[-1] in MARKS:
        return Name(others[-1], color, " ".join(others[:-1]))
    vocabulary = vocabulary_of(get_registry())
    meaning = vocabulary.find(texts)
    if meaning is None:
        return Name(" ".join(others), color)
    noun = vocabulary.type_of(meaning.type_name).noun
    states = (_state(field, value) for field, value in sorted(meaning.fields.items()) if value != color)
    part = () if meaning.part is None else (meaning.part.removeprefix("position_"),)
    return Name(noun, color, " ".join(filter(None, (*states, *part))))


def _state(field: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return field if value else f"not {field}"
    return str(value)


MAP_FORM = (
    '"rows": the board row by row from the top, as texts of one character for each cell; "legend": an object that says '
    f"what each character stands for. '{WALL}' is a wall, '{FLOOR}' floor, '{GOAL}' the goal, '{UNSEEN}' a cell that "
    f"is not shown, and one of {' '.join(ARROWS)} the agent, as it points; these need no entry. Every other character "
    'is yours to choose and to explain, in words such as "red key", "locked red door", "switched-on yellow switch", '
    '"closed gate", "blue block", "blue target" or "lava". Where several things are on one cell, the character stands '
    'for all of them, as in {">": "you and blue target"}.'
)
"""Instructions for the form of a transcription."""
UNSEEN_CELL = FIXED_LEGEND[UNSEEN]
USUAL = {**FIXED_LEGEND, **dict.fromkeys(ARROWS, YOU), " ": A_FLOOR}
"""Meanings of characters that the legend does not explain."""


@attrs.frozen(order=True)
class SeenThing:
    """An object, or a mark of the goal, on a cell."""

    cell: Position
    name: Name

    def moved(self, dx: int, dy: int) -> SeenThing:
        """Return a copy of the object, moved by an offset."""
        return attrs.evolve(self, cell=Position(self.cell.x + dx, self.cell.y + dy))


@attrs.frozen
class Board:
    """The contents of all cells of a board."""

    width: int
    height: int
    walls: frozenset[Position] = frozenset()
    unseen: frozenset[Position] = frozenset()
    things: frozenset[SeenThing] = frozenset()
    agents: frozenset[Position] = frozenset()
    """Cells of the agent: exactly one on a real board, any number in a transcription."""


def contents_of(look: CellLook | None, scene: Scene) -> list[str]:
    """Return the visible contents of a cell, in words of the text view, from bottom to top; empty for bare floor."""
    if look is None:
        return [UNSEEN_CELL]
    if look.wall:
        return [A_WALL]
    return names_on(scene.world, look)


def board_of(scene: Scene) -> Board:
    """Return the board as shown."""
    return read_board(draw_board(scene))


def draw_board(scene: Scene) -> dict[str, Any]:
    """Draw a perfect transcription in the form of `MAP_FORM`.

    Raises:
        GridworldError: the board has more distinct cell contents than the form has characters.
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
    """Parse a transcription in the form of `MAP_FORM`, even if such a board is impossible.

    Raises:
        Unreadable: the form is wrong.
    """
    rows, legend = said.get("rows"), said.get("legend", {})
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows):
        raise Unreadable("rows: expected a list of strings")
    if not isinstance(legend, dict) or not all(isinstance(words, str) for words in legend.values()):
        raise Unreadable("legend: expected an object with strings")
    meanings = {character: read_names(words) for character, words in {**USUAL, **legend}.items() if words.strip()}
    found: dict[str, set[Position]] = {A_WALL: set(), UNSEEN_CELL: set(), YOU: set()}
    things = set()
    for cell, character in ((Position(x, y), each) for y, row in enumerate(rows) for x, each in enumerate(row)):
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
