"""Necessity: what every shortest plan has to touch, and in which order.

The question is asked about many things of a task. The states on its shortest plans are few, so that one graph of them,
`ShortestPlans`, answers all of these questions.
"""

from __future__ import annotations

from collections.abc import Hashable

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.expansion import WON
from gridworld.solver.exploration import Exploration
from gridworld.solver.spaces import TouchPredicate
from gridworld.world.state import State, Status
from gridworld.world.world import World

Node = tuple[int, Hashable]
"""The number of a state, and the memory of a constraint there."""


@attrs.frozen
class NecessityResult:
    """Result of looking for a plan that leaves a thing alone."""

    length: int | None
    """The number of actions of a plan that is no longer than a shortest one; None if none was found."""
    decided: bool
    """Whether that is certain: False if none was found in as many states as were allowed."""

    @property
    def is_necessary(self) -> bool:
        """Whether every plan as short as a shortest one touches the thing."""
        return self.length is None and self.decided


def is_untouched(world: World, entity: int, state: State) -> bool:
    """Whether an entity has the value and place that it has at the start of the task."""
    start, places = world.start, slice(entity, entity + 1)
    return state.values[entity] == start.values[entity] and state.places[places] == start.places[places]


def without(world: World, entity: int) -> TouchPredicate:
    """Forbids every step that changes an entity's value or place from what it is at the start of the task."""
    return TouchPredicate(lambda state, memory: 0 if is_untouched(world, entity, state) else None)


def only_after(world: World, first: int, then: int) -> TouchPredicate:
    """Lets `then` be changed, and success come, only after `first` has been changed."""

    def constraint(state: State, memory: Hashable) -> Hashable:
        if memory:
            return 1
        if not is_untouched(world, then, state) or state.status == Status.SUCCEEDED:
            return None
        return 0 if is_untouched(world, first, state) else 1

    return TouchPredicate(constraint)


class ShortestPlans:
    """All shortest plans at once, as the graph of the states that they lead through.

    Args:
        exploration: a search that has found a shortest plan; it is continued until all states on such plans are met.
        length: the length of the plan.

    Raises:
        TooManyStates: there are more states than the exploration may meet.
    """

    def __init__(self, exploration: Exploration, length: int) -> None:
        exploration.complete(length)
        self._exploration = exploration
        self._onward: dict[int, list[tuple[int, int]]] = {}
        """Number of a state to the slots with which a shortest plan goes on, and what follows: a state or `WON`."""
        on_plan = np.zeros(exploration.states, dtype=bool)
        for numbers in reversed(exploration.layers(length)):
            self._find_onward(numbers, on_plan)

    def _find_onward(self, numbers: NDArray[np.int64], on_plan: NDArray[np.bool_]) -> None:
        """Find the states of one layer that are on shortest plans; those of the next one are known."""
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
        """The first of these plans all of whose steps a constraint allows; None if there is none."""
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
    """Decisions of a touch-only constraint, which are the same in all states of a configuration."""

    def __init__(self, exploration: Exploration, constraint: TouchPredicate) -> None:
        self._exploration, self._constraint = exploration, constraint
        self._decided: dict[tuple[int, Hashable], Hashable] = {}

    def memory_at(self, number: int, memory: Hashable) -> Hashable:
        """The memory in a state after another memory before it; None if the state is forbidden."""
        exploration = self._exploration
        index = int(exploration.indices[number])
        asked = (index // exploration.expansion.poses.count, memory)
        if asked not in self._decided:
            state, _ = exploration.expansion.state(index)
            self._decided[asked] = self._constraint(state, memory)
        return self._decided[asked]

    def may_win(self, node: Node, action: Action) -> bool:
        """Whether the constraint allows a step that wins."""
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
