"""The whole state space of a task: which states can still be won, and how soon a task can be lost.

Dying loses a task too, but it is not a dead end in this module's sense: a dead end is a living state from which no
sequence of actions wins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable

import attrs

from gridworld.actions import Action
from gridworld.solver.search import SEARCH_ORDER, searchable
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["DEAD", "WON", "StateGraph", "explore"]

WON = -1
"""Stands for the end of an episode by success, among successors."""
DEAD = -2
"""Stands for the end of an episode by death, among successors."""


@attrs.frozen(eq=False)
class StateGraph:
    """All reachable living states, numbered in breadth-first order from 0, the start."""

    states: list[State]
    parents: list[tuple[int, Action] | None]
    """State to the state and action through which it was first reached; None for the start."""
    successors: list[tuple[int, ...]]
    """State to what the actions of `SEARCH_ORDER` lead to: a state, `WON` or `DEAD`."""
    index: dict[Hashable, int]
    winnable: list[bool]
    """State to whether it can still be won."""

    def dead_ends(self) -> list[int]:
        """The states from which the task can no longer be won, nearest to the start first."""
        return [state for state, winnable in enumerate(self.winnable) if not winnable]

    def can_lose_by(self, property_of: Callable[[State], bool]) -> bool:
        """Whether a single action from a winnable state without a property leads to a dead end that has it."""
        having = [property_of(state) for state in self.states]
        return any(
            self.winnable[state] and not having[state] and having[following] and not self.winnable[following]
            for state, successors in enumerate(self.successors)
            for following in successors
            if following >= 0
        )

    def path_to(self, target: int) -> tuple[Action, ...]:
        """A shortest sequence of actions from the start to a state."""
        path: list[Action] = []
        while (link := self.parents[target]) is not None:
            target, action = link
            path.append(action)
        return tuple(reversed(path))

    def steps_to_loss(self, sources: Iterable[int]) -> int | None:
        """The fewest actions that lead from one of the states to a dead end or to death; None if none do."""
        distance = dict.fromkeys(sources, 0)
        frontier = deque(distance)
        nearest: int | None = None
        while frontier:
            state = frontier.popleft()
            steps = distance[state]
            if nearest is not None and steps >= nearest:
                break
            if not self.winnable[state]:
                return steps
            for following in self.successors[state]:
                if following == DEAD:
                    nearest = steps + 1 if nearest is None else nearest
                elif following != WON and following not in distance:
                    distance[following] = steps + 1
                    frontier.append(following)
        return nearest


def explore(world: World, max_states: int) -> StateGraph | None:
    """Look at every reachable state of a task; None if there are more than `max_states`."""
    arena, key_of = searchable(world)
    graph = StateGraph([arena.start], [None], [], {key_of(arena.start): 0}, [])
    for number, state in enumerate(graph.states):  # the list grows while it is walked through
        if len(graph.states) > max_states:
            return None
        graph.successors.append(_expand(arena, key_of, graph, number, state))
    graph.winnable.extend(_backwards_from_wins(graph.successors))
    return graph


def _expand(
    arena: World, key_of: Callable[[State], Hashable], graph: StateGraph, number: int, state: State
) -> tuple[int, ...]:
    if arena.is_over(state):
        return ()
    successors = []
    for action in SEARCH_ORDER:
        following, _ = transition(arena, state, action)
        if following.status != Status.RUNNING:
            successors.append(WON if following.status == Status.SUCCEEDED else DEAD)
            continue
        known = graph.index.setdefault(key_of(following), len(graph.states))
        if known == len(graph.states):
            graph.states.append(following)
            graph.parents.append((number, action))
        successors.append(known)
    return tuple(successors)


def _backwards_from_wins(successors: list[tuple[int, ...]]) -> list[bool]:
    predecessors: list[list[int]] = [[] for _ in successors]
    for state, following in enumerate(successors):
        for target in following:
            if target >= 0:
                predecessors[target].append(state)
    winnable = [WON in following for following in successors]
    frontier = [state for state, wins in enumerate(winnable) if wins]
    while frontier:
        for state in predecessors[frontier.pop()]:
            if not winnable[state]:
                winnable[state] = True
                frontier.append(state)
    return winnable
