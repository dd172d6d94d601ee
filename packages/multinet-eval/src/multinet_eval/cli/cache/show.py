"""``multinet cache show``: the tables of states that are kept on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.support.wording import visible_line
from multinet_eval.cli.cache.kept import nothing_kept, readable_size, total
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import exit_on_error

if TYPE_CHECKING:
    from pathlib import Path

    from gridworld.solver.table_cache import KeptTable

__all__ = ["show_cache"]


def show_cache(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show the tables of states that are kept on disk, by task and tiling.

    The solver keeps them so that each is made once. GRIDWORLD_CACHE names another folder for them; if it is empty, none
    are kept.
    """
    with exit_on_error():
        from gridworld.solver.table_cache import TABLES, kept_tables
        from gridworld.support.cache import cache_folder

        folder = cache_folder(TABLES)
        tables = [] if folder is None else list(kept_tables(folder))
    if as_json:
        echo_json(_as_dict(folder, tables))
    elif folder is None or not tables:
        echo(nothing_kept(folder), err=True)
    else:
        _print(folder, tables)


def _as_dict(folder: Path | None, tables: list[KeptTable]) -> dict[str, Any]:
    return {
        "folder": None if folder is None else str(folder),
        "size": sum(table.size for table in tables),
        "tables": [
            {
                "task_id": table.task_id,
                "tiling": table.tiling,
                "states": table.states,
                "size": table.size,
                "path": str(table.path),
            }
            for table in tables
        ],
    }


def _print(folder: Path, tables: list[KeptTable]) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [
        Column("Task"),
        Column("Tiling", spare=1),
        Column("States", right=True, spare=2),
        Column("Size", right=True),
    ]
    rows = [[table.task_id, table.tiling, f"{table.states:,}", readable_size(table.size)] for table in tables]
    print_table(columns, rows)
    echo(visible_line(f"{total(tables)} in {folder}"))
