"""`Optima`: cached shortest plans of tasks on a backend with a solver."""

from __future__ import annotations

import attrs

from gridworld.actions import Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import ArgumentError, PluginFault
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import EpisodeEnd
from gridworld.runner.rollout import kernel_of
from gridworld.solver import Verdict
from gridworld.solver.plans import optimal_solution, winning_plan
from gridworld.support.faults import telling
from multinet_eval.record.plan import task_hash


class Optima:
    """Cache of shortest plans on one backend, since solving a task takes longer than most baseline episodes.

    Args:
        max_states: limit of the solver.
    """

    def __init__(self, max_states: int) -> None:
        self._max_states = max_states
        self._found: dict[str, tuple[int | None, Verdict]] = {}
        """Length of the shortest plan, if known, and the verdict, by task hash."""

    def plan_on(self, backend: AbstractGridBackend) -> tuple[Action, ...]:
        """Find a shortest plan for the task of a configured backend.

        Raises:
            ArgumentError: the backend is not built on the kernel.
            NoPlanError: no plan was found.
            PluginFault: a plugin failed in the search.
        """
        kernel = kernel_of(backend)
        if kernel is None:
            owner = owner_of("backend", backend, backend.name)
            raise ArgumentError(f"{owner} has no solver, so there is no plan to follow")
        return winning_plan(kernel.world, self._max_states)

    def into(self, end: EpisodeEnd, backend: AbstractGridBackend) -> EpisodeEnd:
        """Add the optimal length to the end of an episode; a plugin failure during the search becomes its error."""
        kernel = kernel_of(backend)
        if kernel is None or end.error is not None:
            return end
        try:
            length, verdict = self.of(kernel)
            return attrs.evolve(end, optimal_steps=length, unsolvable=verdict is Verdict.UNSOLVABLE)
        except PluginFault as fault:
            return attrs.evolve(end, error=str(fault))

    def of(self, kernel: KernelBackend) -> tuple[int | None, Verdict]:
        """Return the length of a shortest plan, if known, and the verdict for a backend's task; raises PluginFault."""
        world = kernel.world
        task = task_hash(world.task)
        if task not in self._found:
            with telling("while the solver looked for a shortest plan"):
                found = optimal_solution(world, self._max_states)
            self._found[task] = found.length, found.verdict
        return self._found[task]
