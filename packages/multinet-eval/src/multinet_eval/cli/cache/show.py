"""``multinet cache show``: the tables and generated suites that are kept on disk."""

from __future__ import annotations

from typing import Any

from gridworld.support.wording import counted, visible_line
from multinet_eval.cli.cache.kept import Kept, find_kept, nothing_kept, readable_size
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import AsJson

__all__ = ["show_cache"]


def show_cache(as_json: AsJson = False) -> None:
    """Show what is kept on disk: the solver's tables of states, by task and tiling, and generated suites.

    They are kept so that each is made once. GRIDWORLD_CACHE names another folder for them; if it is empty, none are
    kept.
    """
    with exit_on_error():
        kept = find_kept()
    if as_json:
        echo_json(_as_dict(kept))
    elif kept.tables or kept.suites:
        _print(kept)
    else:
        echo(nothing_kept(kept.folder), err=True)


def _as_dict(kept: Kept) -> dict[str, Any]:
    return {
        "folder": None if kept.folder is None else str(kept.folder),
        "size": kept.size,
        "tables": [
            {
                "task_id": table.task_id,
                "tiling": table.tiling,
                "states": table.states,
                "size": table.size,
                "path": str(table.path),
            }
            for table in kept.tables
        ],
        "suites": [{"tasks": suite.tasks, "size": suite.size, "path": str(suite.path)} for suite in kept.suites],
    }


def _print(kept: Kept) -> None:
    from multinet_eval.cli.table import Column, print_table

    columns = [
        Column("What"),
        Column("Tiling", spare=1),
        Column("States", right=True, spare=2),
        Column("Size", right=True),
    ]
    rows = [[table.task_id, table.tiling, f"{table.states:,}", readable_size(table.size)] for table in kept.tables]
    rows += [[f"suite of {counted(each.tasks, 'task')}", "", "", readable_size(each.size)] for each in kept.suites]
    print_table(columns, rows)
    echo(visible_line(f"{kept} in {kept.folder}"))
