"""How cells of a world can look, as plain data that goes by the numbers of glyphs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import Any

import attrs

from gridworld.backends.looks import mark_glyph, thing_glyph
from gridworld.drawing.glyphs import Glyph, Tint
from gridworld.world.looks import CellLook, Shown
from gridworld.world.marks import MOST_DOTS, Mark
from gridworld.world.world import Entity, World

__all__ = ["Look", "SceneLooks", "glyph_data", "glyph_text"]

Look = list[Any] | None
"""``[wall, mark, things]`` with numbers of glyphs; None for a cell that is not shown."""
MOST_GLYPHS = 1024
"""How many are kept as text."""


class SceneLooks:
    """The glyphs of all that a world can show, each with a number. What is shown at which moment does not matter.

    Worlds compiled from one task on one tiling can share it.

    Args:
        world: the world.
    """

    def __init__(self, world: World) -> None:
        self._of_glyphs: dict[Glyph, int] = {}
        self._numbers: dict[Any, int] = {}
        self._data: dict[CellLook | None, Look] = {None: None}
        self._texts: dict[CellLook | None, str] = {}
        filling = set()
        for each in _looks_of_things(world):
            self._add(each, thing_glyph(world, each))
            if world.entities[each.entity].type.fills_patch:
                filling.add(self._numbers[each])
        self.filling = tuple(sorted(filling))
        """The numbers of the glyphs of what fills its patch."""
        for mark in sorted(set(world.marks.values()), key=str):
            for visited in (False, True):
                seen = mark._replace(visited=visited)
                self._add(seen, mark_glyph(seen))

    @property
    def glyphs(self) -> tuple[Glyph, ...]:
        """The glyphs, in the order of their numbers from 0."""
        return tuple(self._of_glyphs)

    def number(self, shown: Shown) -> int:
        """The number of the glyph of a thing as it is seen."""
        return self._numbers[shown]

    def data(self, look: CellLook | None) -> Look:
        """A look as plain data, not to be changed: it is the same object for the same look."""
        if look not in self._data:
            assert look is not None
            self._data[look] = self._new_data(look)
        return self._data[look]

    def text(self, look: CellLook | None) -> str:
        """`data` as JSON without spaces."""
        text = self._texts.get(look)
        if text is None:
            text = self._texts[look] = json.dumps(self.data(look), separators=(",", ":"))
        return text

    def _new_data(self, look: CellLook) -> Look:
        mark = None if look.mark is None else self._numbers[look.mark]
        return [look.wall, mark, [self._numbers[thing] for thing in look.things]]

    def _add(self, shown: Shown | Mark, glyph: Glyph) -> None:
        self._numbers[shown] = self._of_glyphs.setdefault(glyph, len(self._of_glyphs))


def glyph_data(glyph: Glyph) -> list[dict[str, Any]]:
    """The shapes of a glyph, back to front, each with its ``kind``.

    A colour is ``[red, green, blue]``, or a name with the brightness that it is multiplied by.
    """
    return [_shape_data(shape) for shape in glyph.shapes]


@lru_cache(maxsize=MOST_GLYPHS)
def glyph_text(glyph: Glyph) -> str:
    """`glyph_data` as JSON without spaces."""
    return json.dumps(glyph_data(glyph), separators=(",", ":"))


def _shape_data(shape: Any) -> dict[str, Any]:
    color = shape.color
    named = [color.name, color.brightness] if isinstance(color, Tint) else list(color)
    kind = type(shape).__name__.lower()
    return {"kind": kind, **attrs.asdict(shape, filter=attrs.filters.exclude("color")), "color": named}


def _looks_of_things(world: World) -> Iterable[Shown]:
    """Every way in which a thing of this world can look."""
    for entity in world.entities:
        parts = range(max(len(entity.anchors), 1))
        for value, part, number in product(range(len(entity.type.values)), parts, _numbers_of(world, entity)):
            yield Shown(entity.index, value, part, number)


def _numbers_of(world: World, entity: Entity) -> Iterable[int]:
    """All that it can have; what is numbered when it is first shown has none until then."""
    if not entity.type.numbered:
        return (entity.number,)
    fellows = sum(world.entities[each].type is entity.type for each in world.numbered)
    return range(min(fellows, MOST_DOTS) + 1)
