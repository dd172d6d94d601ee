"""``multinet cache``: show or remove the solver's tables and the generated suites kept on disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gridworld.errors import GridworldError
from gridworld.support.wording import counted, visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import AsJson, Yes, confirm_removal
from multinet_eval.cli.table import Column, numeric, print_table

if TYPE_CHECKING:
    from pathlib import Path

    from gridworld.solver.table_cache import KeptTable
    from gridworld.suites.generated import KeptSuite


@attrs.frozen
class Kept:
    """All that is kept on disk."""

    folder: Path | None
    """Where it is; None where nothing is to be kept."""
    tables: tuple[KeptTable, ...]
    suites: tuple[KeptSuite, ...]

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(table.size for table in self.tables) + sum(suite.size for suite in self.suites)

    def __str__(self) -> str:
        return f"{counted(len(self.tables), 'table')}, {counted(len(self.suites), 'suite')}, {readable_size(self.size)}"


def find_kept() -> Kept:
    """What there is."""
    from gridworld.solver.table_cache import TABLES, kept_tables
    from gridworld.suites.generated import SUITES, kept_suites
    from gridworld.support.cache import cache_folder

    tables, suites = cache_folder(TABLES), cache_folder(SUITES)
    return Kept(
        cache_folder(""),
        () if tables is None else tuple(kept_tables(tables)),
        () if suites is None else tuple(kept_suites(suites)),
    )


def nothing_kept(folder: Path | None) -> str:
    """Why there is nothing to show or to remove."""
    from gridworld.support.cache import CACHE_VARIABLE

    return f"nothing is kept: {CACHE_VARIABLE} is empty" if folder is None else f"nothing is kept in {folder}"


def readable_size(size: int) -> str:
    """A number of bytes in MB, as 10^6 bytes."""
    return f"{size / 1e6:,.1f} MB"


@command()
def show_cache(as_json: AsJson = False) -> None:
    """Show what is kept on disk: the solver's tables of states, by task and tiling, and generated suites.

    They are kept so that each is made once. GRIDWORLD_CACHE names another folder for them; if it is empty, none are
    kept.
    """
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
    columns = [
        Column("What"),
        Column("Tiling", 1),
        numeric("States", 2),
        numeric("Size"),
    ]
    rows = [[table.task_id, table.tiling, f"{table.states:,}", readable_size(table.size)] for table in kept.tables]
    rows += [[f"suite of {counted(each.tasks, 'task')}", "", "", readable_size(each.size)] for each in kept.suites]
    print_table(columns, rows)
    echo(visible_line(f"{kept} in {kept.folder}"))


@command()
def clear_cache(yes: Yes = False) -> None:
    """Remove the tables and generated suites that are kept on disk; those that are needed again are made again."""
    from gridworld.solver.table_cache import TABLES
    from gridworld.suites.generated import SUITES

    kept = find_kept()
    folders = [] if kept.folder is None else [kept.folder / kind for kind in (TABLES, SUITES)]
    if not any(folder.exists() for folder in folders):
        echo(nothing_kept(kept.folder), err=True)
        return
    if not yes:
        confirm_removal([visible_line(f"{kept.folder}: {kept}")])
    _remove(folders)
    echo(f"removed {kept}")


def _remove(folders: Iterable[Path]) -> None:
    """Remove all that is in some folders; raises GridworldError if it cannot be removed."""
    from gridworld.support.cache import clear_cache

    try:
        for folder in folders:
            clear_cache(folder)
    except OSError as error:
        raise GridworldError(f"cannot remove {error.filename}: {error.strerror}") from error
