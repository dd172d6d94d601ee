"""``multinet tasks lengths``: how many actions each task takes at least, tiling by tiling."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.row_bars import with_progress
from multinet_eval.cli.tasks.common import (
    MaxStates,
    SkipInvalid,
    TilingOrAll,
    Workers,
    find_suite,
    print_given_up,
)
from multinet_eval.settings.defaults import ALL_TILINGS

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification

__all__ = ["lengths"]

Row = dict[str, Any]


def lengths(
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="[SUITE...]", help="All installed ones by default.")
    ] = None,
    tiling: TilingOrAll = ALL_TILINGS,
    max_states: MaxStates = DEFAULT_MAX_STATES,
    workers: Workers = None,
    skip_invalid: SkipInvalid = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Show the length of the shortest plan of each task on each tiling, or why there is none."""
    from multinet_eval.settings.plugin_objects import choose_tilings

    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins import get_registry
        from multinet_eval.cli.tasks.spreading import spread

        tilings = [get_registry().tilings.get(name).name for name in choose_tilings(tiling) if name]
        names = suites or get_registry().benchmarks.names()
        chosen = [(suite, task) for suite in names for task in find_suite(suite, skip_invalid)]
        pairs = [(task, name) for _, task in chosen for name in tilings]
        with spread(partial(_measure, max_states=max_states), pairs, workers) as measured:
            found = iter(list(with_progress(measured, len(pairs), "solving")))
        rows = [_row(suite, task, {name: next(found) for name in tilings}) for suite, task in chosen]
    if as_json:
        echo_json(rows)
    elif as_markdown:
        echo(_as_markdown(rows, tilings))
    else:
        _print(rows, tilings)
        print_given_up((found for row in rows for found in row["tilings"].values()), max_states)


def _measure(pair: tuple[TaskSpecification, str], max_states: int) -> dict[str, Any]:
    """What the solver finds for a task on a tiling."""
    from gridworld.plugins.faults import suspecting
    from gridworld.plugins.tilings import compile_on
    from gridworld.solver import solve

    task, tiling = pair
    with suspecting(task, "solved"):
        solution = solve(compile_on(tiling, task), max_states)
    return {"verdict": solution.verdict.value, "length": solution.length, "states_seen": solution.states_seen}


def _row(suite: str, task: TaskSpecification, found: dict[str, Any]) -> Row:
    return {"suite": suite, "task_id": task.task_id, "max_steps": task.max_steps, "tilings": found}


def _cells(row: Row, tilings: list[str]) -> list[str]:
    task = f"{row['suite']}/{row['task_id']}"
    return [task, str(row["max_steps"]), *(_tell(row["tilings"][name], row["max_steps"]) for name in tilings)]


def _tell(found: dict[str, Any], max_steps: int) -> str:
    if found["length"] is None:
        return str(found["verdict"])
    return f"{found['length']} (over budget)" if found["length"] > max_steps else str(found["length"])


def _as_markdown(rows: list[Row], tilings: list[str]) -> str:
    lines = [["Task", "Budget", *tilings], ["---", *["---:"] * (len(tilings) + 1)]]
    lines += [_cells(row, tilings) for row in rows]
    return "\n".join(f"| {' | '.join(map(_in_markdown, line))} |" for line in lines)


def _in_markdown(cell: str) -> str:
    """A cell that does not end early; a task may be called anything."""
    return visible_line(cell).replace("|", "\\|")


def _print(rows: list[Row], tilings: list[str]) -> None:
    from multinet_eval.cli.table import Column, print_table

    lengths = [Column(name, right=True, spare=spare) for spare, name in enumerate(tilings, start=1)]
    columns = [Column("Task"), Column("Budget", right=True, spare=len(tilings) + 1), *lengths]
    print_table(columns, [_cells(row, tilings) for row in rows])
