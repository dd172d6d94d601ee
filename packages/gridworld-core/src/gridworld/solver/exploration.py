"""`Exploration`: A* search over the states of a space (Hart, Nilsson and Raphael 1968).

States are expanded in order of the number of steps taken plus the heuristic's estimate of the steps left; without a
heuristic this is breadth-first search. The heuristic must be admissible, that is, never overestimate; the first plan
found is then a shortest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.expansion import WON, Expansion
from gridworld.solver.plans import DEFAULT_MAX_STATES
from gridworld.solver.spaces import Bools, Ints
from gridworld.world.state import State

Heuristic = Callable[[Ints], Ints]
"""Maps state indices to lower bounds on the steps to success: at least 1, or `HOPELESS`."""

HOPELESS = 2**31 - 1
"""Estimate for a state that cannot be won."""
BATCH = 1 << 16
"""Number of states expanded together."""
BYTES_PER_STATE = 29
"""Memory per state in bytes."""
UNMET = -1
ROOT = -1


def no_heuristic(indices: Ints) -> Ints:
    """Return 1 for each state, the heuristic of breadth-first search: success takes at least one step."""
    return np.ones(len(indices), dtype=np.int64)


@attrs.frozen
class SearchLimits:
    """Limits of a search."""

    states: int = DEFAULT_MAX_STATES
    """Maximum number of states to visit."""
    memory: int = 2 << 30
    """Maximum estimated size of the search's tables in bytes."""


class TooManyStates(Exception):
    """A search has reached one of its limits.

    Args:
        message: a description of the limit.
        limit: the name of the field of `SearchLimits`.
    """

    def __init__(self, message: str, limit: str) -> None:
        super().__init__(message)
        self.limit = limit

    @classmethod
    def of_states(cls, limits: SearchLimits) -> TooManyStates:
        """Return the error for a search that has reached the state limit."""
        return cls(f"{limits.states} states", "states")

    @classmethod
    def of_memory(cls, limits: SearchLimits) -> TooManyStates:
        """Return the error for a search that has reached the memory limit."""
        return cls(f"{limits.memory} bytes of tables", "memory")


def look_up(number_of: NDArray[np.int32], indices: Ints) -> Ints:
    """Look up state numbers by index; `UNMET` for indices beyond the table."""
    inside = indices < len(number_of)
    return np.where(inside, number_of[np.where(inside, indices, 0)], UNMET).astype(np.int64)


def enlarged(
    number_of: NDArray[np.int32], expansion: Expansion, bytes_of_states: int, limits: SearchLimits
) -> NDArray[np.int32]:
    """Return a copy of the number table with room for every state of an expansion; raises TooManyStates."""
    room = max(expansion.capacity - len(number_of), len(number_of))
    bytes_of_numbers = (len(number_of) + room) * number_of.itemsize
    if expansion.memory + bytes_of_states + bytes_of_numbers > limits.memory:
        raise TooManyStates.of_memory(limits)
    return np.concatenate([number_of, np.full(room, UNMET, dtype=np.int32)])


@attrs.frozen
class Found:
    """A success: the number of the preceding state, and the action."""

    number: int
    action: Action


