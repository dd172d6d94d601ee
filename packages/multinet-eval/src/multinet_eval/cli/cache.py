"""``multinet cache``: show or remove cached state tables and generated suites."""

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
    from gridworld.suites.generated import CachedSuite


@attrs.frozen
class Kept:
    """The contents of the cache."""

    folder: Path | None
    """Folder of the cache; None if caching is off."""
    tables: tuple[KeptTable, ...]
    suites: tuple[CachedSuite, ...]

    @property
    def size(self) -> int:
        """Total size of the cache in bytes."""
        return sum(table.size for table in self.tables) + sum(suite.size for suite in self.suites)

    def __str__(self) -> str:
        return f"{counted(len(self.tables), 'table')}, {counted(len(self.suites), 'suite')}, {readable_size(self.size)}"


def find_kept() -> Kept:
    """Read the contents of the cache."""
    from gridworld.solver.table_cache import TABLES, kept_tables
    from gridworld.suites.generated import SUITES, cached_suites
    from gridworld.support.caches import cache_folder

    tables, suites = cache_folder(TABLES), cache_folder(SUITES)
    return Kept(
        cache_folder(""),
        () if tables is None else tuple(kept_tables(tables)),
        () if suites is None else tuple(cached_suites(suites)),
    )


def nothing_kept(folder: Path | None) -> str:
    """Return the message for an empty cache."""
    from gridworld.support.caches import CACHE_VARIABLE

    return f"no cache: {CACHE_VARIABLE} is empty" if folder is None else f"nothing cached in {folder}"


def readable_size(size: int) -> str:
    """Format a number of bytes in MB of 10^6 bytes."""
    return f"{size / 1e6:,.1f} MB"


@command()
def show_cache(as_json: AsJson = False) -> None:
    """Show the solver's cached state tables, by task and tiling, and generated suites.

    GRIDWORLD_CACHE names another folder; if it is empty, nothing is cached.
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
    """Remove cached state tables and generated suites; they are made again when needed."""
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
    """Remove the contents of folders; raises GridworldError if that fails."""
    from gridworld.support.caches import clear_cache

    try:
        for folder in folders:
            clear_cache(folder)
    except OSError as error:
        raise GridworldError(f"cannot remove {error.filename}: {error.strerror}") from error
