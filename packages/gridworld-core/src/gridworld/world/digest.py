"""Digests of moments of an episode, to check that actions played again lead to the same states.

They are made from ids and names, never from places in a list, so that they survive another order of the mechanisms in a
file, another process and another version of Python.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b

from gridworld.world.knowledge import Knowledge, Snapshot
from gridworld.world.looks import CellLook
from gridworld.world.state import GONE, NOTHING, Status
from gridworld.world.world import World

__all__ = ["digest", "text_digest"]


def text_digest(text: str) -> str:
    """A BLAKE2b digest of 64 bits of a text, as 16 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def digest(world: World, snapshot: Snapshot) -> str:
    """The digest of a moment: the state, and what the agent has been shown of it.

    What is visible is left out, since it follows from the state.

    Returns:
        16 hexadecimal digits.
    """
    state, knowledge = snapshot
    carried = None if state.carried == NOTHING else world.entities[state.carried].id
    agent = (state.cell, state.heading, carried, state.steps, Status.NAMES[state.status])
    things = _things_text(world, state.values, state.places, state.discovered, state.memory, repr(state.memory))
    return text_digest(f"{json.dumps(agent)}{things}{_knowledge_text(world, knowledge)}")


@lru_cache(maxsize=1024)
def _things_text(
    world: World, values: tuple[int, ...], places: tuple[int, ...], discovered: int, memory: object, typed: str
) -> str:
    """The entities by their ids, with the names of their values, and the goal's memory.

    `typed` tells True, 1 and 1.0 apart, which are one key to the cache.
    """
    things = {
        entity.id: (
            entity.type.values[values[entity.index]],
            _place(places, entity.index),
            bool(discovered >> entity.index & 1),
        )
        for entity in world.entities
    }
    return json.dumps([things, memory], sort_keys=True)


def _place(places: tuple[int, ...], entity: int) -> int | None:
    """The cell of a movable entity; None for one that is carried or used up, and for all others."""
    return None if entity >= len(places) or places[entity] == GONE else places[entity]


def _knowledge_text(world: World, knowledge: Knowledge) -> str:
    if not (knowledge.handled or knowledge.remembered or knowledge.last_seen or knowledge.met):
        return _cells_text(knowledge.explored)
    names = [entity.id for entity in world.entities]
    met = [names[entity] for entity in knowledge.met]
    seen = knowledge.last_seen.items()
    last_seen = {names[entity]: (_value(world, entity, value), cell) for entity, (value, cell) in seen}
    remembered = {str(cell): _look(world, look) for cell, look in knowledge.remembered.items()}
    handled = sorted(names[entity] for entity in knowledge.handled)
    return _cells_text(knowledge.explored) + json.dumps([last_seen, remembered, handled, met], sort_keys=True)


@lru_cache(maxsize=1024)
def _cells_text(cells: frozenset[int]) -> str:
    return str(sorted(cells))


def _look(world: World, look: CellLook) -> list[object]:
    things = [
        (world.entities[each.entity].id, _value(world, each.entity, each.value), each.part, each.number)
        for each in look.things
    ]
    return [look.wall, look.mark, things]


def _value(world: World, entity: int, value: int) -> str:
    return world.entities[entity].type.values[value]
