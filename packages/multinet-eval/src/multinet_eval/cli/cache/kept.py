"""What the cache commands share: what is kept on disk, and how much it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from gridworld.support.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from gridworld.solver.table_cache import KeptTable
    from gridworld.suites.generated import KeptSuite

__all__ = ["Kept", "find_kept", "nothing_kept", "readable_size"]


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
