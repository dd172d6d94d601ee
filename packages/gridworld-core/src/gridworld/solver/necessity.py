"""Necessity: which entities every shortest plan must touch, and in which order.

A task raises many such questions but has few states on shortest plans, so one graph of them, `ShortestPlans`, answers
all.
"""

from __future__ import annotations

from collections.abc import Hashable

import attrs
import numpy as np

from gridworld.actions import Action
from gridworld.solver.expansion import WON
from gridworld.solver.exploration import Exploration
from gridworld.solver.spaces import Bools, Ints, TouchPredicate
from gridworld.world.state import State, Status
from gridworld.world.world import World

Node = tuple[int, Hashable]
"""Number of a state, and the constraint's memory there."""


@attrs.frozen
class NecessityResult:
    """Result of a search for a shortest plan that leaves an entity untouched."""

    length: int | None
    """Length of such a plan, no longer than a shortest one; None if none was found."""
    decided: bool
    """Whether the result is certain; False if the search reached its limit."""

    @property
    def is_necessary(self) -> bool:
        """Whether every shortest plan touches the entity."""
        return self.length is None and self.decided


def is_untouched(world: World, entity: int, state: State) -> bool:
    """Whether an entity still has its initial value and position."""
    start, places = world.start, slice(entity, entity + 1)
    return state.values[entity] == start.values[entity] and state.places[places] == start.places[places]


def without(world: World, entity: int) -> TouchPredicate:
    """Return a constraint that forbids every step that touches an entity."""
    return TouchPredicate(lambda state, memory: 0 if is_untouched(world, entity, state) else None)


def only_after(world: World, first: int, then: int) -> TouchPredicate:
    """Return a constraint that forbids touching `then`, and success, before `first` has been touched."""

    def constraint(state: State, memory: Hashable) -> Hashable:
        if memory:
            return 1
        if not is_untouched(world, then, state) or state.status == Status.SUCCEEDED:
            return None
        return 0 if is_untouched(world, first, state) else 1

    return TouchPredicate(constraint)


class ShortestPlans:
    """The graph of all states on shortest plans.

    Args:
        exploration: a search that has found a shortest plan; it continues until all states on such plans are met.
        length: the length of the plan.

    Raises:
        TooManyStates: the search reached one of its limits.
    """

    def __init__(self, exploration: Exploration, length: int) -> None:
        exploration.complete(length)
        self._exploration = exploration
        self._onward: dict[int, list[tuple[int, int]]] = {}
        """For each state, the slots that continue a shortest plan, each with its target: a state or `WON`."""
        on_plan = np.zeros(exploration.states, dtype=bool)
        for numbers in reversed(exploration.layers(length)):
            self._find_onward(numbers, on_plan)

    def _find_onward(self, numbers: Ints, on_plan: Bools) -> None:
        """Find the states of one layer that are on shortest plans, given those of the next layer."""
        exploration = self._exploration
        targets, _ = exploration.expansion.outcomes(exploration.indices[numbers])
        following = np.where(targets >= 0, exploration.numbers_of(targets), targets)
        onward = (targets == WON) | ((following >= 0) & on_plan[np.maximum(following, 0)])
        rows, slots = np.nonzero(onward)
        on_plan[numbers[rows]] = True
        steps = zip(numbers[rows].tolist(), slots.tolist(), following[rows, slots].tolist(), strict=True)
        for number, slot, target in steps:
            self._onward.setdefault(number, []).append((slot, target))

    def under(self, constraint: TouchPredicate) -> tuple[Action, ...] | None:
        """Return the first shortest plan that satisfies a constraint; None if there is none."""
        slots, constrained = self._exploration.expansion.space.slots, _Constrained(self._exploration, constraint)
        start: Node = (0, 0)
        entered: dict[Node, tuple[Node, int]] = {}
        layer = [start]
        while layer:
            following: dict[Node, tuple[Node, int]] = {}
            for node in layer:
                for slot, target in self._onward[node[0]]:
                    if target == WON:
                        if constrained.may_win(node, slots[slot]):
                            return (*_plan_to(node, entered, slots), slots[slot])
                    elif (memory := constrained.memory_at(target, node[1])) is not None:
                        following.setdefault((target, memory), (node, slot))
            entered.update(following)
            layer = list(following)
        return None


class _Constrained:
    """Cached decisions of a touch-only constraint, which depend only on the configuration."""

    def __init__(self, exploration: Exploration, constraint: TouchPredicate) -> None:
        self._exploration, self._constraint = exploration, constraint
        self._decided: dict[tuple[int, Hashable], Hashable] = {}

    def memory_at(self, number: int, memory: Hashable) -> Hashable:
        """Return the constraint's memory in a state, given the memory before it; None if the step is forbidden."""
        exploration = self._exploration
        index = int(exploration.indices[number])
        asked = (index // exploration.expansion.poses.count, memory)
        if asked not in self._decided:
            state, _ = exploration.expansion.state(index)
            self._decided[asked] = self._constraint(state, memory)
        return self._decided[asked]

    def may_win(self, node: Node, action: Action) -> bool:
        """Whether the constraint allows a winning step."""
        number, memory = node
        expansion = self._exploration.expansion
        state, kept = expansion.state(int(self._exploration.indices[number]))
        ends = [now for now, _, _ in expansion.space.steps(state, kept, action) if now.status == Status.SUCCEEDED]
        return any(self._constraint(end, memory) is not None for end in ends)


def _plan_to(node: Node, entered: dict[Node, tuple[Node, int]], slots: tuple[Action, ...]) -> tuple[Action, ...]:
    plan = []
    while node in entered:
        node, slot = entered[node]
        plan.append(slots[slot])
    return tuple(reversed(plan))
