"""Breadth-first search over kernel states: the fewest actions that win a task.

It knows no mechanism and no goal; it only calls `transition`, so every plan it finds can be played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable
from enum import Enum

import attrs

from gridworld.actions import Action
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["DEFAULT_MAX_STATES", "SEARCH_ORDER", "Solution", "Verdict", "replay", "searchable", "solve", "untouched"]

DEFAULT_MAX_STATES = 1_000_000
UNLIMITED = 2**62


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

    @property
    def length(self) -> int | None:
        """The number of actions of the plan."""
        return None if self.plan is None else len(self.plan)


def solve(
    world: World,
    max_states: int = DEFAULT_MAX_STATES,
    start: State | None = None,
    avoid: Collection[int] = (),
    until: Callable[[State], bool] | None = None,
) -> Solution:
    """Find a shortest plan from `start` (by default the start of the task).

    The step budget is no limit to the search, except for goals that depend on it (`GoalType.timed`): compare
    `Solution.length` with ``world.max_steps`` to know whether the budget suffices.

    Args:
        world: the compiled task.
        max_states: give up after meeting this many states; at least 1.
        start: the state to begin with.
        avoid: indices of entities that have to stay as they are in `start`.
        until: look for a running state with this property instead of for success.

    Returns:
        ``UNSOLVABLE`` only when every reachable state has been looked at.
    """
    arena, key_of = searchable(world)
    first = arena.start if start is None else start
    parents: dict[Hashable, tuple[Hashable, Action] | None] = {key_of(first): None}
    frontier = deque([first])
    order = WAITING_FIRST if world.goal_type.timed else SEARCH_ORDER
    while frontier:
        state = frontier.popleft()
        if arena.is_over(state):
            continue
        key = key_of(state)
        for action in order:
            following, _ = transition(arena, state, action)
            following_key = key_of(following)
            if following_key in parents or not untouched(avoid, first, following):
                continue
            if _is_found(following, until):
                return Solution(Verdict.SOLVED, _trace(parents, key, action), len(parents))
            if following.status != Status.RUNNING:
                continue
            if len(parents) >= max_states:
                return Solution(Verdict.GAVE_UP, None, len(parents))
            parents[following_key] = (key, action)
            frontier.append(following)
    return Solution(Verdict.UNSOLVABLE, None, len(parents))


def searchable(world: World) -> tuple[World, Callable[[State], Hashable]]:
    """The world to search in, without a step budget unless the goal depends on it, and what tells its states apart."""
    if world.goal_type.timed:
        return world, _whole_state
    return attrs.evolve(world, max_steps=UNLIMITED), _timeless_key


def untouched(entities: Collection[int], before: State, after: State) -> bool:
    """Whether none of the entities has changed its value or place."""
    return all(
        before.values[index] == after.values[index]
        and before.places[index : index + 1] == after.places[index : index + 1]
        for index in entities
    )


def _is_found(state: State, until: Callable[[State], bool] | None) -> bool:
    if until is None:
        return state.status == Status.SUCCEEDED
    return state.status == Status.RUNNING and until(state)


def replay(world: World, plan: Iterable[Action]) -> list[State]:
    """The states that a plan leads through, the start first; played without a step budget unless the goal has one."""
    arena, _ = searchable(world)
    states = [arena.start]
    for action in plan:
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

WAITING_FIRST = (Action.DONE, *SEARCH_ORDER[:-1])
"""The order for goals that depend on time, for which waiting is the natural thing to do."""


def _timeless_key(state: State) -> Hashable:
    return state[:5]


def _whole_state(state: State) -> Hashable:
    return state


def _trace(parents: dict[Hashable, tuple[Hashable, Action] | None], key: Hashable, last: Action) -> tuple[Action, ...]:
    plan = [last]
    while (link := parents[key]) is not None:
        key, action = link
        plan.append(action)
    return tuple(reversed(plan))
