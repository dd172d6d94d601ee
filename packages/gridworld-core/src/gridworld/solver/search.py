"""Breadth-first search over kernel states: the fewest actions that win a task.

It knows no mechanism and no goal; it only calls `transition`, so every plan it finds can be played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from enum import Enum

import attrs

from gridworld.actions import Action
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = [
    "DEFAULT_MAX_STATES",
    "SEARCH_ORDER",
    "Solution",
    "Verdict",
    "is_untouched",
    "only_after",
    "replay",
    "searchable",
    "solve",
    "without",
]

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
    depth: int
    """How many actions every plan takes at least; a search that gives up has ruled out all shorter ones."""

    @property
    def length(self) -> int | None:
        """The number of actions of the plan."""
        return None if self.plan is None else len(self.plan)


Frontier = deque[tuple[State, int]]

Watch = Callable[[State, int], int | None]
"""``(following state, memory) -> memory``: follows a search along each path, from a memory of 0; None forbids the step.

Two paths to one state are told apart by their memories.
"""


def solve(
    world: World,
    max_states: int = DEFAULT_MAX_STATES,
    start: State | None = None,
    until: Callable[[State], bool] | None = None,
    watch: Watch = lambda state, memory: 0,
    max_length: int = UNLIMITED,
) -> Solution:
    """Find a shortest plan from `start` (by default the start of the task).

    The step budget is no limit to the search, except for goals that depend on it (`GoalType.timed`): compare
    `Solution.length` with ``world.max_steps`` to know whether the budget suffices.

    Args:
        world: the compiled task.
        max_states: give up after meeting this many states; at least 1.
        start: the state to begin with.
        until: look for a running state with this property instead of for success.
        watch: forbids steps, depending on what has been before.
        max_length: give up on plans of more actions than this.

    Returns:
        ``UNSOLVABLE`` only when every reachable state has been looked at.
    """
    arena, key_of = searchable(world)
    first = arena.start if start is None else start
    parents: dict[Hashable, tuple[Hashable, Action] | None] = {(key_of(first), 0): None}
    frontier = deque([(first, 0)] if not arena.is_over(first) else [])
    take = _next_of(frontier, world)
    while frontier:
        state, memory = take()
        depth = state.steps - first.steps
        if depth >= max_length and not world.goal_type.only_at_last_step:
            return Solution(Verdict.GAVE_UP, None, len(parents), depth + 1)
        key = (key_of(state), memory)
        for action in SEARCH_ORDER:
            following, _ = transition(arena, state, action)
            remembered = watch(following, memory)
            if remembered is None:
                continue
            if _is_found(following, until):
                plan = _trace(parents, key, action)
                return Solution(Verdict.SOLVED, plan, len(parents), len(plan))
            following_key = (key_of(following), remembered)
            if following_key in parents or arena.is_over(following):
                continue
            if len(parents) >= max_states:
                return Solution(Verdict.GAVE_UP, None, len(parents), depth + 1)
            parents[following_key] = (key, action)
            frontier.append((following, remembered))
    return Solution(Verdict.UNSOLVABLE, None, len(parents), UNLIMITED)


def without(world: World, entity: int) -> Watch:
    """Forbids every step that changes an entity's value or place from what it is at the start of the task."""
    return lambda state, memory: 0 if is_untouched(world, entity, state) else None


def only_after(world: World, first: int, then: int) -> Watch:
    """Lets `then` be changed, and success come, only after `first` has been changed."""

    def watch(state: State, memory: int) -> int | None:
        if memory:
            return 1
        if not is_untouched(world, then, state) or state.status == Status.SUCCEEDED:
            return None
        return 0 if is_untouched(world, first, state) else 1

    return watch


def is_untouched(world: World, entity: int, state: State) -> bool:
    """Whether an entity has the value and place that it has at the start of the task."""
    start, places = world.start, slice(entity, entity + 1)
    return state.values[entity] == start.values[entity] and state.places[places] == start.places[places]


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


def _timeless_key(state: State) -> Hashable:
    return state.key


def _whole_state(state: State) -> Hashable:
    return state


def _trace(parents: dict[Hashable, tuple[Hashable, Action] | None], key: Hashable, last: Action) -> tuple[Action, ...]:
    plan = [last]
    while (link := parents[key]) is not None:
        key, action = link
        plan.append(action)
    return tuple(reversed(plan))
