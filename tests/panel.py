"""All that a cell can show: every mechanism in every state, part and number, and what can lie on what."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from typing import Any

import attrs

from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld.world import Entity, World
from gridworld.world.looks import CellLook, Shown
from gridworld.world.marks import Mark
from gridworld.world.names import describe_thing
from gridworld.world.traits import Trait
from worlds import compiled

__all__ = [
    "BLOCKS",
    "EVERYTHING",
    "FLOOR",
    "GOAL",
    "MARKER",
    "SWITCHES",
    "TARGETS",
    "THINGS",
    "WALL",
    "Thing",
    "a_task_of_everything",
    "single_looks",
    "stacked_looks",
]

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
"""Mechanisms that look the same in all their states: the value of which one is enough."""


def a_task_of_everything() -> TaskSpecification:
    """One of each mechanism in each colour and kind."""
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
"""On squares; entities have the same numbers on all tilings."""


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
    """In all states, parts and some numbers of dots that are to be told apart."""
    values = [value for value in entity.type.values if LOOKS_ALIKE.get(entity.type.name, value) == value]
    one_way = entity.type.numbered and not entity.spec.bidirectional
    numbered = entity.type.numbered or entity.type.traits(entity.spec, values[0]) & Trait.PUSHABLE
    for value, part, number in product(values, (0, 1) if one_way else (0,), (0, 1, 2) if numbered else (0,)):
        yield Thing(entity, value, part, number)


THINGS = [thing for entity in EVERYTHING.entities for thing in things_of(entity)]
BLOCKS = [thing for thing in THINGS if thing.traits & Trait.PUSHABLE]
SWITCHES = [thing for thing in THINGS if thing.entity.type.name == "switches"]


def single_looks() -> Iterator[tuple[str, CellLook]]:
    """What a cell can show with at most one thing on it."""
    yield from {"floor": FLOOR, "wall": WALL, "goal": GOAL, "marker": MARKER, **TARGETS}.items()
    for thing in THINGS:
        yield thing.title, FLOOR._replace(things=(thing.layer,))


def stacked_looks() -> Iterator[tuple[str, CellLook]]:
    """What a cell can show with a block on something, or a switch on a marker."""
    for switch in SWITCHES:
        yield f"{switch.title} on marker", MARKER._replace(things=(switch.layer,))
    for block in (block for block in BLOCKS if not block.number):
        yield f"{block.title} on goal", GOAL._replace(things=(block.layer,))
        yield f"{block.title} on marker", MARKER._replace(things=(block.layer,))
        for switch in SWITCHES:
            yield f"{block.title} on {switch.title}", FLOOR._replace(things=(switch.layer, block.layer))
