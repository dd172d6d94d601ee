"""Digests of snapshots, which check that replayed actions lead to the same states.

Digests are computed from ids and names, never from list positions, so that they do not depend on the order of
mechanisms in a file, on the process or on the version of Python.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b

from gridworld.support.caches import bounded, bytes_of_ints
from gridworld.world.knowledge import Knowledge, Snapshot
from gridworld.world.looks import CellLook
from gridworld.world.state import GONE, NOTHING, Status
from gridworld.world.world import World


def text_digest(text: str) -> str:
    """Return the 64-bit BLAKE2b digest of a text as 16 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def digest(world: World, snapshot: Snapshot) -> str:
    """Return the digest of a snapshot: the state, and the agent's knowledge of it.

    `Knowledge.visible` is omitted, since it follows from the state.

    Returns:
        16 hexadecimal digits.
    """
    state, knowledge = snapshot
    carried = None if state.carried == NOTHING else world.entities[state.carried].id
    agent = (state.cell, state.heading, carried, state.steps, Status.NAMES[state.status])
    entities = _entities_text(world, state.values, state.places, state.discovered, state.memory, repr(state.memory))
    return text_digest(f"{json.dumps(agent)}{entities}{_knowledge_text(world, knowledge)}")


@lru_cache(maxsize=64)  # few, since each entry keeps its world alive
def _entities_text(
    world: World, values: tuple[int, ...], places: tuple[int, ...], discovered: int, memory: object, typed: str
) -> str:
    """Serialize the entities by id, with value names, and the goal's memory.

    `typed` distinguishes True, 1 and 1.0, which are equal as cache keys.
    """
    cells = [None if place == GONE else place for place in places] + [None] * (len(values) - len(places))
    entities = {
        entity.id: (entity.type.values[value], cell, bool(discovered >> entity.index & 1))
        for entity, value, cell in zip(world.entities, values, cells, strict=True)
    }
    return json.dumps([entities, memory], sort_keys=True)


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


@bounded(lambda text, cells: len(text) + bytes_of_ints(cells))
def _cells_text(cells: frozenset[int]) -> str:
    return str(sorted(cells))


def _look(world: World, look: CellLook) -> list[object]:
    entities = [
        (world.entities[each.entity].id, _value(world, each.entity, each.value), each.part, each.number)
        for each in look.things
    ]
    return [look.wall, look.mark, entities]


def _value(world: World, entity: int, value: int) -> str:
    return world.entities[entity].type.values[value]
