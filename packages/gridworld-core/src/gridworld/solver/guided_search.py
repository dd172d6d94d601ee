"""A* search, guided by the distances of a relaxed world."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Hashable

from gridworld.actions import Action
from gridworld.solver.breadth_first import (
    SEARCH_ORDER,
    UNLIMITED,
    Parents,
    Solution,
    Verdict,
    all_steps,
    searchable,
    trace,
)
from gridworld.solver.relaxation import Relaxation
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["guided_search"]


def guided_search(world: World, first: State, relaxed: Relaxation, max_states: int, max_length: int) -> Solution:
    """Find a shortest plan, in order of the steps taken plus those that the relaxed world needs from there.

    Its distances never overestimate and are consistent (Hart, Nilsson and Raphael 1968), so the first plan found is a
    shortest one. States from which the relaxed world cannot be won are left out. The arguments and the result are those
    of `breadth_first`; the relaxed world may have `max_states` states too.
    """
    distances = _distances(world, first, relaxed, max_states)
    if distances is None:
        return Solution(Verdict.GAVE_UP, None, max_states, 0)
    arena, key_of = searchable(world)
    frontier = _Frontier(first, key_of, relaxed, distances)
    while frontier:
        expected, state, forgotten = frontier.pop()
        if expected > max_length or len(frontier.parents) >= max_states:
            return Solution(Verdict.GAVE_UP, None, len(frontier.parents), expected)
        for action in SEARCH_ORDER:
            following, _ = transition(arena, state, action)
            if following.status == Status.SUCCEEDED:
                plan = trace(frontier.parents, key_of(state), action)
                return Solution(Verdict.SOLVED, plan, len(frontier.parents), len(plan))
            if not following.status:
                frontier.meet(state, action, following, forgotten)
    return Solution(Verdict.UNSOLVABLE, None, len(frontier.parents), UNLIMITED)


class _Frontier:
    """The states that have been met and not yet been looked at, the most promising first."""

    def __init__(
        self, first: State, key_of: Callable[[State], Hashable], relaxed: Relaxation, distances: dict[Hashable, int]
    ) -> None:
        self._key_of, self._relaxed, self._distances = key_of, relaxed, distances
        self._first_steps = first.steps
        self._steps = {key_of(first): first.steps}
        self.parents: Parents = {key_of(first): None}
        start = distances.get((key_of(first), 0))
        self._heap = [] if start is None else [(start, 0, 0, first, 0)]

    def __len__(self) -> int:
        return len(self._heap)

    def pop(self) -> tuple[int, State, int]:
        """The length of the shortest plan that may lead through a state, the state, and what is forgotten there."""
        expected, _, _, state, forgotten = heapq.heappop(self._heap)
        return expected, state, forgotten

    def meet(self, before: State, action: Action, state: State, forgotten: int) -> None:
        """Take note of a way to a state, if it is the shortest so far and the relaxed world can be won from there."""
        key = self._key_of(state)
        if self._steps.get(key, UNLIMITED) <= state.steps:
            return
        image, remembered = self._relaxed.image(before, state, forgotten)
        distance = self._distances.get((self._key_of(image), remembered))
        if distance is None:
            return
        self._steps[key], self.parents[key] = state.steps, (self._key_of(before), action)
        expected = state.steps - self._first_steps + distance
        heapq.heappush(self._heap, (expected, -state.steps, len(self.parents), state, remembered))


def _distances(world: World, first: State, relaxed: Relaxation, max_states: int) -> dict[Hashable, int] | None:
    """The fewest steps to a success from each state of the relaxed world; None where it has too many states."""
    arena, key_of = searchable(world)
    start = (key_of(first), 0)
    before: dict[Hashable, list[Hashable]] = {start: []}
    winning: dict[Hashable, int] = {}
    frontier = deque([(first, 0)])
    while frontier:
        state, forgotten = frontier.popleft()
        key = (key_of(state), forgotten)
        for _, following, remembered in all_steps(relaxed.steps, state, forgotten):
            if following.status == Status.SUCCEEDED:
                winning[key] = 1
            if following.status or arena.is_over(following):
                continue
            following_key = (key_of(following), remembered)
            if following_key in before:
                before[following_key].append(key)
                continue
            if len(before) >= max_states:
                return None
            before[following_key] = [key]
            frontier.append((following, remembered))
    return _spread(winning, before)


def _spread(winning: dict[Hashable, int], before: dict[Hashable, list[Hashable]]) -> dict[Hashable, int]:
    """Distances, from those of the states that win with one step."""
    queue = deque(winning)
    while queue:
        key = queue.popleft()
        for earlier in before[key]:
            if earlier not in winning:
                winning[earlier] = winning[key] + 1
                queue.append(earlier)
    return winning
