"""``multinet cache clear``: remove the tables of states that are kept on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridworld.support.wording import visible_line
from multinet_eval.cli.cache.kept import nothing_kept, total
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import Yes, confirm_removal

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["clear_cache"]


def clear_cache(yes: Yes = False) -> None:
    """Remove the tables of states that are kept on disk; those that are needed again are made again."""
    with exit_on_error():
        from gridworld.solver.table_cache import TABLES, kept_tables
        from gridworld.support.cache import cache_folder

        folder = cache_folder(TABLES)
        tables = [] if folder is None else list(kept_tables(folder))
        if folder is None or not folder.exists():
            echo(nothing_kept(folder), err=True)
            return
        if not yes:
            confirm_removal([visible_line(f"{folder}: {total(tables)}")])
        _remove(folder)
        echo(f"removed {total(tables)}")


def _remove(folder: Path) -> None:
    """Remove all tables; raises GridworldError if one cannot be removed."""
    from gridworld.errors import GridworldError
    from gridworld.support.cache import clear_cache

    try:
        clear_cache(folder)
    except OSError as error:
        raise GridworldError(f"cannot remove {error.filename}: {error.strerror}") from error
