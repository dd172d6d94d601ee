"""``multinet tasks lengths``: how many actions each task takes at least, tiling by tiling."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import ALL_TILINGS, DisablePlugin, choose_tilings, load_plugins
from multinet_eval.cli.tasks.common import AsJson, MaxStates, SkipInvalid, compile_on, find_suite, with_progress

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification

__all__ = ["lengths"]

Row = dict[str, Any]


def lengths(
    suites: Annotated[list[str] | None, typer.Argument(metavar="[SUITE...]", help="By default all installed.")] = None,
    tiling: Annotated[str, typer.Option("--tiling", help="A tiling, or all that are installed.")] = ALL_TILINGS,
    max_states: MaxStates = 1_000_000,
    skip_invalid: SkipInvalid = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Tell how many actions the shortest plan of each task takes on each tiling, or why there is none."""
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.plugins import get_registry

        tilings = [get_registry().tilings.get(name).name for name in choose_tilings(tiling) if name]
        names = suites or get_registry().benchmarks.names()
        chosen = [(suite, task) for suite in names for task in find_suite(suite, skip_invalid)]
        measured = (_measure(suite, task, tilings, max_states) for suite, task in chosen)
        rows = list(with_progress(measured, len(chosen), "solving"))
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    elif as_markdown:
        typer.echo(_as_markdown(rows, tilings))
    else:
        _print(rows, tilings)


def _measure(suite: str, task: TaskSpecification, tilings: list[str], max_states: int) -> Row:
    from gridworld.solver import solve

    found = {}
    for name in tilings:
        solution = solve(compile_on(name, task), max_states)
        found[name] = {"verdict": solution.verdict.value, "length": solution.length}
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
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _print(rows: list[Row], tilings: list[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("Task", overflow="fold")
    for heading in ("Budget", *tilings):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(escape, _cells(row, tilings)))
    Console(emoji=False, width=None if Console().is_terminal else 140).print(table)
