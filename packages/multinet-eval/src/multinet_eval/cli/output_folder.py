"""What is asked of a folder that ``--output`` names."""

from __future__ import annotations

from pathlib import Path

from gridworld.errors import ArgumentError

__all__ = ["refuse_file_as_folder"]


def refuse_file_as_folder(output: Path) -> None:
    """Make sure that a folder could be there; raises ArgumentError if something else is."""
    if output.exists() and not output.is_dir():
        raise ArgumentError(f"--output: {output} is a file, expected a folder")