class Exploration:
    """A search that can continue after it has found a success.

    Args:
        expansion: computes the outcomes of actions.
        first: the start state.
        limits: limits of the search.
        heuristic: orders the frontier.
    """

    def __init__(
        self, expansion: Expansion, first: State, limits: SearchLimits, heuristic: Heuristic = no_heuristic
    ) -> None:
        self.expansion = expansion
        self._limits = limits
        self._heuristic = heuristic
        self._number_of = np.full(expansion.poses.count, UNMET, dtype=np.int32)
        self._met = _Nodes()
        self._open: dict[int, dict[int, list[Ints]]] = {}
        self._cut_short = False
        self.bound = 0
        """Lower bound on the length of all plans."""
        start = np.array([expansion.index(*expansion.space.first(first))])
        self._hold_all()
        expected = int(heuristic(start)[0])
        self._number_of[start[0]] = 0
        self._met.append(start, ROOT, 0, 0, expected)
        if expected != HOPELESS:
            self._put(np.array([0]), 0, np.array([expected]))

    @property
    def ended(self) -> bool:
        """Whether all states have been expanded."""
        return not self._open and not self._cut_short

    @property
    def states(self) -> int:
        """Number of states met so far."""
        return self._met.count

    @property
    def indices(self) -> Ints:
        """Index of each state, in the order in which they were met; shape (states,)."""
        return self._met.index[: self._met.count]

    def search(self, max_length: int) -> Found | None:
        """Search until success; return None if it cannot be reached, or not within `max_length` steps.

        Raises:
            TooManyStates: a limit was reached.
        """
        for batch in self._batches():
            if self.bound > max_length:
                self._cut_short = True
                return None
            targets, _ = self.expansion.outcomes(self.indices[batch])
            won = np.flatnonzero(targets.ravel() == WON)
            if won.size:
                row, slot = divmod(int(won[0]), targets.shape[1])
                return Found(int(batch[row]), self.expansion.space.slots[slot])
            self._meet(batch, targets)
        return None

    def complete(self, length: int) -> None:
        """Continue after a shortest plan of this length was found, until all states on plans of this length are met.

        Raises:
            TooManyStates: a limit was reached.
        """
        for batch in self._batches():
            if self.bound > length:
                self._cut_short = True
                return
            targets, _ = self.expansion.outcomes(self.indices[batch])
            self._meet(batch, targets)

    def layers(self, length: int) -> list[Ints]:
        """Return the numbers of the expanded states by number of steps taken, for steps below `length`."""
        met = self._met
        looked_at = np.flatnonzero(met.expanded_at[: met.count])
        steps = met.steps[looked_at]
        looked_at = looked_at[np.argsort(steps, kind="stable")]
        bounds = np.searchsorted(np.sort(steps), np.arange(length + 1))
        return [looked_at[start:stop] for start, stop in pairwise(bounds.tolist())]

    def plan_to(self, number: int) -> tuple[Action, ...]:
        """Return the actions from the start state to a state met so far."""
        slots, met = self.expansion.space.slots, self._met
        plan = []
        while met.parent[number] != ROOT:
            plan.append(slots[met.slot[number]])
            number = int(met.parent[number])
        return tuple(reversed(plan))

    def numbers_of(self, indices: Ints) -> Ints:
        """Return state numbers by index; -1 for states not met."""
        return look_up(self._number_of, indices)

    def _batches(self) -> Iterator[Ints]:
        """Yield the numbers of states to expand: lowest total first, and among ties the most steps taken first."""
        while self._open:
            self.bound = min(self._open)
            layers = self._open[self.bound]
            steps = max(layers)
            together = layers.pop(steps)
            if not layers:
                del self._open[self.bound]
            numbers = np.concatenate(together)
            numbers = numbers[self._met.steps[numbers] == steps]  # others were met again in fewer steps
            numbers = numbers[self._met.expand(numbers, steps)]
            for start in range(0, len(numbers), BATCH):
                yield numbers[start : start + BATCH]

    def _put(self, numbers: Ints, steps: int, expected: Ints) -> None:
        for total in sorted(set(expected.tolist())):
            self._open.setdefault(total, {}).setdefault(steps, []).append(numbers[expected == total])

    def _meet(self, batch: Ints, targets: Ints) -> None:
        """Record edges that are the shortest known way to their state."""
        self._hold_all()
        flat = targets.ravel()
        edges = np.flatnonzero(flat >= 0)
        known = self._number_of[flat[edges]]
        steps = int(self._met.steps[batch[0]]) + 1
        quicker = np.flatnonzero((known != UNMET) & (self._met.steps[known] > steps))
        self._meet_again(_Edges(edges[quicker], flat, batch, targets.shape[1]), steps)
        self._meet_new(_Edges(edges[known == UNMET], flat, batch, targets.shape[1]), steps)

    def _meet_new(self, edges: _Edges, steps: int) -> None:
        order = np.arange(len(edges.places), dtype=np.int32)
        reached = edges.reached
        self._number_of[reached[::-1]] = UNMET - 1 - order[::-1]  # the first edge to a state is written last
        edges = edges.only(self._number_of[reached] == UNMET - 1 - order)
        expected = self._heuristic(edges.reached)
        self._number_of[edges.reached] = UNMET
        edges, total = self._hopeful(edges, expected, steps)
        room = self._limits.states - self._met.count
        if len(edges.places) > room:
            self._met.count = self._limits.states
            raise TooManyStates.of_states(self._limits)
        first = self._met.append(edges.reached, edges.parents, edges.slots, steps, total)
        numbers = np.arange(first, self._met.count)
        self._number_of[edges.reached] = numbers
        self._put(numbers, steps, total)

    def _meet_again(self, edges: _Edges, steps: int) -> None:
        if not len(edges.places):
            return
        _, first = np.unique(edges.reached, return_index=True)
        edges = edges.only(np.sort(first))
        edges, total = self._hopeful(edges, self._heuristic(edges.reached), steps)
        numbers = self._number_of[edges.reached].astype(np.int64)
        self._met.update(numbers, edges.parents, edges.slots, steps, total)
        self._put(numbers, steps, total)

    def _hopeful(self, edges: _Edges, expected: Ints, steps: int) -> tuple[_Edges, Ints]:
        """Return the edges to possibly winnable states, each with a lower bound on the length of plans along it.

        The bound is never less than the parent's bound (pathmax), so that heuristics need not be consistent.
        """
        hopeful = expected < HOPELESS
        edges = edges.only(hopeful)
        return edges, np.maximum(expected[hopeful] + steps, self._met.total[edges.parents])

    def _hold_all(self) -> None:
        """Grow the number table to cover all known configurations."""
        if self.expansion.capacity > len(self._number_of):
            states = len(self._met.index) * BYTES_PER_STATE
            self._number_of = enlarged(self._number_of, self.expansion, states, self._limits)


