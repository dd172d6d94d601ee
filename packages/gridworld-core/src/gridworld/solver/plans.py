"""Plans to play: a shortest plan, or a reason why there is no plan."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gridworld import solver
from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.plugins.faults import suspecting
from gridworld.solver.solution import DEFAULT_MAX_STATES, Solution, Verdict
from gridworld.world.world import World

__all__ = ["NoPlanError", "WithoutPlan", "optimal_solution", "refuse_without_plan", "winning_plan"]


class NoPlanError(GridworldError):
    """The solver has no plan that wins a task within its step budget.

    Args:
        world: the compiled task.
        solution: what the solver has found.
        max_states: how many states it was allowed to meet.
    """

    def __init__(self, world: World, solution: Solution, max_states: int) -> None:
        self.task_id, self.max_steps = world.task.task_id, world.max_steps
        self.solution, self.max_states = solution, max_states
        super().__init__(self.told())

    def told(self, limit: str | None = "max_states") -> str:
        """The message, with what the limit is called as for `reason`."""
        return f"no plan for the task '{self.task_id}': {self.reason(limit)}"

    def reason(self, limit: str | None = "max_states") -> str:
        """Why there is none, and what would help.

        Args:
            limit: what the number of states is called where it can be changed; None where it cannot.
        """
        found = self.solution
        if found.verdict is Verdict.GAVE_UP:
            return f"the solver gave up after {found.states_seen} states{found.advice(self.max_states, limit)}"
        if found.plan is None:
            return "it cannot be won"
        return f"the shortest takes {len(found.plan)} steps, max_steps is {self.max_steps}"


WithoutPlan = Callable[[NoPlanError], object]
"""Is told of a task that has no plan, which is then left out unless this raises."""


def refuse_without_plan(error: NoPlanError) -> None:
    """A `WithoutPlan` that leaves nothing out: raises the error."""
    raise error


@lru_cache(maxsize=16)
def optimal_solution(world: World, max_states: int = DEFAULT_MAX_STATES) -> Solution:
    """What `solve` finds for a world, kept for the worlds asked for last: players and metrics ask for the same."""
    return solver.solve(world, max_states)


def winning_plan(world: World, max_states: int = DEFAULT_MAX_STATES) -> tuple[Action, ...]:
    """A shortest plan that wins a task within its step budget.

    Args:
        world: the compiled task.
        max_states: the solver gives up after meeting this many states.

    Raises:
        NoPlanError: there is no plan, or the solver gave up; the task is named.
        PluginFault: a mechanism or goal type of the task fails or returns something wrong.
    """
    with suspecting(world.task, "solved"):
        solution = optimal_solution(world, max_states)
    if solution.plan is None or len(solution.plan) > world.max_steps:
        raise NoPlanError(world, solution, max_states)
    return solution.plan
