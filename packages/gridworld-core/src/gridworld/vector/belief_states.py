"""`BeliefStates`: what the agent of each environment knows, for action masks that depend on the history."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridworld.errors import NotResetError
from gridworld.vector.state_rows import GrowingArray, StateRows
from gridworld.world.knowledge import Knowledge, Snapshot, first_snapshot, observe
from gridworld.world.mechanism_type import Trait
from gridworld.world.world import World

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]

EVERYTHING_SHOWN, REMEMBERED = "full", "fog_of_war"
UNKNOWN = -1
KEPT_BYTES, BYTES_PER_CELL = 256 << 20, 64
"""Memory limit above which beliefs are evicted, and estimated bytes per cell of a task."""
LEAST_KEPT = 1024
HISTORY_BYTES, BYTES_PER_STEP = 64 << 20, 9
"""Memory limit for recorded steps, and bytes per step of an environment."""


class BeliefStates:
    """Numbered beliefs: states with the part of the agent's knowledge that action masks depend on.

    The kernel's `observe` is called once per transition between beliefs, and only when beliefs are requested. Until
    then the rows of all environments are recorded, as far as memory allows.

    Args:
        rows: the rows of states.
        count: number of environments.
    """

    def __init__(self, rows: StateRows, count: int) -> None:
        self._rows = rows
        self._followed = np.array([depends_on_history(world) for world in rows.worlds])
        """Whether each task's beliefs depend on the history; only those are tracked."""
        followed = [world for world in rows.worlds if depends_on_history(world)]
        self._follows = bool(followed)
        cells = max((world.topology.cell_count for world in followed), default=1)
        self._most = max(LEAST_KEPT, KEPT_BYTES // (BYTES_PER_CELL * cells))
        longest = 1 + max((world.max_steps for world in followed), default=0)
        self._recorded: deque[_Record] = deque(maxlen=max(1, min(longest, HISTORY_BYTES // (BYTES_PER_STEP * count))))
        """Steps since the last request; at most one episode's worth, since earlier episodes have ended."""
        self._lost = False
        """Whether steps since the last request were dropped."""
        self._asked = False
        self._of_env, self._none = np.full(count, UNKNOWN), np.zeros(count, dtype=np.bool_)
        self._generation = rows.generation
        self._beliefs: list[tuple[World, Snapshot]] = []
        self._row_of = GrowingArray((), np.intp)
        """Row of each belief, or `UNKNOWN` if rows have been evicted since."""
        self._number_of: dict[Hashable, int] = {}
        self._following: dict[tuple[int, int], int] = {}
        """Next belief by (belief, next row)."""
        self.evictions = 0
        """Number of evictions; each one renumbers the beliefs."""

    def __len__(self) -> int:
        return len(self._beliefs)

    def are_followed(self, rows: Rows) -> Flags:
        """Return a mask of the rows whose knowledge depends on the history."""
        followed: Flags = self._followed[self._rows.tasks(rows)]
        return followed

    def record_step(self, rows: Rows, begun: Flags | None) -> None:
        """Record a step.

        Args:
            rows: the row of each environment, shape (num_envs,); must not be changed later.
            begun: environments whose episodes have begun with the step, shape (num_envs,); None if none have.
        """
        if self._follows:
            self._lost |= len(self._recorded) == self._recorded.maxlen
            self._recorded.append(_Record(rows, self._none if begun is None else begun))

    def record_reset(self, rows: Rows, begun: Flags) -> None:
        """Record a reset of some environments while the others take no step; arguments as for `record_step`."""
        not_begun_yet = self._none if self._lost else self._of_env == UNKNOWN
        begun_before = self._recorded.pop().begun if self._recorded else not_begun_yet
        self.record_step(rows, begun_before | begun)

    def before_eviction(self) -> None:
        """Prepare for the eviction of rows in the next step."""
        if self._asked and not self._lacks_starts(self._starts()):
            self.current()
        self._lost = self._lost or bool(self._recorded)
        self._recorded.clear()

    def at(self, belief: int) -> tuple[World, Snapshot]:
        """Return the world, state and knowledge of a belief."""
        return self._beliefs[belief]

    def current(self) -> Rows:
        """Return the belief of each environment, shape (num_envs,), valid where `are_followed` is true.

        Raises:
            NotResetError: steps of an episode were dropped since the last request.
        """
        self._asked = True
        self._evict_if_too_many()
        begun_last = self._starts()
        if self._lacks_starts(begun_last):
            raise NotResetError(
                "the history since reset() is longer than the action masks keep; reset, and request masks from then on"
            )
        for number, (rows, _) in enumerate(self._recorded):
            followed = self.are_followed(rows)
            for env in np.flatnonzero(followed & (begun_last == number)).tolist():
                world = self._rows.world(rows[env])
                self._of_env[env] = self._number(int(rows[env]), world, first_snapshot(world))
            self._advance(np.flatnonzero(followed & (begun_last < number)), rows)
        self._recorded.clear()
        self._lost = False
        return self._of_env

    def _starts(self) -> Rows:
        """Return the index of the record that began each environment's latest episode; `UNKNOWN` if none did."""
        begun_last = np.full(len(self._of_env), UNKNOWN)
        for number, (_, begun) in enumerate(self._recorded):
            begun_last[begun] = number
        return begun_last

    def _lacks_starts(self, begun_last: Rows) -> bool:
        """Whether records have been dropped of episodes that are still running."""
        if not self._lost or not self._recorded:
            return self._lost
        return bool((self.are_followed(self._recorded[-1].rows) & (begun_last == UNKNOWN)).any())

    def _advance(self, envs: Rows, rows: Rows) -> None:
        moved = envs[self._row_of.rows[self._of_env[envs]] != rows[envs]]
        if not moved.size:
            return
        steps, places = np.unique(self._of_env[moved] * len(self._rows) + rows[moved], return_inverse=True)
        reached = [self._after(*divmod(step, len(self._rows))) for step in steps.tolist()]
        self._of_env[moved] = np.array(reached)[places]

    def _after(self, belief: int, row: int) -> int:
        number = self._following.get((belief, row))
        if number is None:
            (world, before), state = self._beliefs[belief], self._rows.state(row)
            snapshot = Snapshot(state, observe(world, before, state))
            number = self._following[belief, row] = self._number(row, world, snapshot)
        return number

    def _number(self, row: int, world: World, snapshot: Snapshot) -> int:
        number = self._number_of.setdefault((row, _relevant(world, snapshot.knowledge)), len(self))
        if number == len(self):
            self._beliefs.append((world, snapshot))
            self._row_of.extend(row)
        return number

    def _evict_if_too_many(self) -> None:
        """Evict all beliefs but the current ones if there are too many, or if rows have been evicted."""
        renumbered = self._generation != self._rows.generation
        if not renumbered and len(self) <= self._most + len(self._of_env):
            return
        followed = np.flatnonzero(self._of_env != UNKNOWN)
        kept, places = np.unique(self._of_env[followed], return_inverse=True)
        rows = np.full(len(kept), UNKNOWN) if renumbered else self._row_of.rows[kept]
        self._beliefs = [self._beliefs[belief] for belief in kept.tolist()]
        self._row_of.cut(0)
        self._row_of.extend(rows)
        self._number_of.clear()
        self._following.clear()
        self._of_env[followed] = places
        self._generation = self._rows.generation
        self.evictions += 1


class _Record(NamedTuple):
    """The rows after one step."""

    rows: Rows
    begun: Flags
    """Mask of the environments whose episodes began there."""


def depends_on_history(world: World) -> bool:
    """Whether action masks depend on earlier observations that the state does not contain.

    In fog they depend on what has been seen. With a view cone they depend on what has been carried, if carrying can
    change an entity's appearance. Under full observability everything is known.
    """
    mode = world.task.rules.observability
    if mode == EVERYTHING_SHOWN:
        return False
    return mode == REMEMBERED or any(len(world.traits[entity]) > 1 for entity in portable_entities(world))


def portable_entities(world: World) -> list[int]:
    """Return the entities that can be picked up in some state."""
    return [entity for entity, traits in enumerate(world.traits) if any(Trait.PORTABLE & each for each in traits)]


def _relevant(world: World, knowledge: Knowledge) -> Hashable:
    """Return the part of knowledge that masks depend on."""
    if world.task.rules.observability != REMEMBERED:
        return knowledge.handled
    looks, last_seen = frozenset(knowledge.remembered.items()), frozenset(knowledge.last_seen.items())
    return knowledge.explored, looks, last_seen, knowledge.handled
