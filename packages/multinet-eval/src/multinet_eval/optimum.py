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
from gridworld.solver import Solution, Verdict
from gridworld.solver.plans import optimal_solution, winning_plan

__all__ = ["plan_on", "solve_on", "with_optimum"]


def solve_on(kernel: KernelBackend, max_states: int) -> Solution:
    """What the solver finds for the task of a backend.

    Args:
        kernel: the backend, configured.
        max_states: where the solver gives up.

    Raises:
        PluginFault: a plugin failed in the search.
    """
    with blaming_in(kernel.world.task, backend_name(kernel.name), "while the solver looked for a shortest plan"):
        return optimal_solution(kernel.world, max_states)


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


def with_optimum(end: EpisodeEnd, backend: AbstractGridBackend, max_states: int) -> EpisodeEnd:
    """The end with what a solver knows of the shortest plan, where the episode was played to it.

    Args:
        end: how the episode ended; a plugin that fails in the search is its error.
        backend: where it was played.
        max_states: where the solver gives up.
    """
    kernel = kernel_of(backend)
    if kernel is None or end.error is not None:
        return end
    try:
        found = solve_on(kernel, max_states)
        return attrs.evolve(end, optimal_steps=found.length, unsolvable=found.verdict is Verdict.UNSOLVABLE)
    except PluginFault as fault:
        return attrs.evolve(end, error=str(fault))
