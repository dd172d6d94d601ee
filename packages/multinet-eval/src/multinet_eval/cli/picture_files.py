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
        ArgumentError: its name has none of these endings, or it could not be written.
    """
    from gridworld.errors import ArgumentError
    from multinet_eval.cli.output_places import refuse_output

    if output.suffix.lower() not in endings:
        *others, last = endings
        raise ArgumentError(f"--output: expected a name ending in {', '.join(others)} or {last}, got {output.name}")
    refuse_output(output)
