"""A world as plain data: all that is needed to draw an episode where neither its plugins nor this toolkit are present.

A scene holds the cells' polygons, the sealed seams, how things can look, and which of these fill their patch; a step is
drawn from the looks of the cells that it has changed. A look is ``null`` for a cell that is not shown, and otherwise
``[wall, mark, things]``: a truth value, a number in the scene's ``glyphs`` or null, and such numbers upwards.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from json.encoder import encode_basestring
from typing import Any

from gridworld.backends.scene_looks import Look, SceneLooks, glyph_data, glyph_text
from gridworld.world.knowledge import (
    Snapshot,
    first_snapshot,
    looking_different,
    only_the_agent_changed,
    shown_differently,
    shown_look,
)
from gridworld.world.looks import CellLook, held_look, look_at
from gridworld.world.state import NOTHING
from gridworld.world.topology import Topology
from gridworld.world.world import World

__all__ = ["Scene"]

DIGITS = 4
"""Of coordinates, in units of the lattice spacing."""
BYTES_PER_CELL, BYTES_PER_CORNER = 400, 112
"""Bytes that a cell and each of its corners take as data, as measured."""


class Scene:
    """The scene of a world.

    Args:
        world: the world.
        looks: those of another world, compiled from the same task on the same tiling; by default they are made.
    """

    def __init__(self, world: World, looks: SceneLooks | None = None) -> None:
        self._world = world
        self.looks = SceneLooks(world) if looks is None else looks
        self._all_is_shown = world.task.rules.observability == "full"

    def to_dict(self) -> dict[str, Any]:
        """The scene at the start of the task, JSON-ready."""
        glyphs = [glyph_data(glyph) for glyph in self.looks.glyphs]
        return {**_ground(self._world.topology), "glyphs": glyphs, **self._start()}

    def to_json(self) -> str:
        """`to_dict` as JSON without spaces; what worlds have in common, cells and glyphs, is put into words once."""
        glyphs = ",".join(map(glyph_text, self.looks.glyphs))
        return f'{_ground_text(self._world.topology)[:-1]},"glyphs":[{glyphs}],{_json(self._start())[1:]}'

    def _start(self) -> dict[str, Any]:
        """What is on the ground, at the start of the task."""
        world, start = self._world, first_snapshot(self._world)
        cells = range(world.topology.cell_count)
        return {
            "filling": list(self.looks.filling),
            "seams": _seams(world),
            "things": [entity.id for entity in world.entities],
            "agent": self.agent(start),
            "looks": [self._true_look(start, cell) for cell in cells],
            "shown": None if self._all_is_shown else [self._shown_look(start, cell) for cell in cells],
        }

    def as_shown(self, snapshot: Snapshot) -> dict[str, Any]:
        """The scene at a moment with nothing in it that is not shown, JSON-ready.

        ``glyphs`` are those that are to be seen, numbered as they are met, ``seams`` those between shown cells. The
        agent is its cell and its heading, and ``carried`` the number of the glyph in its hand or None. No ids are told.
        """
        world = self._world
        looks = [self._shown_look(snapshot, cell) for cell in range(world.topology.cell_count)]
        held = self._glyph_in_hand(snapshot)
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

    def _glyph_in_hand(self, snapshot: Snapshot) -> int | None:
        look = held_look(self._world, snapshot.state, snapshot.knowledge.met)
        return None if look is None else self.looks.number(look.things[0])

    def agent(self, snapshot: Snapshot) -> list[Any]:
        """The agent's cell, its heading, and the id of what it carries or None."""
        state = snapshot.state
        carried = None if state.carried == NOTHING else self._world.entities[state.carried].id
        return [state.cell, state.heading, carried]

    def changes_to_json(self, before: Snapshot, after: Snapshot) -> str:
        """Where the agent is after a step, and the cells that look different, as members of a JSON object.

        ``agent`` is as `agent` has it; ``looks`` has the cells as they are, by their numbers, ``shown`` as they are
        shown where that is not the same; either is left out where there are none. There are no spaces and no braces.
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
        """Cells with their looks as a member of a JSON object."""
        cells = ",".join(f'"{cell}":{self.looks.text(look)}' for cell, look in sorted(looks.items()))
        return f'"{name}":{{{cells}}}'

    def _true_look(self, snapshot: Snapshot, cell: int) -> Look:
        return self.look_data(look_at(self._world, snapshot.state, cell, snapshot.knowledge.met))

    def _shown_look(self, snapshot: Snapshot, cell: int) -> Look:
        return self.look_data(shown_look(self._world, snapshot, cell))

    def look_data(self, look: CellLook | None) -> Look:
        """A look as plain data."""
        return self.looks.data(look)


def _seams(world: World) -> list[list[int]]:
    """The sealed seams of a world."""
    return sorted([*seam] for seam in world.seams if seam[0] < seam[1])


def _glyphs_of(looks: Iterable[Look], held: int | None) -> Iterator[int]:
    """The numbers of all glyphs that are drawn for looks, and of what is held."""
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
    """The cells of a topology; kept, and not to be changed."""
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
