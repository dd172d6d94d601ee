"""Tilings of many sizes, and worlds on them that show everything a cell can show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from typing import Any

import attrs
import pytest

from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld.testing.geometry import area as area  # the tests have these from here
from gridworld.testing.geometry import contains as contains
from gridworld.testing.geometry import direction as direction
from gridworld.testing.geometry import edges_of as edges_of
from gridworld.testing.geometry import exit_table as exit_table
from gridworld.testing.geometry import is_beside as is_beside
from gridworld.testing.geometry import is_diagonal as is_diagonal
from gridworld.testing.geometry import reached as reached
from gridworld.testing.geometry import touching_cells as touching_cells
from gridworld.world import Entity, Episode, Topology, World, compile_world
from gridworld.world.goal_type import Mark
from gridworld.world.looks import CellLook, Shown, describe_thing
from gridworld.world.mechanism_type import Trait
from support.worlds import compiled, draw_everything

TILINGS = tuple(get_registry().tilings.names())
POLYGON_TILINGS = tuple(name for name in TILINGS if name != "square")

on_all_tilings = pytest.mark.parametrize("name", TILINGS)
MOST_ON_TWO = [pytest.param(name, marks=() if name in ("square", "3464") else pytest.mark.more) for name in TILINGS]
"""All tilings, those between the simplest and the richest with the marker ``more``."""
on_two_tilings = pytest.mark.parametrize("name", MOST_ON_TWO)
on_polygon_tilings = pytest.mark.parametrize("name", POLYGON_TILINGS)


def make_topology(name: str, size: tuple[int, int]) -> Topology:
    """The topology of an installed tiling."""
    topology = load_object(get_registry().tilings.get(name).target)(*size)
    assert isinstance(topology, Topology)
    return topology


def everything(mode: str = "full", view_size: int = 7, **options: object) -> TaskSpecification:
    """A maze with most kinds of every mechanism, and a block to push."""
    rules = {"observability": mode, "view_size": view_size}
    goal = {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["m"]}
    return draw_everything(goal=goal, rules=rules, **{"max_steps": 200, **options})


def compiled_on(tiling: str, task: TaskSpecification) -> World:
    """A task on a tiling."""
    return compile_world(task, make_topology(tiling, task.maze.dimensions))


def start_on(tiling: str, task: TaskSpecification) -> Episode:
    """An episode at the start of a task on a tiling."""
    episode = Episode(compiled_on(tiling, task))
    episode.reset()
    return episode


SIDE = 12
FLOOR = CellLook()
WALL = CellLook(wall=True)
GOAL = CellLook(mark=Mark("goal"))
MARKER = CellLook(mark=Mark("target"))
TARGETS = {
    f"{color} target {number}": CellLook(mark=Mark("target", color, number))
    for color, number in product(COLOR_NAMES, (1, 2))
}
LOOKS_ALIKE = {"keys": "untouched", "teleporters": "ready"}
"""Mechanisms that look alike in all states, and the state that is shown."""


def a_task_of_everything() -> TaskSpecification:
    """A task with one of each mechanism in each color and kind."""
    cells = ([index % (SIDE - 2) + 1, index // (SIDE - 2) + 1] for index in count())
    start, goal = next(cells), next(cells)
    colored: dict[str, list[dict[str, Any]]] = {
        "keys": [{}],
        "doors": [{}],
        "switches": [{"switch_type": kind} for kind in ("toggle", "hold", "one_shot")],
        "blocks": [{"pushable": True}, {"pushable": False}],
    }
    mechanisms: dict[str, list[dict[str, Any]]] = {
        "gates": [{"id": "gate", "position": next(cells)}],
        "teleporters": [
            {"id": f"teleporter {both}", "position_a": next(cells), "position_b": next(cells), "bidirectional": both}
            for both in (True, False)
        ],
        "hazards": [{"id": kind, "position": next(cells), "hazard_type": kind} for kind in ("lava", "pit", "spike")],
    }
    for kind, variants in colored.items():
        for index, (color, variant) in enumerate(product(COLOR_NAMES, variants)):
            field = "requires_key" if kind == "doors" else "color"
            entry = {"id": f"{kind} {index}", "position": next(cells), field: color, **variant}
            mechanisms.setdefault(kind, []).append(entry)
    return TaskSpecification.from_dict(
        {
            "task_id": "everything",
            "seed": 0,
            "difficulty_tier": 1,
            "maze": {"dimensions": [SIDE, SIDE], "walls": [], "start": start, "goal": goal},
            "mechanisms": mechanisms,
            "goal": {"type": "survive_steps"},
            "max_steps": 1,
        }
    )


EVERYTHING: World = compiled(a_task_of_everything())
"""The task of everything on squares; entity numbers are the same on all tilings."""


@attrs.frozen
class Thing:
    """A mechanism in one of its states."""

    entity: Entity
    value: str
    part: int = 0
    number: int = 0

    @property
    def title(self) -> str:
        return f"{describe_thing(EVERYTHING, self.layer)} {self.entity.id}"

    @property
    def layer(self) -> Shown:
        return Shown(self.entity.index, self.entity.type.values.index(self.value), self.part, self.number)

    @property
    def traits(self) -> Trait:
        return self.entity.type.traits(self.entity.spec, self.value)


def things_of(entity: Entity) -> Iterator[Thing]:
    """An entity in all states and parts, with some numbers of dots."""
    values = [value for value in entity.type.values if LOOKS_ALIKE.get(entity.type.name, value) == value]
    one_way = entity.type.numbered and not entity.spec.bidirectional
    numbered = entity.type.numbered or entity.type.traits(entity.spec, values[0]) & Trait.PUSHABLE
    for value, part, number in product(values, (0, 1) if one_way else (0,), (0, 1, 2) if numbered else (0,)):
        yield Thing(entity, value, part, number)


THINGS = [thing for entity in EVERYTHING.entities for thing in things_of(entity)]
BLOCKS = [thing for thing in THINGS if thing.traits & Trait.PUSHABLE]
SWITCHES = [thing for thing in THINGS if thing.entity.type.name == "switches"]


def single_looks() -> Iterator[tuple[str, CellLook]]:
    """Looks of a cell with at most one mechanism, by title."""
    yield from {"floor": FLOOR, "wall": WALL, "goal": GOAL, "marker": MARKER, **TARGETS}.items()
    for thing in THINGS:
        yield thing.title, FLOOR._replace(things=(thing.layer,))
