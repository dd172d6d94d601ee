"""`Expansion`: outcomes of all actions in many states at once.

All outcomes come from the kernel. In plain poses it is called once per configuration
(`gridworld.solver.local_transitions`); elsewhere, and if a mechanism or the goal is not declared local, it is called
for each state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.local_transitions import ConnectedComponents, LocalTransitionCache, can_cache
from gridworld.solver.spaces import Bools, Configurations, Ints, Poses, StateSpace, doubled
from gridworld.world.events import kinds_of
from gridworld.world.state import NOTHING, State, Status
from gridworld.world.world import World

NO_STATE = -1
"""Marks a missing outcome in arrays of state indices."""
WON = -2
"""Marks success in arrays of state indices."""
DEAD = -3
"""Value that marks death in arrays of state indices."""

Outcomes = tuple[Ints, NDArray[np.uint32]]
"""Target states and event kinds, each of shape (states, slots of the space)."""

_Answer = tuple[int, int, int]
"""One outcome computed by the kernel: slot, target state and event kinds."""
TOUCHES_NOTHING = (Action.TURN_LEFT, Action.TURN_RIGHT, Action.DONE)
"""Actions whose outcome does not depend on the cell in front."""
CACHED_STATES = 1 << 18
"""Number of states whose outcomes a `CachingExpansion` stores, about 25 MB."""


class Expansion:
    """Numbers the states of a space and computes the outcomes of actions.

    The index of a state is ``configuration * poses + pose``.

    Args:
        space: the space.
    """

    def __init__(self, space: StateSpace) -> None:
        world = space.world
        self.space = space
        self.poses = poses = Poses(world)
        self.configurations = Configurations(poses, len(world.start.places))
        special, marked = _special_places(world, poses), _places(world.marks, poses)
        self._bare = ~(special | marked)
        self._stands_on_special = special[poses.here]
        self._faces_special = (poses.ahead >= 0) & (special | marked)[poses.ahead]  # nothing can be dropped on marks
        self._local = (
            LocalTransitionCache(space, poses, self.configurations, special | marked) if can_cache(space) else None
        )
        self._slot_of = {action: space.slots.index(action) for action in space.slots}
        self._touches_nothing = np.array([action in TOUCHES_NOTHING for action in space.slots])

    @property
    def capacity(self) -> int:
        """Upper bound of all indices so far."""
        return len(self.configurations) * self.poses.count

    @property
    def memory(self) -> int:
        """Memory of the configurations and cached transitions in bytes, accurate to a tenth."""
        learnt = 0 if self._local is None else self._local.memory + self._components.memory
        return self.configurations.memory + learnt

    @cached_property
    def _components(self) -> ConnectedComponents:
        return ConnectedComponents(self.poses, self._bare)

    def index(self, state: State, kept: Hashable) -> int:
        """Return the index of a running state."""
        number = self.configurations.number(self.space.configuration(state, kept))
        return number * self.poses.count + self.poses.number(state.cell, state.heading)

    def state(self, index: int) -> tuple[State, Hashable]:
        """Return the state at an index, and the data that the search stores with it."""
        configuration, pose = divmod(index, self.poses.count)
        return self.space.state(self.configurations[configuration], *self.poses.cell_and_heading(pose))

    def outcomes(self, indices: Ints) -> Outcomes:
        """Return the outcomes of the actions of ``space.slots``: state indices, `WON`, `DEAD` or `NO_STATE`.

        Args:
            indices: indices of states, shape (states,).
        """
        targets, kinds, known = self._local_outcomes(indices)
        rows = np.flatnonzero(~known.all(axis=1))
        asked = zip(rows.tolist(), indices[rows].tolist(), (~known[rows]).tolist(), strict=True)
        answers = [(row, *answer) for row, index, slots in asked for answer in self._ask_kernel(index, slots)]
        if answers:
            row, slot, target, kind = np.array(answers, dtype=np.int64).T
            targets[row, slot], kinds[row, slot] = target, kind
        return targets, kinds

    def known_outcomes(self, indices: Ints) -> tuple[Ints, NDArray[np.uint32], Bools]:
        """Return the outcomes that are known without calling the kernel.

        Returns:
            Target states, event kinds, and whether each outcome is known; each of shape (states, slots of the space).
            An unknown target is `NO_STATE`.
        """
        return self._local_outcomes(indices)

    def _local_outcomes(self, indices: Ints) -> tuple[Ints, NDArray[np.uint32], Bools]:
        shape = (len(indices), len(self.space.slots))
        targets, kinds = np.full(shape, NO_STATE, dtype=np.int64), np.zeros(shape, dtype=np.uint32)
        known = np.zeros(shape, dtype=bool)
        if self._local is not None:
            configurations, poses = np.divmod(indices, self.poses.count)
            stands, faces = self._on_and_facing(configurations, poses)
            rows = np.flatnonzero(~stands)
            found, reached, of_kinds = self._local.lookup(configurations[rows], poses[rows])
            found = found & (self._touches_nothing | ~faces[rows, None])
            targets[rows], kinds[rows] = np.where(found, reached, NO_STATE), np.where(found, of_kinds, 0)
            known[rows] = found
        return targets, kinds, known

    def walkable(self, indices: Ints) -> Ints:
        """Return the states reached by walking and turning on bare floor, as far as known without the kernel."""
        if self._local is None:
            return indices[:0]
        configurations, poses = np.divmod(indices, self.poses.count)
        met = np.unique(configurations)
        found = [indices[:0]]
        for number in met[self._local.walking_changes_pose_alone(met)].tolist():
            taken = frozenset(self.configurations.places(number).tolist()) - {-1}
            walked = self._components.containing(poses[configurations == number], taken)
            found.append(number * self.poses.count + walked)
        return np.concatenate(found)

    def _on_and_facing(self, configurations: Ints, poses: Ints) -> tuple[Bools, Bools]:
        """Return whether the agent stands on, and whether it faces, anything other than bare floor."""
        stands, faces = self._stands_on_special[poses], self._faces_special[poses]
        here, ahead = self.poses.here[poses], self.poses.ahead[poses]
        for places in self.configurations.places(configurations).T:
            stands = stands | (places == here)
            faces = faces | ((places == ahead) & (ahead >= 0))
        return stands, faces

    def _ask_kernel(self, index: int, asked: list[bool]) -> list[_Answer]:
        """Return the outcomes of the actions in the requested slots of a state."""
        state, kept = self.state(index)
        number = index // self.poses.count
        return [
            (place, self._target(number, state, kept, now, following), kinds_of(events))
            for action, slot in self._slot_of.items()
            if asked[slot]
            for place, (now, following, events) in enumerate(self.space.steps(state, kept, action), slot)
        ]

    def _target(self, number: int, before: State, kept: Hashable, now: State, following: Hashable) -> int:
        """Return the target of a step, given the number of the configuration before it."""
        if now.status:
            return WON if now.status == Status.SUCCEEDED else DEAD
        pose_alone = before[2:6] == now[2:6] and before.discovered == now.discovered
        if pose_alone and following == kept:
            return number * self.poses.count + self.poses.number(now.cell, now.heading)
        return self.index(now, following)


def _special_places(world: World, poses: Poses) -> Bools:
    """Return a mask of the cells that may matter to stand on or face: those of fixed entities and of the goal."""
    cells = {cell for cell, thing in enumerate(world.fixed_at) if thing != NOTHING}
    if world.goal_type.agent_cells is not None:
        cells.update(world.goal_type.agent_cells(world))
    return _places(cells, poses)


def _places(cells: Iterable[int], poses: Poses) -> Bools:
    """Return a mask over floor cells that is True for the given cells."""
    chosen = np.zeros(len(poses.cells), dtype=bool)
    chosen[[poses.place_of[cell] for cell in cells if poses.place_of[cell] >= 0]] = True
    return chosen


class CachingExpansion(Expansion):
    """An expansion for several searches that caches outcomes.

    A single search expands each state once and is faster without the cache.

    Args:
        space: the space.
    """

    def __init__(self, space: StateSpace) -> None:
        super().__init__(space)
        self._cache = _OutcomeCache(len(space.slots))

    @property
    def memory(self) -> int:
        """Estimated memory of configurations, cached transitions and cached outcomes, in bytes."""
        return super().memory + self._cache.memory

    def outcomes(self, indices: Ints) -> Outcomes:
        """Return the outcomes, from the cache where possible."""
        rows = self._cache.rows(indices)
        new = indices[rows < 0]
        if len(new) == 0:
            return self._cache.at(rows)
        found = super().outcomes(new)
        self._cache.add(new, *found)
        if len(new) == len(indices):
            return found
        targets, kinds = self._cache.at(rows)
        targets[rows < 0], kinds[rows < 0] = found
        return targets, kinds

    def known_outcomes(self, indices: Ints) -> tuple[Ints, NDArray[np.uint32], Bools]:
        """Return the known outcomes, including cached ones."""
        targets, kinds, known = super().known_outcomes(indices)
        rows = self._cache.rows(indices)
        cached = rows >= 0
        targets[cached], kinds[cached] = self._cache.at(rows[cached])
        known[cached] = True
        return targets, kinds, known


class _OutcomeCache:
    """Cached outcomes by state index, for the first `CACHED_STATES` states added.

    Args:
        slots: number of outcomes per state.
    """

    def __init__(self, slots: int) -> None:
        self._count = 0
        self._row_of = np.full(1024, -1, dtype=np.int32)
        self._targets = np.zeros((64, slots), dtype=np.int64)
        self._kinds = np.zeros((64, slots), dtype=np.uint32)

    @property
    def memory(self) -> int:
        """Bytes of the arrays."""
        return self._row_of.nbytes + self._targets.nbytes + self._kinds.nbytes

    def rows(self, indices: Ints) -> NDArray[np.int32]:
        """Return the cache row of each state, -1 if not cached; shape (states,)."""
        if not self._count:
            return np.full(len(indices), -1, dtype=np.int32)
        met = indices < len(self._row_of)
        if met.all():
            return self._row_of[indices]
        return np.where(met, self._row_of[np.where(met, indices, 0)], np.int32(-1))

    def at(self, rows: NDArray[np.int32]) -> Outcomes:
        """Return the target states and event kinds in cache rows, each of shape (rows, slots)."""
        return self._targets[rows], self._kinds[rows]

    def add(self, indices: Ints, targets: Ints, kinds: NDArray[np.uint32]) -> None:
        """Cache the outcomes of states while there is room."""
        first, last = self._count, self._count + len(indices)
        if last > CACHED_STATES or not len(indices):
            return
        while last > len(self._targets):
            self._targets, self._kinds = doubled(self._targets), doubled(self._kinds)
        while indices.max() >= len(self._row_of):
            self._row_of = np.concatenate([self._row_of, np.full_like(self._row_of, -1)])
        self._targets[first:last], self._kinds[first:last] = targets, kinds
        self._row_of[indices] = np.arange(first, last)
        self._count = last
