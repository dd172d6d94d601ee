"""The legend: everything that can occur, described in words and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import attrs

from gridworld.backends.kernel import KernelBackend
from gridworld.explaining.explanation import LabelledPicture
from gridworld.explaining.suite_vocabulary import Form, Seen, SuiteVocabulary, ThingWords
from gridworld.support.wording import listed
from gridworld.world.goal_type import Mark
from gridworld.world.looks import CellLook, Shown, describe_mark
from gridworld.world.world import Entity, World

if TYPE_CHECKING:
    import numpy as np


MOST_ROWS, MOST_COLUMNS = 9, 6
"""Maximum rows (states and kinds) and columns (colours) of a picture; anything beyond is described in words only."""
LEGEND = "Legend"
DOTS = (
    "White dots, as on a die, mark what belongs together: a block and its target, or both ends of a teleporter, have "
    "the same number of dots."
)


def write_legend(
    backend: KernelBackend, vocabulary: SuiteVocabulary, things: Iterable[ThingWords], has_pictures: bool
) -> str:
    """Write the legend.

    Args:
        backend: the backend of the tasks.
        vocabulary: everything that can occur.
        things: the words for mechanisms.
        has_pictures: whether the model is shown pictures of the maze; if not, appearances are omitted.
    """
    entries = [*_ground(backend, vocabulary), *((_named(each), "; or ".join(each.looks)) for each in things)]
    if not has_pictures:
        entries = [(name, "") for name, _ in entries if name != ALL_THINGS]
    lines = [f"- {name}: {looks}" if looks else f"- {name}" for name, looks in entries]
    numbered = any(known.type.numbered for known in vocabulary.mechanisms)
    if has_pictures and (numbered or any(mark.color is not None for mark in vocabulary.marks)):
        lines.append(f"- {DOTS}")
    head = (
        "What can appear in a maze (not everything in every task), and how it looks"
        if has_pictures
        else "What can appear in a maze (not everything in every task)"
    )
    return "\n".join([f"{head}:", *lines])


ALL_THINGS = "things"
"""Name of the legend entry for traits common to all entities."""


def _ground(backend: KernelBackend, vocabulary: SuiteVocabulary) -> Iterator[tuple[str, str]]:
    """Yield the name and appearance of everything outside the mechanism types, such as walls."""
    words = backend.ground_words
    yield "wall", words.wall
    yield "floor", words.floor
    yield "you, the agent", words.agent
    kinds = {mark.kind for mark in vocabulary.marks}
    if "goal" in kinds:
        yield "goal", words.goal
    if "target" in kinds:
        yield "target", words.target
    modes = {rules.observability for rules in vocabulary.rules}
    if modes - {"full"}:
        yield "unseen", words.unseen
    if "fog_of_war" in modes:
        yield "seen earlier, but not in view now", words.remembered
    if vocabulary.mechanisms:
        yield "what you carry", words.held
    if words.things:
        yield ALL_THINGS, words.things


def _named(thing: ThingWords) -> str:
    """Return a name with colours and forms, such as ``door (red or blue; open, closed or locked)``."""
    forms = [str(form) for form in thing.forms if str(form)][:MOST_ROWS]
    there_is = [listed(each, "or") for each in (thing.colors, forms) if each]
    return f"{thing.name} ({'; '.join(there_is)})" if there_is else thing.name


def draw_legend(
    backend: KernelBackend, world: World, vocabulary: SuiteVocabulary, things: Iterable[ThingWords]
) -> Iterator[LabelledPicture]:
    """Draw the ground, the targets, and each mechanism type; nothing if the backend draws no tiles.

    Args:
        backend: the backend of the tasks.
        world: any world on the tiling.
        vocabulary: everything that can occur.
        things: the words for mechanisms.
    """
    tiles = _Tiles(backend, world)
    if tiles.of_look(CellLook()) is None:
        return
    yield _in_a_row(tiles.of_ground(vocabulary))
    marks = [(describe_mark(mark), tiles.of_look(CellLook(mark=mark))) for mark in _shown_targets(vocabulary)]
    if marks:
        yield _in_a_row(marks)
    for _, fellows in groupby(things, key=lambda thing: thing.type.name):
        picture = _draw_type(tiles, [thing for thing in fellows if thing.seen])
        if picture is not None:
            yield picture


def _draw_type(tiles: _Tiles, things: Sequence[ThingWords]) -> LabelledPicture | None:
    """Draw one type: a row per form and a column per colour, or a single row for one colour."""
    forms = [(thing, form) for thing in things for form in thing.forms][:MOST_ROWS]
    if not forms:
        return None
    colors = tuple(dict.fromkeys(color for thing in things for color in thing.colors))[:MOST_COLUMNS]
    names = [form.of(thing.name) for thing, form in forms]
    if len(colors) <= 1:
        color = colors[0] if colors else None
        return _in_a_row(
            (f"{color} {name}" if color else name, tiles.of_form(thing, form, color))
            for name, (thing, form) in zip(names, forms, strict=True)
        )
    rows = [[tiles.of_form(thing, form, color) for color in colors] for thing, form in forms]
    told = f"{LEGEND}, rows from the top: {', '.join(names)}" if len(names) > 1 else f"{LEGEND}: {names[0]}"
    return LabelledPicture(f"{told}; from left to right: {', '.join(colors)}", arrange(rows))


def _in_a_row(named: Iterable[tuple[str, Picture | None]]) -> LabelledPicture:
    """Arrange tiles from left to right in one picture."""
    names, tiles = zip(*named, strict=True)
    order = ", from left to right" if len(names) > 1 else ""
    return LabelledPicture(f"{LEGEND}{order}: {', '.join(names)}", arrange([tiles]))


class _Tiles:
    """Draws single lattice cells of a backend."""

    def __init__(self, backend: KernelBackend, world: World) -> None:
        self._backend = backend
        self._world = world

    def of_look(self, look: CellLook | None, heading: int | None = None, world: World | None = None) -> Picture | None:
        picture: Picture | None = self._backend.draw_tile(world or self._world, look, heading)
        return picture

    def of_ground(self, vocabulary: SuiteVocabulary) -> list[tuple[str, Picture | None]]:
        """Return the name and tile of everything outside the mechanism types, such as walls."""
        named = [("wall", self.of_look(CellLook(wall=True))), ("floor", self.of_look(CellLook()))]
        named.append(("you facing right", self.of_look(CellLook(), heading=0)))
        if any(mark.kind == "goal" for mark in vocabulary.marks):
            named.append(("goal", self.of_look(CellLook(mark=Mark("goal")))))
        if any(rules.observability != "full" for rules in vocabulary.rules):
            named.append(("unseen", self.of_look(None)))
        return named

    def of_form(self, thing: ThingWords, form: Form, color: str | None) -> Picture | None:
        """Draw a form; None if the form does not exist in that colour."""
        example = thing.seen.get((form, color))
        if example is None:
            return None
        look = CellLook(things=(Shown(0, example.value, example.part, int(thing.type.numbered)),))
        return self.of_look(look, world=_world_with(self._world, thing, example))


def _world_with(world: World, thing: ThingWords, example: Seen) -> World:
    """Make a world for drawing whose only entity is the example."""
    kind = thing.type
    anchors = tuple(world.topology.anchor(position) for position in kind.positions(example.spec).values())
    entity = Entity(0, example.spec.id, kind, example.spec, kind.color(example.spec), anchors, anchors)
    return attrs.evolve(world, entities=(entity,))


def _shown_targets(vocabulary: SuiteVocabulary) -> Iterator[Mark]:
    """Yield targets without a block, unvisited and visited, then one target per colour."""
    targets = [mark for mark in vocabulary.marks if mark.kind == "target"]
    if Mark("target") in targets:
        yield Mark("target")
        if any(goal.visited is not None for goal in vocabulary.goals):
            yield Mark("target", visited=True)
    yield from [mark._replace(number=1) for mark in targets if mark.color is not None][:MOST_COLUMNS]


Picture: TypeAlias = "np.ndarray"
"""RGB picture of shape (height, width, 3), uint8."""
GAP = 4
"""Pixels between and around tiles."""
PAPER = 255
"""Brightness of the space between and around tiles: white."""


def arrange(rows: Sequence[Sequence[Picture | None]]) -> Picture:
    """Arrange tiles in rows, from the top.

    Args:
        rows: one or more rows of tiles of one size; None leaves a gap.
    """
    import numpy as np

    height, width, _ = next(tile for row in rows for tile in row if tile is not None).shape
    columns = max(map(len, rows))
    shape = (GAP + len(rows) * (height + GAP), GAP + columns * (width + GAP), 3)
    sheet = np.full(shape, PAPER, dtype=np.uint8)
    for number, row in enumerate(rows):
        for place, tile in enumerate(row):
            if tile is not None:
                top, left = GAP + number * (height + GAP), GAP + place * (width + GAP)
                sheet[top : top + height, left : left + width] = tile
    return sheet
