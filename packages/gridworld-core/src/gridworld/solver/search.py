"""The search for the fewest actions that win a task.

Every plan is made of kernel transitions, so that it can be played. Where things can be dropped, the smaller space of
`gridworld.solver.relaxation` is searched first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gridworld.actions import Action
from gridworld.solver.breadth_first import (
    SEARCH_ORDER,
    UNLIMITED,
    Solution,
    Successor,
    Successors,
    Verdict,
    breadth_first,
    play,
    searchable,
)
from gridworld.solver.guided_search import guided_search
from gridworld.solver.relaxation import Relaxation, forgettable_things
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = [
    "DEFAULT_MAX_STATES",
    "SEARCH_ORDER",
    "Solution",
    "Verdict",
    "Watch",
    "is_untouched",
    "only_after",
    "replay",
    "searchable",
    "solve",
    "without",
]

DEFAULT_MAX_STATES = 1_000_000
"""The default number of states after which a search gives up."""

Watch = Callable[[State, int], int | None]
"""``(following state, memory) -> memory``: follows a search along each path, from a memory of 0; None forbids the step.

Two paths to one state are told apart by their memories.
"""


def solve(
    world: World,
    max_states: int = DEFAULT_MAX_STATES,
    start: State | None = None,
    until: Callable[[State], bool] | None = None,
    watch: Watch | None = None,
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
    arena, _ = searchable(world)
    first = arena.start if start is None else start
    things = forgettable_things(world) if until is None else frozenset()
    if not things:
        return breadth_first(world, first, _watched(_steps_of(arena), watch), until, max_states, max_length)
    relaxed = Relaxation(arena, first, things)
    solution = breadth_first(world, first, _watched(relaxed.steps, watch), None, max_states, max_length)
    if solution.plan is None or _wins(arena, first, solution.plan, watch):
        return solution
    if watch is None:
        return guided_search(world, first, relaxed, max_states, max_length)
    return breadth_first(world, first, _watched(_steps_of(arena), watch), None, max_states, max_length)


def _steps_of(arena: World) -> Successors:
    """The steps of the world itself."""
    return lambda action, state, memory: ((action, transition(arena, state, action)[0], memory),)


def _watched(steps: Successors, watch: Watch | None) -> Successors:
    """Those steps that `watch` does not forbid; its memory is kept in the upper bits of the other."""
    if watch is None:
        return steps

    def watched(action: Action, state: State, memory: int) -> Iterator[Successor]:
        bits = len(state.places)
        for taken, following, lower in steps(action, state, memory & ((1 << bits) - 1)):
            upper = watch(following, memory >> bits)
            if upper is not None:
                yield taken, following, upper << bits | lower

    return watched


def _wins(arena: World, first: State, plan: Iterable[Action], watch: Watch | None) -> bool:
    """Whether a plan of the relaxed world wins in the world itself, by steps that are not forbidden."""
    states = play(arena, first, plan)
    return states[-1].status == Status.SUCCEEDED and (watch is None or _allows(watch, states[1:]))


def _allows(watch: Watch, states: Iterable[State]) -> bool:
    memory = 0
    for state in states:
        remembered = watch(state, memory)
        if remembered is None:
            return False
        memory = remembered
    return True


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


def replay(world: World, plan: Iterable[Action]) -> list[State]:
    """The states that a plan leads through, the start first; played without a step budget unless the goal has one."""
    arena, _ = searchable(world)
    return play(arena, arena.start, plan)
