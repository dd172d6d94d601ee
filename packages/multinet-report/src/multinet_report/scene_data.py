"""Validation of recorded scenes for the page.

The page draws a board only from cells, seams, glyphs and looks (`gridworld.backends.scenes`), so it needs neither the
tiling nor the mechanisms. Everything that drawing relies on is validated here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gridworld.backends.scenes import glyph_text
from gridworld.backends.thing_glyphs import FLAG
from gridworld.drawing.contrast import DISTINCT
from gridworld.drawing.glyphs import Tint, to_rgb
from gridworld.support.files import numbers_in
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory

LARGEST = 1e100
"""Largest absolute value of numbers in files, whose sums and squares must be finite."""
MALFORMED = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that reading malformed JSON can raise."""
MEASURES = {
    "rectangle": ("left", "top", "right", "bottom"),
    "circle": ("x", "y", "radius"),
    "line": ("x0", "y0", "x1", "y1", "radius"),
}
"""Numeric fields of shapes, by kind; other kinds have ``points``."""


def read_scene(directory: RunDirectory, digest: object) -> dict[str, Any]:
    """Read and validate a recorded scene.

    Raises:
        RunError: the scene is missing or malformed.
    """
    try:
        scene = directory.scene(digest)
        _check_scene(scene)
        return colored_scene(scene)
    except MALFORMED as error:
        raise RunError(f"scenes/{digest}.json: malformed scene: {_reason(error)}") from error


def check_numbers(value: Any) -> None:
    """Raise ValueError unless all numbers in JSON are finite and have at most 100 digits."""
    if not all(-LARGEST <= each <= LARGEST for each in numbers_in(value)):
        raise ValueError("expected finite numbers of at most 100 digits")


def check_step(step: Mapping[str, Any], scene: Mapping[str, Any], place: str) -> None:
    """Validate the changes of the board in a step.

    Args:
        step: an object with optional ``agent``, ``looks``, ``shown`` and ``events``.
        scene: the scene of the episode.
        place: name of the step, for messages.

    Raises:
        RunError: the step is malformed, or refers to cells or glyphs that the scene lacks.
    """
    cells, glyphs = len(scene["cells"]), len(scene["glyphs"])
    try:
        if "agent" in step:
            _check_agent(step["agent"], cells)
        for name in ("looks", "shown"):
            changes = step.get(name, {})
            _check(isinstance(changes, dict), f"{name}: expected an object")
            for cell, look in changes.items():
                _check(cell.isdecimal() and int(cell) < cells, f"{name}: expected numbers of cells")
                _check_look(look, glyphs)
        for event in step.get("events", ()):
            _check(event["kind"] != "PickedUp" or _is_index(event["cell"], cells), "PickedUp: expected a cell")
    except MALFORMED as error:
        raise RunError(f"{place}: {_reason(error)}") from error


def _check_scene(scene: Mapping[str, Any]) -> None:
    """Validate everything that is drawn, apart from colours; raises one of `MALFORMED`."""
    check_numbers(scene)
    cells, glyphs = len(scene["cells"]), len(scene["glyphs"])
    for polygon in scene["cells"]:
        _check(len(polygon) > 2 and all(map(_is_point, polygon)), "cells: expected polygons")
    _check_points(scene["centres"], cells, "centres")
    _check_points(scene["lattice"], cells, "lattice")
    _check(type(scene["headings"]) is int and scene["headings"] > 0, "headings: expected a number above 0")
    for glyph in scene["glyphs"]:
        for shape in glyph:
            _check_shape(shape)
    for seam in scene["seams"]:
        _check(len(seam) == 2 and all(_is_index(cell, cells) for cell in seam), "seams: expected two cells each")
    _check(all(_is_index(glyph, glyphs) for glyph in scene["filling"]), "filling: expected glyphs")
    _check_agent(scene["agent"], cells)
    shown = scene.get("shown")
    for looks in [scene["looks"]] if shown is None else [scene["looks"], shown]:
        _check(isinstance(looks, list) and len(looks) == cells, "looks: expected one for each cell")
        for look in looks:
            _check_look(look, glyphs)


def _check_shape(shape: Mapping[str, Any]) -> None:
    if shape["kind"] in MEASURES:
        measures = [shape[name] for name in MEASURES[shape["kind"]]]
        _check(all(map(_is_number, measures)), f"{shape['kind']}: expected numbers")
        sides = (
            (shape["right"] - shape["left"], shape["bottom"] - shape["top"]) if len(measures) == 4 else measures[-1:]
        )
        _check(min(sides) >= 0, f"{shape['kind']}: expected a size of at least 0")
    else:
        _check(all(map(_is_point, shape.get("points", ()))), f"{shape['kind']}: expected points")


def _check_points(points: Any, count: int, name: str) -> None:
    _check(
        isinstance(points, list) and len(points) == count and all(map(_is_point, points)), f"{name}: expected points"
    )


def _check_agent(agent: Any, cells: int) -> None:
    match agent:
        case [cell, heading, None | str()] if _is_index(cell, cells) and _is_number(heading):
            return
    raise ValueError(f"agent: expected a cell, a heading and an id or null, got {agent!r:.60}")


def _check_look(look: Any, glyphs: int) -> None:
    match look:
        case None:
            return
        case [bool(), mark, [*drawn]] if mark is None or _is_index(mark, glyphs):
            if all(_is_index(glyph, glyphs) for glyph in drawn):
                return
    raise ValueError(f"looks: expected null, or whether it is a wall and glyphs, got {look!r:.60}")


def _is_index(value: Any, count: int) -> bool:
    return type(value) is int and 0 <= value < count


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_point(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


def colored_scene(scene: dict[str, Any]) -> dict[str, Any]:
    """Return the scene with colours as ``#rrggbb``, and with ``goal``, the index of the goal's glyph or None."""
    texts = [json.dumps(glyph, separators=(",", ":")) for glyph in scene["glyphs"]]
    goal = texts.index(_FLAG) if _FLAG in texts else None
    return {**scene, "goal": goal, "glyphs": [[_colored(shape) for shape in glyph] for glyph in scene["glyphs"]]}


_FLAG = glyph_text(FLAG)


def _colored(shape: dict[str, Any]) -> dict[str, Any]:
    given = shape["color"]
    color = Tint(given[0], given[1]) if isinstance(given[0], str) else tuple(given)
    return {**shape, "color": "#{:02x}{:02x}{:02x}".format(*to_rgb(color, DISTINCT))}
