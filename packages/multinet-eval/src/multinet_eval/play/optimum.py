"""The shortest plan of the task that a backend plays, where there is a solver."""

from __future__ import annotations

import attrs

from gridworld.actions import Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend
from gridworld.errors import ArgumentError, PluginFault
from gridworld.plugins.faults import backend_name, blaming_in
from gridworld.runner.record import EpisodeEnd
from gridworld.runner.rollout import kernel_of
from gridworld.solver import Verdict
from gridworld.solver.plans import optimal_solution, winning_plan
from multinet_eval.record.plan import task_hash


def plan_on(backend: AbstractGridBackend, max_states: int) -> tuple[Action, ...]:
    """A shortest plan for the task of a backend.

    Args:
        backend: the backend, configured.
        max_states: where the solver gives up.

    Raises:
        ArgumentError: the backend is not built on the kernel.
        NoPlanError: no plan has been found.
        PluginFault: a plugin failed in the search.
    """
    kernel = kernel_of(backend)
    if kernel is None:
        raise ArgumentError(f"{backend_name(backend.name)} has no solver, so there is no plan to follow")
    return winning_plan(kernel.world, max_states)


class Optima:
    """The shortest plans of the tasks that are played on one backend, each of which is looked for once.

    A run plays its tasks epoch after epoch, and to solve one takes longer than most episodes of a baseline.

    Args:
        max_states: where the solver gives up.
    """

    def __init__(self, max_states: int) -> None:
        self._max_states = max_states
        self._found: dict[str, tuple[int | None, Verdict]] = {}
        """Hash of a task to the length of its shortest plan, None where there is none or none is known."""

    def into(self, end: EpisodeEnd, backend: AbstractGridBackend) -> EpisodeEnd:
        """The end with what a solver knows of the shortest plan, where the episode was played to it.

        Args:
            end: how the episode ended; a plugin that fails in the search is its error.
            backend: where it was played.
        """
        kernel = kernel_of(backend)
        if kernel is None or end.error is not None:
            return end
        try:
            length, verdict = self.of(kernel)
            return attrs.evolve(end, optimal_steps=length, unsolvable=verdict is Verdict.UNSOLVABLE)
        except PluginFault as fault:
            return attrs.evolve(end, error=str(fault))

    def of(self, kernel: KernelBackend) -> tuple[int | None, Verdict]:
        """The length of a shortest plan for the task of a backend, None where none is known, and what was found.

        Args:
            kernel: the backend, configured.

        Raises:
            PluginFault: a plugin failed in the search.
        """
        world = kernel.world
        task = task_hash(world.task)
        if task not in self._found:
            with blaming_in(world.task, backend_name(kernel.name), "while the solver looked for a shortest plan"):
                found = optimal_solution(world, self._max_states)
            self._found[task] = found.length, found.verdict
        return self._found[task]
