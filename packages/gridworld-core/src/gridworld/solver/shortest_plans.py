"""`ShortestPlans`: all plans of the fewest actions at once, as the graph of the states that they lead through.

What every shortest plan has to touch, and in which order, is asked about many things of a task. The states on its
shortest plans are few, so that one search answers all of these questions.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from gridworld.actions import Action
from gridworld.solver.expansion import WON
from gridworld.solver.exploration import Exploration
from gridworld.solver.spaces import OfTouching
from gridworld.world.state import Status

__all__ = ["ShortestPlans"]

Node = tuple[int, Hashable]
"""The number of a state, and what a watch remembers there."""


class ShortestPlans:
    """The plans as short as one that an exploration has found.

    Args:
        exploration: it is carried on until all states on such plans have been met.
        length: of the plan.

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
        """Find those of the states of one layer that are on shortest plans; those of the next one are known."""
        exploration = self._exploration
        targets, _ = exploration.expansion.outcomes(exploration.indices[numbers])
        following = np.where(targets >= 0, exploration.numbers_of(targets), targets)
        onward = (targets == WON) | ((following >= 0) & on_plan[np.maximum(following, 0)])
        rows, slots = np.nonzero(onward)
        on_plan[numbers[rows]] = True
        ways = zip(numbers[rows].tolist(), slots.tolist(), following[rows, slots].tolist(), strict=True)
        for number, slot, target in ways:
            self._onward.setdefault(number, []).append((slot, target))

    def under(self, watch: OfTouching) -> tuple[Action, ...] | None:
        """The first of these plans all of whose steps a watch allows; None if there is none."""
        slots, watched = self._exploration.expansion.space.slots, _Watched(self._exploration, watch)
        start: Node = (0, 0)
        ways: dict[Node, tuple[Node, int]] = {}
        layer = [start]
        while layer:
            following: dict[Node, tuple[Node, int]] = {}
            for node in layer:
                for slot, target in self._onward[node[0]]:
                    if target == WON:
                        if watched.may_win(node, slots[slot]):
                            return (*_way_to(node, ways, slots), slots[slot])
                    elif (memory := watched.memory_at(target, node[1])) is not None:
                        following.setdefault((target, memory), (node, slot))
            ways.update(following)
            layer = list(following)
        return None


class _Watched:
    """What a watch says about the states that an exploration has met.

    It depends on what has been touched alone, and so is the same in all states of a configuration.
    """

    def __init__(self, exploration: Exploration, watch: OfTouching) -> None:
        self._exploration, self._watch = exploration, watch
        self._said: dict[tuple[int, Hashable], Hashable] = {}

    def memory_at(self, number: int, memory: Hashable) -> Hashable:
        """What it remembers in a state after what it has remembered before; None if the state is forbidden."""
        exploration = self._exploration
        index = int(exploration.indices[number])
        asked = (index // exploration.expansion.poses.count, memory)
        if asked not in self._said:
            state, _ = exploration.expansion.state(index)
            self._said[asked] = self._watch(state, memory)
        return self._said[asked]

    def may_win(self, node: Node, action: Action) -> bool:
        """Whether it allows a step that wins."""
        number, memory = node
        expansion = self._exploration.expansion
        state, kept = expansion.state(int(self._exploration.indices[number]))
        ends = [now for now, _, _ in expansion.space.steps(state, kept, action) if now.status == Status.SUCCEEDED]
        return any(self._watch(end, memory) is not None for end in ends)


def _way_to(node: Node, ways: dict[Node, tuple[Node, int]], slots: tuple[Action, ...]) -> tuple[Action, ...]:
    way = []
    while node in ways:
        node, slot = ways[node]
        way.append(slots[slot])
    return tuple(reversed(way))
