"""``multinet cache clear``: remove the tables and generated suites that are kept on disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gridworld.support.wording import visible_line
from multinet_eval.cli.cache.kept import find_kept, nothing_kept
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import Yes, confirm_removal

__all__ = ["clear_cache"]


def clear_cache(yes: Yes = False) -> None:
    """Remove the tables and generated suites that are kept on disk; those that are needed again are made again."""
    with exit_on_error():
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
    from gridworld.errors import GridworldError
    from gridworld.support.cache import clear_cache

    try:
        for folder in folders:
            clear_cache(folder)
    except OSError as error:
        raise GridworldError(f"cannot remove {error.filename}: {error.strerror}") from error
