"""State graphs: all reachable states with the outcomes of all actions, and exact distances between them."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.solver.expansion import WON, Expansion
from gridworld.solver.exploration import BATCH, HOPELESS, UNMET, SearchLimits, TooManyStates, enlarged, look_up
from gridworld.solver.spaces import Ints, doubled
from gridworld.world.state import State

Progress = Callable[[int], object]
"""Called from time to time with the number of states expanded so far."""

ASKED_TOGETHER = 128
"""Minimum number of states to pass to the kernel before the search continues with their outcomes."""


@attrs.frozen(eq=False)
class StateGraph:
    """All reachable states, numbered from 0 in the order in which they were met."""

    indices: Ints
    """Index in the expansion of each state; shape (states,)."""
    successors: NDArray[np.int32]
    """Target of each outcome: a state number, `WON`, `DEAD` or `NO_STATE`; shape (states, slots of the space)."""
    kinds: NDArray[np.uint32]
    """Event kinds of these outcomes; shape (states, slots of the space)."""
    number_of: NDArray[np.int32]
    """State number by index; -1 for states that cannot be reached."""

    def numbers_of(self, indices: Ints) -> Ints:
        """Return state numbers by index; -1 for states that cannot be reached."""
        return look_up(self.number_of, indices)


def reach_all(
    expansion: Expansion, first: State, limits: SearchLimits, progress: Progress = lambda states: None
) -> StateGraph:
    """Find all reachable states.

    States whose outcomes are known without the kernel come first, whatever their depth, so that a search of too large a
    space gives up before most kernel calls.

    Args:
        expansion: computes the outcomes of actions.
        first: the start state.
        limits: limits of the search.
        progress: called with the number of states expanded so far.

    Raises:
        TooManyStates: a limit was reached.
    """
    return _Reaching(expansion, first, limits, progress).graph()


class _Reaching:
    """The states met so far, in growing arrays."""

    def __init__(self, expansion: Expansion, first: State, limits: SearchLimits, progress: Progress) -> None:
        slots = len(expansion.space.slots)
        self._expansion, self._limits, self._progress = expansion, limits, progress
        self._count = 0
        self._expanded = 0
        self._indices = np.zeros(64, dtype=np.int64)
        self._successors = np.zeros((64, slots), dtype=np.int32)
        self._kinds = np.zeros((64, slots), dtype=np.uint32)
        self._number_of = np.full(expansion.poses.count, UNMET, dtype=np.int32)
        self._pending: tuple[list[Ints], ...] = ([], [])
        """Numbers of states that need kernel calls: those with a single unknown action, then the others."""
        self._first = np.array([expansion.index(*expansion.space.first(first))])

    def graph(self) -> StateGraph:
        """Return the graph of all states."""
        self._walk(self._meet(self._first))
        while any(self._pending):
            asked = self._next_to_ask()
            targets, kinds = self._expansion.outcomes(self._indices[asked])
            met = self._meet(targets)
            self._note(asked, targets, kinds)
            self._walk(met)
        count = self._count
        return StateGraph(self._indices[:count], self._successors[:count], self._kinds[:count], self._number_of)

    def _walk(self, numbers: Ints) -> None:
        """Expand new states as far as their outcomes are known without the kernel."""
        while numbers.size:
            walkable = self._expansion.walkable(self._indices[numbers])
            numbers = np.concatenate([numbers, self._meet(walkable)])
            onward = []
            for start in range(0, len(numbers), BATCH):
                batch = numbers[start : start + BATCH]
                targets, kinds, known = self._expansion.known_outcomes(self._indices[batch])
                onward.append(self._meet(targets))
                unknown = known.shape[1] - known.sum(axis=1)
                whole = unknown == 0
                self._note(batch[whole], targets[whole], kinds[whole])
                for pending, chosen in zip(self._pending, (unknown == 1, unknown > 1), strict=True):
                    if chosen.any():
                        pending.append(batch[chosen])
            numbers = np.concatenate(onward)

    def _next_to_ask(self) -> Ints:
        """Return the pending states to expand next: those with one unknown action first, most recently met first."""
        room = max(ASKED_TOGETHER, self._count // 512)
        taken = []
        for pending in self._pending:
            while pending and room:
                last = pending.pop()
                if len(last) > room:
                    pending.append(last[:-room])
                taken.append(last[-room:])
                room -= len(taken[-1])
        return np.concatenate(taken)

    def _meet(self, targets: Ints) -> Ints:
        """Number the states met for the first time; return the new numbers."""
        self._hold_all()
        reached: Ints = targets[targets >= 0]
        reached = reached[self._number_of[reached] == UNMET]
        if not reached.size:
            return reached
        order = np.arange(self._count, self._count + len(reached), dtype=np.int32)
        self._number_of[reached[::-1]] = order[::-1]  # the first way to a state is written last
        new: Ints = reached[self._number_of[reached] == order]
        first, self._count = self._count, self._count + len(new)
        if self._count > self._limits.states:
            raise TooManyStates.of_states(self._limits)
        while self._count > len(self._indices):
            self._indices = doubled(self._indices)
            self._successors, self._kinds = doubled(self._successors), doubled(self._kinds)
        self._indices[first : self._count] = new
        numbers = np.arange(first, self._count)
        self._number_of[new] = numbers
        return numbers

    def _note(self, numbers: Ints, targets: Ints, kinds: NDArray[np.uint32]) -> None:
        """Record the outcomes of all actions in states whose targets have all been met."""
        self._successors[numbers] = np.where(targets >= 0, self._number_of[np.maximum(targets, 0)], targets)
        self._kinds[numbers] = kinds
        self._expanded += len(numbers)
        self._progress(self._expanded)

    def _hold_all(self) -> None:
        """Grow the number table to cover all known configurations."""
        if self._expansion.capacity > len(self._number_of):
            states = self._indices.nbytes + self._successors.nbytes + self._kinds.nbytes
            self._number_of = enlarged(self._number_of, self._expansion, states, self._limits)


def success_distances(successors: NDArray[np.int32]) -> Ints:
    """Return the fewest actions to success from every state of a graph.

    Args:
        successors: targets of each state, shape (states, actions): states, or `WON` and other ends.

    Returns:
        Shape (states,); `HOPELESS` where success cannot be reached.
    """
    winning = np.flatnonzero((successors == WON).any(axis=1))
    return distances_to(successors, winning, 1)


def distances_to(successors: NDArray[np.int32], sources: Ints, at: int = 0) -> Ints:
    """Find the fewest steps from every state of a graph to the nearest source state, by breadth-first search backwards.

    Args:
        successors: targets of each state, shape (states, actions); negative where the target is not a state.
        sources: numbers of the source states.
        at: the distance assigned to the source states.

    Returns:
        Shape (states,); `HOPELESS` where no source state can be reached.
    """
    states, actions = successors.shape
    flat = successors.ravel()
    edges = np.flatnonzero((flat >= 0) & (flat != np.repeat(np.arange(states), actions)))
    edges = edges[np.argsort(flat[edges], kind="stable")]
    starts = np.searchsorted(flat[edges], np.arange(states + 1))
    before = edges // actions
    distances = np.full(states, HOPELESS, dtype=np.int64)
    distances[sources] = at
    last = np.empty(states, dtype=np.int64)
    frontier = sources
    while frontier.size:
        at += 1
        nearest = before[_ranges(starts[frontier], starts[frontier + 1])]
        nearest = nearest[distances[nearest] == HOPELESS]
        distances[nearest] = at
        numbers = np.arange(nearest.size)
        last[nearest] = numbers
        frontier = nearest[last[nearest] == numbers]  # each once; far quicker than sorting
    return distances


def _ranges(starts: Ints, stops: Ints) -> Ints:
    """Return the concatenated integers of several half-open ranges."""
    lengths = stops - starts
    ends = np.cumsum(lengths)
    places: Ints = np.arange(int(lengths.sum())) - np.repeat(ends - lengths - starts, lengths)
    return places
