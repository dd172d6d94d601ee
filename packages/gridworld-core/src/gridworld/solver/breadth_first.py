"""Breadth-first search over kernel states.

It knows no mechanism and no goal; it only asks what each action leads to, so every plan it finds can be played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum

import attrs

from gridworld.actions import Action
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = [
    "SEARCH_ORDER",
    "UNLIMITED",
    "Parents",
    "Solution",
    "Successors",
    "Verdict",
    "all_steps",
    "breadth_first",
    "play",
    "searchable",
    "trace",
]

UNLIMITED = 2**62
"""More states than any search will see."""


class Verdict(Enum):
    """What a search has found out."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    GAVE_UP = "gave up"


@attrs.frozen
class Solution:
    """The result of a search."""

    verdict: Verdict
    plan: tuple[Action, ...] | None
    """A shortest sequence of actions that wins; None unless solved."""
    states_seen: int
    """The number of different states that the search has met."""
    depth: int
    """How many actions every plan takes at least; a search that gives up has ruled out all shorter ones."""

    @property
    def length(self) -> int | None:
        """The number of actions of the plan."""
        return None if self.plan is None else len(self.plan)


Frontier = deque[tuple[State, int]]

Successor = tuple[Action, State, int]
"""An action, what it leads to, and the memory from then on."""

Successors = Callable[[Action, State, int], Iterable[Successor]]
"""``(action, state, memory)`` to all that the action can lead to."""

Parents = dict[Hashable, tuple[Hashable, Action] | None]
"""What tells a state apart to that of the state before it, with the action between; None for the first."""


def breadth_first(
    world: World,
    first: State,
    steps: Successors,
    until: Callable[[State], bool] | None,
    max_states: int,
    max_length: int,
) -> Solution:
    """Find a shortest plan.

    Args:
        world: the compiled task.
        first: the state to begin with.
        steps: what each action leads to.
        until: look for a running state with this property instead of for success.
        max_states: give up after meeting this many states.
        max_length: give up on plans of more actions than this.
    """
    arena, key_of = searchable(world)
    parents: Parents = {(key_of(first), 0): None}
    frontier = deque([(first, 0)] if not arena.is_over(first) else [])
    take = _next_of(frontier, world)
    while frontier:
        state, memory = take()
        depth = state.steps - first.steps
        if depth >= max_length and not world.goal_type.only_at_last_step:
            return Solution(Verdict.GAVE_UP, None, len(parents), depth + 1)
        key = (key_of(state), memory)
        for action, following, remembered in all_steps(steps, state, memory):
            if _is_found(following, until):
                plan = trace(parents, key, action)
                return Solution(Verdict.SOLVED, plan, len(parents), len(plan))
            following_key = (key_of(following), remembered)
            if following_key in parents or arena.is_over(following):
                continue
            if len(parents) >= max_states:
                return Solution(Verdict.GAVE_UP, None, len(parents), depth + 1)
            parents[following_key] = (key, action)
            frontier.append((following, remembered))
    return Solution(Verdict.UNSOLVABLE, None, len(parents), UNLIMITED)


def all_steps(steps: Successors, state: State, memory: int) -> Iterator[Successor]:
    """What all actions lead to, in `SEARCH_ORDER`."""
    return (step for action in SEARCH_ORDER for step in steps(action, state, memory))


def searchable(world: World) -> tuple[World, Callable[[State], Hashable]]:
    """The world to search in, without a step budget unless the goal depends on it, and what tells its states apart."""
    if world.goal_type.timed:
        return world, _whole_state
    return attrs.evolve(world, max_steps=UNLIMITED), _timeless_key


def _next_of(frontier: Frontier, world: World) -> Callable[[], tuple[State, int]]:
    """How to choose the state to look at next.

    Breadth first finds shortest plans. Where all plans are of one length, depth first finds one at once, and a natural
    one: it goes on from what the last action of `SEARCH_ORDER`, waiting, has led to.
    """
    return frontier.pop if world.goal_type.only_at_last_step else frontier.popleft


def _is_found(state: State, until: Callable[[State], bool] | None) -> bool:
    if until is None:
        return state.status == Status.SUCCEEDED
    return state.status == Status.RUNNING and until(state)


def play(arena: World, first: State, plan: Iterable[Action]) -> list[State]:
    """The states that a plan leads through, the first one too, up to the end of the episode."""
    states = [first]
    for action in plan:
        if arena.is_over(states[-1]):
            break
        states.append(transition(arena, states[-1], action)[0])
    return states


SEARCH_ORDER = (
    Action.MOVE_FORWARD,
    Action.TURN_LEFT,
    Action.TURN_RIGHT,
    Action.TOGGLE,
    Action.PICKUP,
    Action.DROP,
    Action.DONE,
)
"""Among plans of equal length the first in this order is found, so that plans read naturally."""


def _timeless_key(state: State) -> Hashable:
    return state.key


def _whole_state(state: State) -> Hashable:
    return state


def trace(parents: Parents, key: Hashable, last: Action) -> tuple[Action, ...]:
    """The actions that led to the state with a key, and one more."""
    plan = [last]
    while (link := parents[key]) is not None:
        key, action = link
        plan.append(action)
    return tuple(reversed(plan))
