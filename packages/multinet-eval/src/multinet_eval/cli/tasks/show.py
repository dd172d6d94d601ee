"""``multinet tasks show``: what a task is, as a table and as its text view."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import DisablePlugin, load_plugins
from multinet_eval.cli.tasks.common import AsJson, TaskName, Tiling, compile_on

if TYPE_CHECKING:
    from gridworld.world import World

__all__ = ["show"]


def show(
    task: TaskName, tiling: Tiling = "square", as_json: AsJson = False, disable_plugin: DisablePlugin = None
) -> None:
    """Show a task: its facts, and the view that the agent has at the start."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins.suites import find_task
        from gridworld.text import text_view
        from gridworld.world import Episode

        world = compile_on(tiling, find_task(task))
        episode = Episode(world)
        episode.reset()
        view = text_view(episode)
    if as_json:
        typer.echo(json.dumps({**_facts(world), "view": str(view)}, indent=2))
        return
    _print_table(_facts(world))
    typer.echo(str(view))


def _facts(world: World) -> dict[str, Any]:
    task = world.task
    mechanisms = [
        f"{spec.id} ({world.by_id[spec.id].type.describe(spec)})"
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


def _print_table(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(show_header=False)
    for name, value in facts.items():
        if value != "":
            table.add_row(name, escape(str(value)))
    Console(emoji=False).print(table)
