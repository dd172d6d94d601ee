"""Plans for goals that can only be reached at the last step of the budget: every plan is as long as the budget.

Depth-first search quickly finds a natural one that begins with waiting, the last of `SEARCH_ORDER`. When the path
returns to a state, the cycle is repeated, so that most of even a large budget is spent in repetitions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from gridworld.actions import Action
from gridworld.solver.spaces import Configuration, StateSpace
from gridworld.world.state import State, Status

AFTER_ROUNDS = 1000
"""Minimum number of steps kept after repeated cycles, so that states off the cycle can still be reached."""

Key = tuple[Configuration, int, int]
"""Identity of a state among the states with the same step count."""


class _Node(NamedTuple):
    """A node of the depth-first search."""

    state: State
    kept: Hashable
    depth: int
    """Number of preceding nodes on the path."""
    actions: tuple[Action, ...]
    """Actions from the preceding node; none for the first. The cycles follow them."""
    round_trip: tuple[Action, ...] = ()
    """Actions of the cycle from the state back to itself."""
    rounds: int = 0
    """Number of repetitions of the cycle."""


def plan_to_the_last_step(
    space: StateSpace, start: State, max_states: int
) -> tuple[tuple[Action, ...] | None, int, bool]:
    """Search depth-first for a plan that lasts until the last step.

    Args:
        space: a space whose states end with the budget and do not include the step count.
        start: the start state.
        max_states: maximum number of states to visit; each step count is counted separately.

    Returns:
        The plan, or None; the number of states met; whether the search is complete.
    """
    path = _Path(space)
    first, kept = space.first(start)
    met = {(path.key(first, kept), first.steps)}
    waiting = [] if space.world.is_over(first) else [_Node(first, kept, 0, ())]
    while waiting:
        path.go_to(waiting.pop())
        following = []
        for action, now, kept in path.steps():
            if now.status == Status.SUCCEEDED:
                return (*path.plan(), action), len(met), True
            if now.status:
                continue
            key = path.key(now, kept)
            for node in path.onward(key, now, kept, action):
                if (key, node.state.steps) not in met:
                    if len(met) >= max_states:
                        return None, len(met), False
                    met.add((key, node.state.steps))
                    following.append(node)
        waiting.extend(reversed(following))
    return None, len(met), True


class _Path:
    """The path from the first node to the current one.

    Args:
        space: the space.
    """

    def __init__(self, space: StateSpace) -> None:
        self._space = space
        self._nodes: list[_Node] = []
        self._keys: list[Key] = []
        self._depth_of: dict[Key, int] = {}
        """Depth at which each state first occurs on the path."""

    def key(self, state: State, kept: Hashable) -> Key:
        """Return the identity of a state among the states with the same step count."""
        return self._space.configuration(state, kept), state.cell, state.heading

    def go_to(self, node: _Node) -> None:
        """Move to another node, whose path extends a prefix of the current one."""
        while len(self._nodes) > node.depth:
            self._nodes.pop()
            key = self._keys.pop()
            if self._depth_of[key] == len(self._nodes):
                del self._depth_of[key]
        self._nodes.append(node)
        self._keys.append(self.key(node.state, node.kept))
        self._depth_of.setdefault(self._keys[-1], node.depth)

    def steps(self) -> Iterator[tuple[Action, State, Hashable]]:
        """Yield the outcomes of the actions at the current node, waiting first."""
        node = self._nodes[-1]
        for action in reversed(self._space.slots):
            for now, kept, _ in self._space.steps(node.state, node.kept, action):
                yield action, now, kept

    def onward(self, key: Key, state: State, kept: Hashable, action: Action) -> Iterator[_Node]:
        """Yield the node of a successor; if it is already on the path, first repeat the cycle as often as possible."""
        node = _Node(state, kept, len(self._nodes), (action,))
        begun = self._depth_of.get(key)
        if begun is not None:
            length = state.steps - self._nodes[begun].state.steps
            rounds = (self._space.world.max_steps - AFTER_ROUNDS - state.steps) // length
            if rounds > 0:
                later = state._replace(steps=state.steps + rounds * length)
                round_trip = (*_actions(self._nodes[begun + 1 :]), action)
                yield node._replace(state=later, round_trip=round_trip, rounds=rounds)
        yield node

    def plan(self) -> tuple[Action, ...]:
        """Return all actions along the path."""
        return tuple(_actions(self._nodes))


def _actions(nodes: Iterable[_Node]) -> Iterator[Action]:
    for node in nodes:
        yield from node.actions
        yield from node.round_trip * node.rounds
