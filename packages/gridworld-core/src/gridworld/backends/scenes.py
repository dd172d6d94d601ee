"""Worlds as plain data, from which episodes can be drawn without plugins or this toolkit.

A scene holds the cells' polygons, the sealed seams, all glyphs, and the glyphs that fill their patch. A step is drawn
from the looks of changed cells. A look is ``null`` for an unseen cell, otherwise ``[wall, mark, things]``: a boolean,
the index of a glyph or null, and glyph indices from bottom to top.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from json.encoder import encode_basestring
from typing import Any

import attrs

from gridworld.backends.thing_glyphs import mark_glyph, thing_glyph
from gridworld.drawing.glyphs import Glyph, Tint
from gridworld.world.goal_type import MOST_DOTS, Mark
from gridworld.world.knowledge import (
    Snapshot,
    first_snapshot,
    looking_different,
    only_the_agent_changed,
    shown_differently,
    shown_look,
)
from gridworld.world.looks import CellLook, Shown, held_look, look_at
from gridworld.world.state import NOTHING
from gridworld.world.topology import Topology
from gridworld.world.world import Entity, World

Look = list[Any] | None
"""``[wall, mark, things]`` with indices of glyphs; None for an unseen cell."""
MOST_GLYPHS = 1024
"""Maximum number of cached glyph texts."""


class SceneLooks:
    """Numbered glyphs of all possible looks in a world.

    It can be shared by worlds compiled from the same task on the same tiling.

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
        """Numbers of the glyphs that fill their patch."""
        for mark in sorted(set(world.marks.values()), key=str):
            for visited in (False, True):
                seen = mark._replace(visited=visited)
                self._add(seen, mark_glyph(seen))

    @property
    def glyphs(self) -> tuple[Glyph, ...]:
        """Glyphs, ordered by number."""
        return tuple(self._of_glyphs)

    def number(self, shown: Shown) -> int:
        """Return the glyph number of a shown entity."""
        return self._numbers[shown]

    def data(self, look: CellLook | None) -> Look:
        """Convert a look to plain data; equal looks share the result, which must not be modified."""
        if look not in self._data:
            assert look is not None
            mark = None if look.mark is None else self._numbers[look.mark]
            self._data[look] = [look.wall, mark, [self._numbers[thing] for thing in look.things]]
        return self._data[look]

    def text(self, look: CellLook | None) -> str:
        """Return `data` as compact JSON."""
        text = self._texts.get(look)
        if text is None:
            text = self._texts[look] = json.dumps(self.data(look), separators=(",", ":"))
        return text

    def _add(self, shown: Shown | Mark, glyph: Glyph) -> None:
        self._numbers[shown] = self._of_glyphs.setdefault(glyph, len(self._of_glyphs))


def glyph_data(glyph: Glyph) -> list[dict[str, Any]]:
    """Convert a glyph to its shapes, back to front, each with its ``kind``.

    A colour is ``[red, green, blue]`` or ``[name, brightness]``.
    """
    return [_shape_data(shape) for shape in glyph.shapes]


@lru_cache(maxsize=MOST_GLYPHS)
def glyph_text(glyph: Glyph) -> str:
    """Return `glyph_data` as compact JSON."""
    return json.dumps(glyph_data(glyph), separators=(",", ":"))


def _shape_data(shape: Any) -> dict[str, Any]:
    color = shape.color
    named = [color.name, color.brightness] if isinstance(color, Tint) else list(color)
    kind = type(shape).__name__.lower()
    return {"kind": kind, **attrs.asdict(shape, filter=attrs.filters.exclude("color")), "color": named}


def _looks_of_things(world: World) -> Iterable[Shown]:
    """Yield every look that an entity of the world can have."""
    for entity in world.entities:
        parts = range(max(len(entity.anchors), 1))
        for value, part, number in product(range(len(entity.type.values)), parts, _numbers_of(world, entity)):
            yield Shown(entity.index, value, part, number)


def _numbers_of(world: World, entity: Entity) -> Iterable[int]:
    """Return the numbers that an entity can show; entities numbered when first seen have 0 until then."""
    if not entity.type.numbered:
        return (entity.number,)
    fellows = sum(world.entities[each].type is entity.type for each in world.numbered)
    return range(min(fellows, MOST_DOTS) + 1)


DIGITS = 4
"""Decimal places of coordinates, in units of the lattice spacing."""
BYTES_PER_CELL, BYTES_PER_CORNER = 400, 112
"""Measured size of the data in bytes, per cell and per polygon corner."""