@attrs.frozen(eq=False)
class _Edges:
    """A subset of the edges out of a batch of states."""

    places: Ints
    """Positions in `flat`."""
    flat: Ints
    """Targets of the actions, ordered by state."""
    batch: Ints
    """Numbers of the source states."""
    width: int
    """Number of outcomes per state."""

    @property
    def reached(self) -> Ints:
        """Indices of the target states."""
        return self.flat[self.places]

    @property
    def parents(self) -> Ints:
        """Numbers of the source states, one per edge."""
        return self.batch[self.places // self.width]

    @property
    def slots(self) -> Ints:
        """Slots of the actions."""
        return self.places % self.width

    def only(self, chosen: NDArray[Any]) -> _Edges:
        """Return a subset of the edges, selected by positions or by a mask."""
        return attrs.evolve(self, places=self.places[chosen])


class _Nodes:
    """States met by the search, in growing arrays indexed by state number."""

    def __init__(self) -> None:
        self.count = 0
        self.index = np.zeros(1024, dtype=np.int64)
        self.parent = np.zeros(1024, dtype=np.int32)
        self.slot = np.zeros(1024, dtype=np.uint8)
        self.steps = np.zeros(1024, dtype=np.int32)
        self.total = np.zeros(1024, dtype=np.int32)
        """Steps taken plus estimated steps left, by state number."""
        self.expanded_at = np.zeros(1024, dtype=np.int32)
        """Steps taken at the last expansion of each state, plus 1; 0 if it was never expanded."""

    def append(self, index: Ints, parent: Any, slot: Any, steps: int, total: Any) -> int:
        """Add new states; return the first new number."""
        first, self.count = self.count, self.count + len(index)
        while self.count > len(self.index):
            for name in ("index", "parent", "slot", "steps", "total", "expanded_at"):
                array = getattr(self, name)
                setattr(self, name, np.concatenate([array, np.zeros_like(array)]))
        self.index[first : self.count] = index
        self.update(slice(first, self.count), parent, slot, steps, total)
        return first

    def update(self, numbers: Any, parent: Any, slot: Any, steps: int, total: Any) -> None:
        """Record a shorter way to states."""
        self.parent[numbers], self.slot[numbers], self.total[numbers] = parent, slot, total
        self.steps[numbers] = steps

    def expand(self, numbers: Ints, steps: int) -> Bools:
        """Mark states as expanded after some steps; return a mask of those not expanded before."""
        fresh: Bools = self.expanded_at[numbers] != steps + 1
        self.expanded_at[numbers] = steps + 1
        return fresh
