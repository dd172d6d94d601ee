"""``multinet tasks solve``: a shortest plan, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import MaxStates, TaskName, Tiling, find_task

if TYPE_CHECKING:
    from gridworld.solver import Solution
    from gridworld.world import World

__all__ = ["solve_task"]


def solve_task(
    task: TaskName,
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Find a shortest plan and print it step by step. Exit code 1 if none was found within the budget of steps."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins.tilings import compile_on
        from gridworld.solver import solve

        world = compile_on(tiling, find_task(task))
        solution = solve(world, max_states)
        if as_json:
            echo_json(_as_dict(world, solution))
        else:
            echo(_as_text(world, solution))
        if solution.plan is None or len(solution.plan) > world.max_steps:
            raise typer.Exit(FAILED)


def _as_dict(world: World, solution: Solution) -> dict[str, Any]:
    return {
        "task_id": world.task.task_id,
        "tiling": world.topology.name,
        "verdict": solution.verdict.value,
        "length": solution.length,
        "max_steps": world.max_steps,
        "states_seen": solution.states_seen,
        "plan": None if solution.plan is None else [action.name.lower() for action in solution.plan],
    }


def _as_text(world: World, solution: Solution) -> str:
    from gridworld.backends.unseen import UnseenBackend
    from gridworld.runner.record import Decision
    from gridworld.runner.rollout import Rollout
    from gridworld.text import describe_events

    headline = f"{visible_line(world.task.task_id)}: {solution.verdict.value}, {solution.states_seen} states seen"
    if solution.plan is None:
        return headline
    lines = [f"{headline}, {solution.length} actions (budget {world.max_steps})"]
    if len(solution.plan) > world.max_steps:
        return "\n".join([*lines, "the plan is longer than the budget"])
    rollout = Rollout(UnseenBackend(world.topology), world.task)
    for action in solution.plan:
        step = rollout.take(Decision.act(action))
        lines.append(f"{step.number:4d}  {action.name.lower():12s}  {describe_events(world, step.events)}")
    return "\n".join(lines)
