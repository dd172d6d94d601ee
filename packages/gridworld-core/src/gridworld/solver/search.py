"""Breadth-first search over kernel states: the fewest actions that win a task.

It knows no mechanism and no goal; it only calls `transition`, so every plan it finds can be played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from enum import Enum
from typing import Any

import attrs

from gridworld.actions import Action
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["DEFAULT_MAX_STATES", "Solution", "Verdict", "solve"]

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


def solve(world: World, max_states: int = DEFAULT_MAX_STATES, start: State | None = None) -> Solution:
    """Find a shortest plan from `start` (by default the start of the task).

    The step budget is no limit to the search, except for goals that depend on it (`GoalType.timed`): compare
    `Solution.length` with ``world.max_steps`` to know whether the budget suffices.

    Args:
        world: the compiled task.
        max_states: give up after meeting this many states; at least 1.
        start: the state to begin with.

    Returns:
        ``UNSOLVABLE`` only when every reachable state has been looked at.
    """
    timed = world.goal_type.timed
    arena = world if timed else attrs.evolve(world, max_steps=UNLIMITED)
    key_of = _timed_key if timed else _key
    first = arena.start if start is None else start
    parents: dict[Hashable, tuple[Hashable, Action] | None] = {key_of(first): None}
    frontier = deque([first])
    while frontier:
        state = frontier.popleft()
        key = key_of(state)
        if arena.is_over(state):
            continue
        for action in SEARCH_ORDER:
            following, _ = transition(arena, state, action)
            if following.status == Status.SUCCEEDED:
                return Solution(Verdict.SOLVED, _trace(parents, key, action), len(parents))
            following_key = key_of(following)
            if following.status == Status.DIED or following_key in parents:
                continue
            if len(parents) >= max_states:
                return Solution(Verdict.GAVE_UP, None, len(parents))
            parents[following_key] = (key, action)
            frontier.append(following)
    return Solution(Verdict.UNSOLVABLE, None, len(parents))


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

_key: Callable[[State], Any] = State.key.fget  # type: ignore[attr-defined]


def _timed_key(state: State) -> Hashable:
    return state


def _trace(parents: dict[Hashable, tuple[Hashable, Action] | None], key: Hashable, last: Action) -> tuple[Action, ...]:
    plan = [last]
    while (link := parents[key]) is not None:
        key, action = link
        plan.append(action)
    return tuple(reversed(plan))
