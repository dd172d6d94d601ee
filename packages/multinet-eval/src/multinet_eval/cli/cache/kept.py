"""What the cache commands share: the tables that are kept, and how much they take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gridworld.support.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from gridworld.solver.table_cache import KeptTable

__all__ = ["nothing_kept", "readable_size", "total"]


def nothing_kept(folder: Path | None) -> str:
    """Why there is nothing to show or to remove."""
    from gridworld.support.cache import CACHE_VARIABLE

    if folder is None:
        return f"no tables are kept: {CACHE_VARIABLE} is empty"
    return f"no tables in {folder}"


def total(tables: Iterable[KeptTable]) -> str:
    """How many tables there are, and how much they take."""
    sizes = [table.size for table in tables]
    return f"{counted(len(sizes), 'table')}, {readable_size(sum(sizes))}"


def readable_size(size: int) -> str:
    """A number of bytes in MB, as 10^6 bytes."""
    return f"{size / 1e6:,.1f} MB"
