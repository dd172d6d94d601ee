"""``multinet tasks solve``: a shortest plan, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import MaxStates, TaskName, Tiling, find_task, gave_up

if TYPE_CHECKING:
    from gridworld.actions import Action
    from gridworld.solver import Solution
    from gridworld.world import World
    from gridworld.world.events import Event

__all__ = ["solve_task"]

LONG_RUN = 10
"""So many steps in a row, or more, that are told in the same words are told in one line."""


def solve_task(
    task: TaskName,
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Find a shortest plan and print it step by step. Exit code 1 if none was found within the budget of steps.

    Ten or more equal steps in a row are one line; with --json every step is an entry.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins.faults import suspecting
        from gridworld.plugins.tilings import compile_on
        from gridworld.solver import solve

        world = compile_on(tiling, find_task(task))
        with suspecting(world.task, "solved"):
            solution = solve(world, max_states)
        if as_json:
            echo_json(_as_dict(world, solution))
        else:
            echo(_as_text(world, solution, max_states))
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


def _as_text(world: World, solution: Solution, max_states: int) -> str:
    from gridworld.solver import Verdict

    if solution.verdict is Verdict.GAVE_UP:
        return f"{visible_line(world.task.task_id)}: {gave_up(solution, max_states)}"
    headline = f"{visible_line(world.task.task_id)}: {solution.verdict.value}, {solution.states_seen} states seen"
    if solution.plan is None:
        return headline
    lines = [f"{headline}, {solution.length} actions (budget {world.max_steps})"]
    if len(solution.plan) > world.max_steps:
        return "\n".join([*lines, "the plan is longer than the budget"])
    told = [(_span(first, last), what) for first, last, what in _folded(_steps(world, solution.plan))]
    width = max(4, *(len(span) for span, _ in told))
    return "\n".join([*lines, *(f"{span:>{width}}  {what}" for span, what in told)])


def _steps(world: World, plan: Iterable[Action]) -> Iterator[str]:
    """What each action of a plan is and does, in words."""
    from gridworld.text import describe_events
    from gridworld.world import transition

    state = world.start
    done: tuple[Action, tuple[Event, ...]] | None = None
    told = ""
    for action in plan:
        state, events = transition(world, state, action)
        if done != (action, events):
            done, told = (action, events), f"{action.name.lower():12s}  {describe_events(world, events)}"
        yield told


def _folded(steps: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """The numbers of the first and the last of steps that are told together: of one, or of a long run of equals."""
    number = 1
    for what, group in groupby(steps):
        count = sum(1 for _ in group)
        together = count if count >= LONG_RUN else 1
        for first in range(number, number + count, together):
            yield first, first + together - 1, what
        number += count


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
