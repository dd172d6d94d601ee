"""Options of the commands that write pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["ANIMATED", "STILL", "Milliseconds", "check_picture_file"]

STILL, ANIMATED = (".png",), (".gif", ".webp")

Milliseconds = Annotated[int, typer.Option("--milliseconds", min=20, max=60_000, help="How long each frame is shown.")]


def check_picture_file(output: Path, endings: tuple[str, ...]) -> None:
    """Make sure that a picture could be written to a file.

    Raises:
        ArgumentError: its name has none of these endings, or its folder does not exist.
    """
    from gridworld.errors import ArgumentError

    if output.suffix.lower() not in endings:
        *others, last = endings
        raise ArgumentError(f"--output: expected a name ending in {', '.join(others)} or {last}, got {output.name}")
    if not output.parent.is_dir():
        raise ArgumentError(f"--output: the folder {output.parent} does not exist")
