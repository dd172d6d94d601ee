"""``multinet tasks list``: the tasks of the installed suites, with their difficulty in numbers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from multinet_eval.cli.echo import echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.row_bars import with_progress
from multinet_eval.cli.tasks.common import (
    MaxStates,
    MaxTableStates,
    SkipInvalid,
    Tiling,
    Workers,
    find_suite,
    print_given_up,
)

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification

__all__ = ["list_tasks"]

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


def list_tasks(
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE...]", help="All installed ones by default.")
    ] = None,
    tiling: Tiling = "square",
    max_states: MaxStates = DEFAULT_MAX_STATES,
    max_table_states: MaxTableStates = 20_000,
    workers: Workers = None,
    skip_invalid: SkipInvalid = False,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """List tasks with their difficulty; `gridworld.solver.difficulty` says how each number is computed.

    What needs a larger search than allowed is left out, and so is what takes a plan where there is none. In place of
    the shortest plan of a task that has none stands unsolvable, which is proven, or gave up.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins import get_registry
        from multinet_eval.cli.tasks.spreading import spread

        get_registry().tilings.get(tiling)
        names = suites or get_registry().benchmarks.names()
        chosen = [(name, task) for name in names for task in find_suite(name, skip_invalid)]
        measure = partial(_measure, tiling=tiling, max_states=max_states, max_table_states=max_table_states)
        with spread(measure, chosen, workers) as measured:
            rows = list(with_progress(measured, len(chosen), "measuring"))
    if as_json:
        echo_json(rows)
    else:
        _print(rows)
        print_given_up(rows, max_states)


def _measure(
    named: tuple[str, TaskSpecification], tiling: str, max_states: int, max_table_states: int
) -> dict[str, Any]:
    """The row of a task of a suite."""
    from gridworld.errors import TaskError
    from gridworld.plugins.tilings import compile_on
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
    from multinet_eval.cli.table import Column, print_table

    numbers = [Column(heading, right=True, spare=spare) for spare, heading in enumerate(HEADINGS.values(), start=3)]
    columns = [Column("Task"), Column("Tier", right=True, spare=1), Column("Budget", right=True, spare=2), *numbers]
    print_table(columns, [_cells(row) for row in rows])


def _cells(row: dict[str, Any]) -> list[str]:
    best, *numbers = (_format(row["difficulty"][name]) for name in HEADINGS)
    if row["difficulty"]["optimal_length"] is None and row["verdict"] is not None:
        best = row["verdict"]
    return [f"{row['suite']}/{row['task_id']}", str(row["tier"]), str(row["max_steps"]), best, *numbers]


def _format(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
