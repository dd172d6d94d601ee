"""Search results and plans: a shortest plan, or the reason why there is none.

The module imports nothing that only a search needs, so that command lines and runners start quickly.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

import attrs

from gridworld import solver
from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.support.faults import telling

if TYPE_CHECKING:
    from gridworld.world.world import World

DEFAULT_MAX_STATES = 20_000_000
"""Default limit on the states of a search."""


class Verdict(Enum):
    """Outcome of a search."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    GAVE_UP = "gave up"


def advice_after(states_seen: int, max_states: int, limit: str | None = "max_states") -> str:
    """Return advice after a search that gave up, to append to the number of states it met.

    Args:
        states_seen: the number of states that the search met.
        max_states: the search's state limit. If the search met fewer states, its tables took too much memory.
        limit: the user-visible name of the limit; None if users cannot change it.
    """
    if states_seen < max_states:
        return ": its tables are too large"
    return "" if limit is None else f"; raise {limit}"


@attrs.frozen
class Solution:
    """The result of a search."""

    verdict: Verdict
    plan: tuple[Action, ...] | None
    """A shortest sequence of actions that wins; None unless solved."""
    states_seen: int
    """Number of different states that the search met."""
    depth: int
    """Lower bound on the length of any plan; a search that gives up has ruled out shorter ones."""

    @property
    def length(self) -> int | None:
        """Number of actions of the plan; None without a plan."""
        return None if self.plan is None else len(self.plan)

    def advice(self, max_states: int, limit: str | None = "max_states") -> str:
        """Return advice if the search gave up; see `advice_after`."""
        return advice_after(self.states_seen, max_states, limit)


class NoPlanError(GridworldError):
    """The solver has no plan that wins a task within its step budget.

    Args:
        world: the compiled task.
        solution: the solver's result.
        max_states: the solver's state limit.
    """

    def __init__(self, world: World, solution: Solution, max_states: int) -> None:
        self.task_id, self.max_steps = world.task.task_id, world.max_steps
        self.solution, self.max_states = solution, max_states
        super().__init__(self.told())

    def told(self, limit: str | None = "max_states") -> str:
        """Return the message; `limit` is as for `reason`."""
        return f"no plan for the task '{self.task_id}': {self.reason(limit)}"

    def reason(self, limit: str | None = "max_states") -> str:
        """Return the reason why there is no plan, with advice.

        Args:
            limit: the user-visible name of the state limit; None if users cannot change it.
        """
        found = self.solution
        if found.verdict is Verdict.GAVE_UP:
            return f"the solver gave up after {found.states_seen} states{found.advice(self.max_states, limit)}"
        if found.plan is None:
            return "it cannot be won"
        return f"the shortest takes {len(found.plan)} steps, max_steps is {self.max_steps}"


WithoutPlan = Callable[[NoPlanError], object]
"""Called with the error of a task without a plan; the task is skipped unless the function raises."""


def refuse_without_plan(error: NoPlanError) -> None:
    """Raise the error: a `WithoutPlan` that skips no task."""
    raise error


@lru_cache(maxsize=16)
def optimal_solution(world: World, max_states: int = DEFAULT_MAX_STATES) -> Solution:
    """Return the result of `solve`; cached for the latest worlds, since players and metrics need the same result."""
    return solver.solve(world, max_states)


def winning_plan(world: World, max_states: int = DEFAULT_MAX_STATES) -> tuple[Action, ...]:
    """Return a shortest plan that wins a task within its step budget.

    Args:
        world: the compiled task.
        max_states: limit on the states of the search.

    Raises:
        NoPlanError: the task has no plan, or the solver gave up; the message names the task.
        PluginFault: a mechanism or goal type of the task failed or returned a wrong result.
    """
    with telling(f"when the task '{world.task.task_id}' was solved"):
        solution = optimal_solution(world, max_states)
    if solution.plan is None or len(solution.plan) > world.max_steps:
        raise NoPlanError(world, solution, max_states)
    return solution.plan
