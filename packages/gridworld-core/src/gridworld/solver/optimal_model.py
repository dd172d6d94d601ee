"""The upper baseline: plays the solver's shortest plan."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from gridworld.actions import Action
from gridworld.model_interface import EpisodeInfo, ModelInput, ModelOutput, OracleInterface
from gridworld.solver.plans import optimal_solution
from gridworld.solver.search import searchable, solve
from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.world.rules import transition
from gridworld.world.state import State
from gridworld.world.world import World

if TYPE_CHECKING:
    from gridworld.runner.record import Step

__all__ = ["OptimalModel"]


class OptimalModel(OracleInterface):
    """Plays a shortest plan from the present state, whatever has led to it; waits where the solver finds none.

    Args:
        max_states: the solver gives up after meeting this many states.
    """

    def __init__(self, max_states: int = DEFAULT_MAX_STATES) -> None:
        self._max_states = max_states
        self._actions: dict[Hashable, Action] = {}
        """What to do in each state along the plans so far."""
        self._hopeless = False
        self._next: Action | None = None

    @property
    def model_name(self) -> str:
        """``optimal``."""
        return "optimal"

    def look_into(self, world: World) -> None:
        """Take on a task."""
        self._world = world
        self._arena, self._key_of = searchable(world)
        self._actions = {}
        self._hopeless = False

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Observe what was observed before, so that the plan is the one that was begun."""
        state = self._world.start
        for step in steps:
            self.observe(state)
            if step.action is not None:
                state, _ = transition(self._world, state, step.action)
        return True

    def observe(self, state: State) -> None:
        """Solve the task from here, unless an earlier plan leads through this state or there was none."""
        key = self._key_of(state)
        if key not in self._actions and not self._hopeless:
            self._plan_from(state)
        self._next = self._actions.get(key)

    def predict(self, input: ModelInput) -> ModelOutput:
        """The plan's action in the state observed last."""
        if self._next is None:
            return ModelOutput(action=Action.DONE, reasoning="no plan")
        return ModelOutput(action=self._next)

    def _plan_from(self, state: State) -> None:
        at_start = state == self._world.start
        known = optimal_solution(self._world, self._max_states) if at_start else None
        plan = (known or solve(self._world, self._max_states, state)).plan
        self._hopeless = plan is None
        for action in plan or ():
            self._actions[self._key_of(state)] = action
            state, _ = transition(self._arena, state, action)
