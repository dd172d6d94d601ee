"""Scenes as the page takes them: as they are recorded, with the colours that things have on it.

The page draws a board from cells, seams, glyphs and looks alone (`gridworld.backends.scenes`), so that it needs neither
the tiling nor the mechanisms that it shows.
"""

from __future__ import annotations

import json
from typing import Any

from gridworld.backends.looks import FLAG
from gridworld.backends.scene_looks import glyph_text
from gridworld.drawing.contrast import DISTINCT
from gridworld.drawing.glyphs import Tint, to_rgb
from multinet_eval.runs.record_folders import RunError
from multinet_eval.runs.run_directory import RunDirectory

__all__ = ["colored_scene", "read_scene"]

SCENES = "scenes"


def read_scene(directory: RunDirectory, digest: str) -> dict[str, Any]:
    """A recorded scene as the page draws it.

    Raises:
        RunError: it is missing or damaged.
    """
    path = directory.path / SCENES / f"{digest}.json"
    try:
        return colored_scene(json.loads(path.read_bytes()))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise RunError(f"{path}: the scene cannot be read: {_reason(error)}") from error


def colored_scene(scene: dict[str, Any]) -> dict[str, Any]:
    """A scene with ``#rrggbb`` for all colours and ``goal``, the number of the goal's glyph or None."""
    goal = next((number for number, glyph in enumerate(scene["glyphs"]) if _text(glyph) == _FLAG), None)
    return {**scene, "goal": goal, "glyphs": [[_colored(shape) for shape in glyph] for glyph in scene["glyphs"]]}


def _text(glyph: list[dict[str, Any]]) -> str:
    return json.dumps(glyph, separators=(",", ":"))


_FLAG = glyph_text(FLAG)


def _reason(error: Exception) -> str:
    return str(error.strerror) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"


def _colored(shape: dict[str, Any]) -> dict[str, Any]:
    given = shape["color"]
    color = Tint(given[0], given[1]) if isinstance(given[0], str) else tuple(given)
    return {**shape, "color": "#{:02x}{:02x}{:02x}".format(*to_rgb(color, DISTINCT))}
