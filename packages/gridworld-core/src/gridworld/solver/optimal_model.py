"""The upper baseline: plays the solver's shortest plan."""

from __future__ import annotations

from gridworld.actions import Action
from gridworld.model_interface import ModelInput, ModelOutput, OracleInterface
from gridworld.solver.search import DEFAULT_MAX_STATES, solve
from gridworld.world.world import World

__all__ = ["OptimalModel"]


class OptimalModel(OracleInterface):
    """Plays a shortest plan; waits where the solver finds none, or after its end.

    Args:
        max_states: the solver gives up after meeting this many states.
    """

    def __init__(self, max_states: int = DEFAULT_MAX_STATES) -> None:
        self._max_states = max_states
        self._plan: tuple[Action, ...] = ()

    @property
    def model_name(self) -> str:
        """``optimal``."""
        return "optimal"

    def look_into(self, world: World) -> None:
        """Solve the task."""
        self._plan = solve(world, self._max_states).plan or ()

    def predict(self, input: ModelInput) -> ModelOutput:
        """The plan's action for this step."""
        if input.step_number < len(self._plan):
            return ModelOutput(action=self._plan[input.step_number])
        return ModelOutput(action=Action.DONE, reasoning="no plan")
