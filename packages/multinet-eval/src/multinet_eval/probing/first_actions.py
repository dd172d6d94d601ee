"""`FirstActions`: the optimal first actions of states of one world, each of which is looked for once."""

from __future__ import annotations

from collections.abc import Hashable

from gridworld.actions import Action
from gridworld.solver.search import TaskSearches, searchable
from gridworld.solver.solution import Verdict
from gridworld.world.rules import transition
from gridworld.world.state import State, Status
from gridworld.world.world import World

__all__ = ["FirstActions", "UnknownDistanceError"]


class UnknownDistanceError(Exception):
    """The solver gave up."""


class FirstActions:
    """What is best to do in states of a world, whatever is left of its budget of steps.

    Args:
        world: the compiled task.
        max_states: where the solver gives up on one state.
    """

    def __init__(self, world: World, max_states: int) -> None:
        self.world = world
        self._searches = TaskSearches(world, max_states)
        self._arena, self._key_of = searchable(world)
        self._known: dict[Hashable, int | None] = {}

    def distance(self, state: State) -> int | None:
        """The fewest actions to success from a state; None if there is no way.

        Raises:
            UnknownDistanceError: the solver gave up.
        """
        if state.status != Status.RUNNING:
            return 0 if state.status == Status.SUCCEEDED else None
        key = self._key_of(state)
        if key not in self._known:
            self._search(state)
        return self._known[key]

    def of(self, state: State) -> frozenset[Action]:
        """All actions that begin a shortest plan; none where there is none. Raises as `distance` does."""
        best = self.distance(state)
        if best is None:
            return frozenset()
        return frozenset(action for action in Action if self.distance_after(state, action) == best - 1)

    def distance_after(self, state: State, action: int) -> int | None:
        """The distance from where an action leads; raises as `distance` does."""
        return self.distance(transition(self._arena, state, action)[0])

    def _search(self, state: State) -> None:
        """Note the distance of a state and, where there is a plan, of those along it."""
        solution = self._searches.from_state(state)
        if solution.verdict is Verdict.GAVE_UP:
            raise UnknownDistanceError
        if solution.plan is None:
            self._known[self._key_of(state)] = None
            return
        for left, action in zip(range(len(solution.plan), 0, -1), solution.plan, strict=True):
            self._known[self._key_of(state)] = left
            state, _ = transition(self._arena, state, action)
