"""Plans to play: a shortest plan, or a reason why there is no plan."""

from __future__ import annotations

from functools import lru_cache

from gridworld import solver
from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.plugins.faults import suspecting
from gridworld.solver.solution import DEFAULT_MAX_STATES, Solution, Verdict
from gridworld.world.world import World

__all__ = ["NoPlanError", "optimal_solution", "winning_plan"]


class NoPlanError(GridworldError):
    """The solver has no plan that wins a task within its step budget."""


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
    if solution.plan is None:
        given_up = f"the solver gave up after {solution.states_seen} states{solution.advice(max_states)}"
        reason = given_up if solution.verdict is Verdict.GAVE_UP else "it cannot be won"
    elif len(solution.plan) > world.max_steps:
        reason = f"the shortest takes {len(solution.plan)} steps, max_steps is {world.max_steps}"
    else:
        return solution.plan
    raise NoPlanError(f"no plan for the task '{world.task.task_id}': {reason}")
