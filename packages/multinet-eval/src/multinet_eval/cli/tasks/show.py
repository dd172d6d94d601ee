"""``multinet tasks show``: what a task is, as a table and as its text view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import MaxStates, TaskName, Tiling, find_task, gave_up

if TYPE_CHECKING:
    from gridworld.world import World

__all__ = ["show"]


def show(
    task: TaskName,
    tiling: Tiling = "square",
    drawing: Annotated[
        bool, typer.Option("--drawing", help="Print a drawing that 'multinet tasks new' reads, and nothing else.")
    ] = False,
    max_states: MaxStates = 100_000,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Show a task: its facts, and the view that the agent has at the start.

    Its shortest plan is looked for in a short search; 'multinet tasks solve' looks longer.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins.faults import suspecting
        from gridworld.plugins.tilings import compile_on
        from gridworld.text import text_view
        from gridworld.world import Episode

        spec = find_task(task)
        world = compile_on(tiling, spec)
        if drawing:
            _print_drawing(world, as_json)
            return
        with suspecting(spec, "shown"):
            episode = Episode(world)
            episode.reset()
            view = text_view(episode)
            facts = {**_facts(world), "shortest plan": _shortest_plan(world, max_states)}
    if as_json:
        echo_json({**facts, "view": str(view)})
        return
    from multinet_eval.cli.table import print_facts

    print_facts({name: str(value) for name, value in facts.items() if value != ""})
    echo(f"\n{view}")


def _print_drawing(world: World, as_json: bool) -> None:
    from gridworld.ascii import draw_task
    from gridworld.plugins import get_registry

    text = draw_task(world.task, get_registry())
    if as_json:
        echo_json({"task": world.task.task_id, "drawing": text})
    else:
        echo(text.rstrip())


def _shortest_plan(world: World, max_states: int) -> str:
    from gridworld.solver import Verdict, solve

    found = solve(world, max_states)
    if found.verdict is Verdict.GAVE_UP:
        return gave_up(found, max_states)
    return found.verdict.value if found.length is None else counted(found.length, "action")


def _facts(world: World) -> dict[str, Any]:
    task = world.task
    mechanisms = [
        f"{spec.id} ({world.by_id[spec.id].type.describe(world.by_id[spec.id].spec)})"
        for _, specs in task.mechanisms.groups()
        for spec in specs
    ]
    return {
        "task": task.task_id,
        "description": task.description,
        "mission": world.goal_type.mission(task),
        "tier": task.difficulty_tier,
        "size": f"{task.maze.width} x {task.maze.height}",
        "budget": task.max_steps,
        "goal": task.goal.type,
        "observability": task.rules.observability,
        "mechanisms": ", ".join(mechanisms),
        "hidden": ", ".join(task.rules.hidden_mechanisms),
        "dependency chain": task.dependency_chain.notation if task.dependency_chain else "",
        "distractors": ", ".join(distractor.element_id for distractor in task.distractors),
    }
