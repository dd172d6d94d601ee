"""``multinet tasks list``, ``show`` and ``solve``: tasks, their difficulty and their plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import typer

from gridworld.errors import TaskError
from gridworld.plugins import get_registry
from gridworld.plugins.tilings import compile_on
from gridworld.solver.plans import DEFAULT_MAX_STATES
from gridworld.support.faults import telling
from gridworld.support.wording import counted, visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, Workers
from multinet_eval.cli.progress_bars import with_progress
from multinet_eval.cli.table import Column, numeric, print_facts, print_table
from multinet_eval.cli.tasks.finding import (
    MaxStates,
    MaxTableStates,
    TaskName,
    Tiling,
    find_suite,
    find_task,
    gave_up,
    print_given_up,
)

if TYPE_CHECKING:
    from gridworld.actions import Action
    from gridworld.solver import Solution
    from gridworld.task_spec import TaskSpecification
    from gridworld.world import World
    from gridworld.world.events import Event

HEADINGS = {
    "optimal_length": "Best",
    "states_searched": "States",
    "backtracking": "Back",
    "dependency_depth": "Depth",
    "dependency_variety": "Kinds",
    "distractors": "Decoys",
    "distractor_quality": "Alike",
    "size": "Size",
    "wall_density": "Walls",
    "hidden_share": "Hidden",
    "irreversibility": "Irrev.",
    "fragility": "Fragile",
}


@command()
def list_tasks(
    suites: list[str] | None = typer.Argument(None, metavar="SUITE", help="Suites; all installed ones by default."),
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    max_table_states: MaxTableStates = 20_000,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """List tasks with measures of their difficulty.

    `gridworld.solver.difficulty` defines the measures. Measures that need a larger search, or a plan where there is
    none, are left out. For a task without a plan, the column Best says unsolvable, which is proven, or gave up.
    """
    from multinet_eval.support.parallel import parallel_map

    get_registry().tilings.get(tiling)
    names = suites or get_registry().benchmarks.names()
    chosen = [(name, task) for name in names for task in find_suite(name)]
    measure = partial(_measure, tiling=tiling, max_states=max_states, max_table_states=max_table_states)
    with parallel_map(measure, chosen, workers) as measured:
        rows = list(with_progress(measured, len(chosen), "measuring"))
    if as_json:
        echo_json(rows)
    else:
        _print(rows)
        print_given_up(rows, max_states)


def _measure(
    named: tuple[str, TaskSpecification], tiling: str, max_states: int, max_table_states: int
) -> dict[str, Any]:
    """Make the row of a task of a suite."""
    from gridworld.solver.difficulty import known_difficulty
    from gridworld.solver.search import TaskSearches

    suite, task = named
    row = {"suite": suite, "task_id": task.task_id, "tier": task.difficulty_tier, "max_steps": task.max_steps}
    try:
        searches = TaskSearches(compile_on(tiling, task), max_states)
    except TaskError:
        return {**row, "verdict": None, "states_seen": None, "difficulty": dict.fromkeys(HEADINGS)}
    difficulty = known_difficulty(searches, max_table_states)
    found = searches.solution
    return {**row, "verdict": found.verdict.value, "states_seen": found.states_seen, "difficulty": difficulty}


def _print(rows: list[dict[str, Any]]) -> None:
    numbers = [numeric(heading, spare) for spare, heading in enumerate(HEADINGS.values(), start=3)]
    columns = [Column("Task"), numeric("Tier", 1), numeric("Budget", 2), *numbers]
    print_table(columns, [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> list[str]:
    best, *numbers = (
        "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
        for value in (row["difficulty"][name] for name in HEADINGS)
    )
    if row["difficulty"]["optimal_length"] is None and row["verdict"] is not None:
        best = row["verdict"]
    return [f"{row['suite']}/{row['task_id']}", str(row["tier"]), str(row["max_steps"]), best, *numbers]


@command()
def show(
    task: TaskName,
    tiling: Tiling = "square",
    drawing: bool = typer.Option(False, "--drawing", help="Print only a drawing, which 'tasks import ascii' reads."),
    max_states: MaxStates = 100_000,
    as_json: AsJson = False,
) -> None:
    """Show a task: its facts, and the agent's view at the start.

    A shortest plan is searched briefly; 'multinet tasks solve' searches longer.
    """
    from gridworld.text import text_view
    from gridworld.world import Episode

    spec = find_task(task)
    world = compile_on(tiling, spec)
    if drawing:
        _print_drawing(world, as_json)
        return
    with telling(f"when the task '{spec.task_id}' was shown"):
        episode = Episode(world)
        episode.reset()
        view = text_view(episode)
        facts = {**_facts(world), "shortest plan": _shortest_plan(world, max_states)}
    if as_json:
        echo_json({**facts, "view": str(view)})
        return

    print_facts({name: str(value) for name, value in facts.items() if value != ""})
    echo(f"\n{view}")


def _print_drawing(world: World, as_json: bool) -> None:
    from gridworld.ascii import draw_task

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
        "mission": world.goal_type.mission(world),
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


LONG_RUN = 10
"""Minimum number of equal steps shown on one line."""


@command()
def solve_task(
    task: TaskName,
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    as_json: AsJson = False,
) -> None:
    """Find a shortest plan and print it step by step. Exit code 1 if none was found within the step budget.

    Ten or more equal steps are one line; with --json every step is an entry.
    """
    from gridworld.solver import solve

    world = compile_on(tiling, find_task(task))
    with telling(f"when the task '{world.task.task_id}' was solved"):
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
    steps = [
        (str(first) if first == last else f"{first}-{last}", step)
        for first, last, step in _folded(_steps(world, solution.plan))
    ]
    width = max(4, *(len(span) for span, _ in steps))
    return "\n".join([*lines, *(f"{span:>{width}}  {step}" for span, step in steps)])


def _steps(world: World, plan: Iterable[Action]) -> Iterator[str]:
    """Describe each action of a plan and its effect."""
    from gridworld.text import describe_events
    from gridworld.world import transition

    state = world.start
    done: tuple[Action, tuple[Event, ...]] | None = None
    description = ""
    for action in plan:
        state, events = transition(world, state, action)
        if done != (action, events):
            done, description = (action, events), f"{action.name.lower():12s}  {describe_events(world, events)}"
        yield description


def _folded(steps: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Join long runs of equal steps; yield the first and last number, and the step."""
    number = 1
    for step, group in groupby(steps):
        count = sum(1 for _ in group)
        together = count if count >= LONG_RUN else 1
        for first in range(number, number + count, together):
            yield first, first + together - 1, step
        number += count
