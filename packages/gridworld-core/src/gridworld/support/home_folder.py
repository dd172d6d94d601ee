"""Paths below the home folder, as people write them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

__all__ = ["below_home"]


def below_home(path: str) -> str:
    """A path with what a ``~`` at its beginning stands for; as it is if there is none, or no such user."""
    if path.startswith("~"):
        with suppress(RuntimeError):
            return str(Path(path).expanduser())
    return path
