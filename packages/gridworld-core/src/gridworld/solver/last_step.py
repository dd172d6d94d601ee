"""Plans for goals that can only be reached at the last step of the budget: every plan is as long as the budget.

Depth first finds one at once, and a natural one: it goes on from what waiting, the last of `SEARCH_ORDER`, leads to.
"""

from __future__ import annotations

from collections.abc import Hashable

from gridworld.actions import Action
from gridworld.solver.spaces import StateSpace
from gridworld.world.state import State, Status

__all__ = ["plan_to_the_last_step"]

Key = tuple[Hashable, int, int]


def plan_to_the_last_step(
    space: StateSpace, start: State, max_states: int
) -> tuple[tuple[Action, ...] | None, int, bool]:
    """Look for a plan.

    Args:
        space: a space that tells states apart by time.
        start: the state to begin with.
        max_states: give up after meeting this many states.

    Returns:
        The plan, if one was found; how many states were met; whether these were all.
    """
    state, kept = space.first(start)
    ways: dict[Key, tuple[Key, Action] | None] = {_key(space, state, kept): None}
    waiting = [] if space.arena.is_over(state) else [(state, kept)]
    while waiting:
        state, kept = waiting.pop()
        key = _key(space, state, kept)
        for action in space.slots:
            for now, following, _ in space.steps(state, kept, action):
                if now.status == Status.SUCCEEDED:
                    return _plan(ways, key, action), len(ways), True
                reached = _key(space, now, following)
                if now.status or reached in ways:
                    continue
                if len(ways) >= max_states:
                    return None, len(ways), False
                ways[reached] = (key, action)
                waiting.append((now, following))
    return None, len(ways), True


def _key(space: StateSpace, state: State, kept: Hashable) -> Key:
    return space.configuration(state, kept), state.cell, state.heading


def _plan(ways: dict[Key, tuple[Key, Action] | None], key: Key, last: Action) -> tuple[Action, ...]:
    plan = [last]
    while (way := ways[key]) is not None:
        key, action = way
        plan.append(action)
    return tuple(reversed(plan))
