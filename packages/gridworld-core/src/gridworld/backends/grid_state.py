"""`GridState`: the backend-independent snapshot of a world, in lattice coordinates and ids."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import attrs

from gridworld.support.faults import RAISED, blame
from gridworld.support.wording import shorten
from gridworld.task_spec import Position
from gridworld.world.digest import text_digest
from gridworld.world.knowledge import Snapshot, known_state
from gridworld.world.rules import is_truncated, reward_of
from gridworld.world.state import NOTHING, State, Status
from gridworld.world.topology import Topology
from gridworld.world.world import Entity, World

Cells = set[tuple[int, int]]
FEW_CELLS = 512
"""Largest set of explored cells to cache like a set of visible cells."""
EXPLORED_KEPT = 4
"""Number of cache slots for larger sets of explored cells; the hash of a set selects its slot."""


@attrs.define
class GridState:
    """State of a world at one moment, in the same form on every backend.

    Positions are lattice cells ``(x, y)``; mechanisms are identified by their ids.
    """

    agent_position: tuple[int, int]
    agent_direction: int
    agent_carrying: str | None = None
    step_count: int = 0
    max_steps: int = 0
    terminated: bool = False
    truncated: bool = False
    reward: float = 0.0
    open_doors: set[str] = attrs.Factory(set)
    collected_keys: set[str] = attrs.Factory(set)
    active_switches: set[str] = attrs.Factory(set)
    open_gates: set[str] = attrs.Factory(set)
    block_positions: dict[str, tuple[int, int]] = attrs.Factory(dict)
    teleporter_cooldowns: dict[str, int] = attrs.Factory(dict)
    goal_reached: bool = False
    observability_mode: str = "full"
    visible_cells: Cells = attrs.Factory(set)
    explored_cells: Cells = attrs.Factory(set)
    mechanism_states: dict[str, dict[str, str]] = attrs.Factory(dict)
    """State names by mechanism type and id, for mechanisms without a field of their own."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to a JSON-ready dictionary with sets as sorted lists; equal states give equal dictionaries."""
        return {field.name: _plain(getattr(self, field.name)) for field in attrs.fields(GridState)}

    def digest(self) -> str:
        """Return the digest of `to_dict`, 16 hexadecimal digits, reproducible across machines and Python versions."""
        return text_digest(json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":")))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GridState:
        """Convert from the form of `to_dict`; copies everything in `data`.

        Raises:
            KeyError, TypeError, ValueError: the form is invalid.
        """
        read: dict[str, Any] = {}
        for name in ("open_doors", "collected_keys", "active_switches", "open_gates"):
            ids = data[name]
            if not isinstance(ids, list | tuple | set) or not all(isinstance(each, str) for each in ids):
                raise TypeError(f"expected a list of ids, got {shorten(repr(ids))}")
            read[name] = set(ids)
        read |= {name: {_to_pair(cell) for cell in data[name]} for name in ("visible_cells", "explored_cells")}
        read["agent_position"] = _to_pair(data["agent_position"])
        read["block_positions"] = {name: _to_pair(position) for name, position in data["block_positions"].items()}
        read["teleporter_cooldowns"] = dict(data.get("teleporter_cooldowns", {}))
        read["mechanism_states"] = deepcopy(dict(data.get("mechanism_states", {})))
        return cls(**{**data, **read})


def _to_pair(position: Any) -> tuple[int, int]:
    x, y = position
    if type(x) is int and type(y) is int:
        return (x, y)
    raise TypeError(f"expected a pair of integers, got {shorten(repr(position))}")


def _plain(value: Any) -> Any:
    if isinstance(value, set):
        return [list(each) if isinstance(each, tuple) else each for each in sorted(value)]
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        return {key: _plain(value[key]) for key in sorted(value)}
    return value


def full_grid_state(world: World, snapshot: Snapshot) -> GridState:
    """Make the complete `GridState` of a snapshot."""
    return _grid_state(world, snapshot, snapshot.state, range(len(world.entities)))


def known_grid_state(world: World, snapshot: Snapshot) -> GridState:
    """Make the `GridState` of a snapshot restricted to what the agent has seen.

    Mechanisms never seen are omitted; mechanisms out of view have their last seen state.
    """
    state, known = known_state(world, snapshot)
    return _grid_state(world, snapshot, state, sorted(known))


def _grid_state(world: World, snapshot: Snapshot, state: State, entities: Iterable[int]) -> GridState:
    topology, knowledge = world.topology, snapshot.knowledge
    visible, explored = _lattice_cells(topology, knowledge.visible), knowledge.explored
    x, y = topology.lattice[state.cell]
    grid_state = GridState(
        agent_position=(x, y),
        agent_direction=state.heading,
        agent_carrying=None if state.carried == NOTHING else world.entities[state.carried].id,
        step_count=state.steps,
        max_steps=world.max_steps,
        terminated=state.status != Status.RUNNING,
        truncated=is_truncated(world, state),
        reward=reward_of(world, state),
        goal_reached=state.status == Status.SUCCEEDED,
        observability_mode=world.task.rules.observability,
        visible_cells=set(visible),
        explored_cells=set(visible if explored is knowledge.visible else _explored_cells(topology, explored)),
    )
    for index in entities:
        _record(world, state, world.entities[index], grid_state)
    return grid_state


def _lattice_cells(topology: Topology, cells: frozenset[int]) -> frozenset[Position]:
    key = "lattice cells", cells
    found: frozenset[Position] | None = topology.kept.get(key)
    if found is None:
        found = frozenset(map(topology.lattice.__getitem__, cells))
        topology.kept.put(key, found, sys.getsizeof(cells) + sys.getsizeof(found))
    return found


def _explored_cells(topology: Topology, cells: frozenset[int]) -> frozenset[Position]:
    """Convert cells to positions, caching only a few large sets: in a large maze, almost every step has a new one."""
    if len(cells) <= FEW_CELLS:
        return _lattice_cells(topology, cells)
    place = "explored", hash(cells) % EXPLORED_KEPT
    last: tuple[frozenset[int], frozenset[Position]] | None = topology.kept.get(place)
    if last is None or last[0] is not cells:
        found = frozenset(map(topology.lattice.__getitem__, cells))
        last = topology.kept.put(place, (cells, found), sys.getsizeof(cells) + sys.getsizeof(found))
    return last[1]


def _record(world: World, state: State, entity: Entity, grid_state: GridState) -> None:
    """Store one mechanism's state in the `GridState` field of its type."""
    field = entity.type.grid_state
    if field is None:
        if len(entity.type.values) > 1:
            grid_state.mechanism_states.setdefault(entity.type.name, {})[entity.id] = entity.value_name(state)
        return
    try:
        entry = field.entry(world, state, entity)
    except RAISED as error:
        blame(error, entity.type.owner, "grid_state")
    record = getattr(grid_state, field.name)
    if isinstance(record, set):
        if entry:
            record.add(entity.id)
    elif entry is not None:
        record[entity.id] = entry
