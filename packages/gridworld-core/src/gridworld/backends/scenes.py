"""A world as plain data: all that is needed to draw an episode where neither its plugins nor this toolkit are present.

A scene holds the cells' polygons, the sealed seams, and how things can look; a step is drawn from the looks of the
cells that it has changed. A look is ``null`` for a cell that is not shown, and otherwise ``[wall, mark, things]``: a
truth value, a number in the scene's ``glyphs`` or null, and such numbers from the ground up.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import product
from typing import Any

import attrs

from gridworld.backends.looks import mark_glyph, thing_glyph
from gridworld.drawing.glyphs import Glyph, Tint
from gridworld.world.knowledge import (
    Snapshot,
    cells_changed,
    cells_of_numbered,
    first_snapshot,
    only_the_agent_changed,
    shown_differently,
    shown_look,
)
from gridworld.world.looks import CellLook, Shown, look_at
from gridworld.world.marks import MOST_DOTS, Mark
from gridworld.world.state import NOTHING
from gridworld.world.world import Entity, World

__all__ = ["Scene", "glyph_data"]

Look = list[Any] | None
DIGITS = 4
"""Of coordinates, in units of the lattice spacing."""


def glyph_data(glyph: Glyph) -> list[dict[str, Any]]:
    """The shapes of a glyph, back to front, each with its ``kind``.

    A colour is ``[red, green, blue]``, or a name with the brightness that it is multiplied by.
    """
    return [_shape_data(shape) for shape in glyph.shapes]


def _shape_data(shape: Any) -> dict[str, Any]:
    color = shape.color
    named = [color.name, color.brightness] if isinstance(color, Tint) else list(color)
    kind = type(shape).__name__.lower()
    return {"kind": kind, **attrs.asdict(shape, filter=attrs.filters.exclude("color")), "color": named}


class Scene:
    """The scene of a world.

    Args:
        world: the world.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._glyphs: list[Glyph] = []
        self._numbers: dict[Any, int] = {}
        self._looks: dict[CellLook | None, Look] = {}
        for each in _looks_of_things(world):
            self._add(each, thing_glyph(world, each))
        for mark in sorted(set(world.marks.values()), key=str):
            for visited in (False, True):
                seen = mark._replace(visited=visited)
                self._add(seen, mark_glyph(seen))

    def to_dict(self) -> dict[str, Any]:
        """The scene at the start of the task, JSON-ready."""
        world, start = self._world, first_snapshot(self._world)
        topology = world.topology
        cells = range(topology.cell_count)
        return {
            "tiling": topology.name,
            "size": [topology.width, topology.height],
            "headings": topology.heading_count,
            "cells": [[_rounded(corner) for corner in polygon] for polygon in topology.polygons],
            "centres": [_rounded(centre) for centre in topology.centres],
            "lattice": [list(position) for position in topology.lattice],
            "seams": sorted([*seam] for seam in world.seams if seam[0] < seam[1]),
            "glyphs": [glyph_data(glyph) for glyph in self._glyphs],
            "things": [entity.id for entity in world.entities],
            "agent": self.agent(start),
            "looks": [self._true_look(start, cell) for cell in cells],
            "shown": None if self._all_is_shown else [self._shown_look(start, cell) for cell in cells],
        }

    def agent(self, snapshot: Snapshot) -> list[Any]:
        """The agent's cell, its heading, and the id of what it carries or None."""
        state = snapshot.state
        carried = None if state.carried == NOTHING else self._world.entities[state.carried].id
        return [state.cell, state.heading, carried]

    def changes(self, before: Snapshot, after: Snapshot) -> dict[str, dict[str, Look]]:
        """The cells that look different after a step, by their numbers.

        ``looks`` has them as they are, ``shown`` as they are shown where that is not the same; either is left out where
        there are none.
        """
        world = self._world
        if before.knowledge is after.knowledge and only_the_agent_changed(before.state, after.state):
            return {}
        true = cells_changed(world, before.state, after.state)
        if before.knowledge.met != after.knowledge.met:
            true |= cells_of_numbered(world, before.state) | cells_of_numbered(world, after.state)
        changes = {"looks": {str(cell): self._true_look(after, cell) for cell in sorted(true)}} if true else {}
        if not self._all_is_shown:
            shown = shown_differently(world, before, after)
            if shown:
                changes["shown"] = {str(cell): self._shown_look(after, cell) for cell in sorted(shown)}
        return changes

    @cached_property
    def _all_is_shown(self) -> bool:
        return self._world.task.rules.observability == "full"

    def _true_look(self, snapshot: Snapshot, cell: int) -> Look:
        return self.look_data(look_at(self._world, snapshot.state, cell, snapshot.knowledge.met))

    def _shown_look(self, snapshot: Snapshot, cell: int) -> Look:
        return self.look_data(shown_look(self._world, snapshot, cell))

    def look_data(self, look: CellLook | None) -> Look:
        """A look as plain data."""
        if look not in self._looks:
            self._looks[look] = None if look is None else self._new_data(look)
        return self._looks[look]

    def _new_data(self, look: CellLook) -> Look:
        mark = None if look.mark is None else self._numbers[look.mark]
        return [look.wall, mark, [self._numbers[thing] for thing in look.things]]

    def _add(self, shown: Shown | Mark, glyph: Glyph) -> None:
        if glyph not in self._glyphs:
            self._glyphs.append(glyph)
        self._numbers[shown] = self._glyphs.index(glyph)


def _looks_of_things(world: World) -> Iterable[Shown]:
    """Every way in which a thing of this world can look."""
    for entity in world.entities:
        parts = range(max(len(entity.anchors), 1))
        for value, part, number in product(range(len(entity.type.values)), parts, _numbers_of(entity)):
            yield Shown(entity.index, value, part, number)


def _numbers_of(entity: Entity) -> Iterable[int]:
    return range(MOST_DOTS + 1) if entity.type.numbered else (entity.number,)


def _rounded(point: tuple[float, float]) -> list[float]:
    return [round(coordinate, DIGITS) for coordinate in point]