class Scene:
    """A world as plain data for drawing.

    Args:
        world: the world.
        looks: looks of another world compiled from the same task on the same tiling; made by default.
    """

    def __init__(self, world: World, looks: SceneLooks | None = None) -> None:
        self._world = world
        self.looks = SceneLooks(world) if looks is None else looks
        self._all_is_shown = world.task.rules.observability == "full"

    def to_dict(self) -> dict[str, Any]:
        """Convert the initial state to a JSON-ready scene."""
        glyphs = [glyph_data(glyph) for glyph in self.looks.glyphs]
        return {**_ground(self._world.topology), "glyphs": glyphs, **self._start()}

    def to_json(self) -> str:
        """Return `to_dict` as compact JSON, with cached texts of cells and glyphs."""
        glyphs = ",".join(map(glyph_text, self.looks.glyphs))
        return f'{_ground_text(self._world.topology)[:-1]},"glyphs":[{glyphs}],{_json(self._start())[1:]}'

    def _start(self) -> dict[str, Any]:
        """Return the world-specific part of the initial scene."""
        world, start = self._world, first_snapshot(self._world)
        cells = range(world.topology.cell_count)
        return {
            "filling": list(self.looks.filling),
            "seams": _seams(world),
            "things": [entity.id for entity in world.entities],
            "agent": self.agent(start),
            "looks": [self.looks.data(look_at(world, start.state, cell, start.knowledge.met)) for cell in cells],
            "shown": None if self._all_is_shown else [self._shown_look(start, cell) for cell in cells],
        }

    def as_shown(self, snapshot: Snapshot) -> dict[str, Any]:
        """Convert a snapshot to a JSON-ready scene, limited to what the agent has been shown.

        ``glyphs`` are the visible glyphs, numbered in order of appearance; ``seams`` are the seams between shown cells;
        ``agent`` is the cell and heading of the agent; ``carried`` is the carried glyph's number or None. All ids are
        omitted.
        """
        world = self._world
        looks = [self._shown_look(snapshot, cell) for cell in range(world.topology.cell_count)]
        carried = held_look(world, snapshot.state, snapshot.knowledge.met)
        held = None if carried is None else self.looks.number(carried.things[0])
        numbers = {glyph: number for number, glyph in enumerate(dict.fromkeys(_glyphs_of(looks, held)))}
        return {
            **_ground(world.topology),
            "glyphs": [glyph_data(self.looks.glyphs[glyph]) for glyph in numbers],
            "filling": [numbers[glyph] for glyph in self.looks.filling if glyph in numbers],
            "seams": [[a, b] for a, b in _seams(world) if looks[a] is not None and looks[b] is not None],
            "agent": [snapshot.state.cell, snapshot.state.heading],
            "carried": None if held is None else numbers[held],
            "looks": [_renumbered(look, numbers) for look in looks],
        }

    def agent(self, snapshot: Snapshot) -> list[Any]:
        """Return the agent's cell and heading, and the carried entity's id or None."""
        state = snapshot.state
        carried = None if state.carried == NOTHING else self._world.entities[state.carried].id
        return [state.cell, state.heading, carried]

    def changes_to_json(self, before: Snapshot, after: Snapshot) -> str:
        """Write the agent and the changed looks after a step as members of a JSON object, without spaces and braces.

        ``agent`` is the value of `agent`; ``looks`` has the true looks by cell, and ``shown`` the shown looks where
        they can differ; both are omitted if empty.
        """
        world, state = self._world, after.state
        carried = "null" if state.carried == NOTHING else encode_basestring(world.entities[state.carried].id)
        agent = f'"agent":[{state.cell},{state.heading},{carried}]'
        if before.knowledge is after.knowledge and only_the_agent_changed(before.state, state):
            return agent
        members = [agent]
        true = looking_different(world, before, after)
        if true:
            met = after.knowledge.met
            members.append(self._cells_to_json("looks", {cell: look_at(world, state, cell, met) for cell in true}))
        if not self._all_is_shown:
            shown = shown_differently(world, before, after)
            if shown:
                members.append(self._cells_to_json("shown", {cell: shown_look(world, after, cell) for cell in shown}))
        return ",".join(members)

    def _cells_to_json(self, name: str, looks: Mapping[int, CellLook | None]) -> str:
        """Write looks by cell as one member of a JSON object."""
        cells = ",".join(f'"{cell}":{self.looks.text(look)}' for cell, look in sorted(looks.items()))
        return f'"{name}":{{{cells}}}'

    def _shown_look(self, snapshot: Snapshot, cell: int) -> Look:
        return self.look_data(shown_look(self._world, snapshot, cell))

    def look_data(self, look: CellLook | None) -> Look:
        """Convert a look to plain data."""
        return self.looks.data(look)


def _seams(world: World) -> list[list[int]]:
    """Return the sealed seams of a world as pairs of cells."""
    return sorted([*seam] for seam in world.seams if seam[0] < seam[1])


def _glyphs_of(looks: Iterable[Look], held: int | None) -> Iterator[int]:
    """Yield the glyph numbers in looks, then the carried glyph's number."""
    for look in looks:
        if look is not None:
            _, mark, things = look
            yield from things if mark is None else (mark, *things)
    if held is not None:
        yield held


def _renumbered(look: Look, numbers: Mapping[int, int]) -> Look:
    if look is None:
        return None
    wall, mark, things = look
    return [wall, None if mark is None else numbers[mark], [numbers[thing] for thing in things]]


def _ground(topology: Topology) -> Mapping[str, Any]:
    """Return the cells of a topology as cached data, which must not be modified."""
    found: Mapping[str, Any] | None = topology.kept.get(("data",))
    if found is None:
        found = _ground_data(topology)
        size = BYTES_PER_CELL * topology.cell_count + BYTES_PER_CORNER * sum(map(len, topology.polygons))
        topology.kept.put(("data",), found, size)
    return found


def _ground_data(topology: Topology) -> Mapping[str, Any]:
    return {
        "tiling": topology.name,
        "size": [topology.width, topology.height],
        "headings": topology.heading_count,
        "cells": [[_rounded(corner) for corner in polygon] for polygon in topology.polygons],
        "centres": [_rounded(centre) for centre in topology.centres],
        "lattice": [list(position) for position in topology.lattice],
    }


def _ground_text(topology: Topology) -> str:
    found: str | None = topology.kept.get(("text",))
    if found is None:
        found = _json(_ground(topology))
        topology.kept.put(("text",), found, sys.getsizeof(found))
    return found


def _json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


def _rounded(point: tuple[float, float]) -> list[float]:
    return [round(coordinate, DIGITS) for coordinate in point]
