"""Scenes of a run as a page takes them: as they were recorded, or not at all.

The page draws a board from cells, seams, glyphs and looks alone (`gridworld.backends.scenes`), so that it needs neither
the tiling nor the mechanisms that it shows. It draws whatever it is given, so all that it relies on is checked here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gridworld.backends.looks import FLAG
from gridworld.backends.scenes import glyph_text
from gridworld.drawing.contrast import DISTINCT
from gridworld.drawing.glyphs import Tint, to_rgb
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory

__all__ = ["check_numbers", "check_step", "colored_scene", "read_scene"]

LARGEST = 1e100
"""Of numbers in files: sums and squares of smaller ones are finite."""
NOT_OF_THIS_FORM = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading JSON of another form raises."""
MEASURES = {
    "rectangle": ("left", "top", "right", "bottom"),
    "circle": ("x", "y", "radius"),
    "line": ("x0", "y0", "x1", "y1", "radius"),
}
"""Kind of a shape to its numbers; every other kind has ``points``."""


def read_scene(directory: RunDirectory, digest: object) -> dict[str, Any]:
    """A recorded scene as the page draws it.

    Raises:
        RunError: it is missing or damaged.
    """
    try:
        scene = directory.scene(digest)
        _check_scene(scene)
        return colored_scene(scene)
    except NOT_OF_THIS_FORM as error:
        raise RunError(f"scenes/{digest}.json: it is no scene: {_reason(error)}") from error


def check_numbers(value: Any) -> None:
    """Check that the numbers in JSON are finite and of at most a hundred digits; raises ValueError."""
    rest = [value]
    while rest:
        each = rest.pop()
        if isinstance(each, dict):
            rest.extend(each.values())
        elif isinstance(each, list):
            rest.extend(each)
        elif isinstance(each, (int, float)) and not -LARGEST <= each <= LARGEST:
            raise ValueError("expected finite numbers of at most 100 digits")


def check_step(step: Mapping[str, Any], scene: Mapping[str, Any], place: str) -> None:
    """Check what a step says of the board.

    Args:
        step: its ``agent``, ``looks``, ``shown`` and ``events``, each of which may be missing.
        scene: the scene of the episode.
        place: the step, for messages.

    Raises:
        RunError: it names cells or glyphs that the scene has not, or is of another form.
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
    except NOT_OF_THIS_FORM as error:
        raise RunError(f"{place}: {_reason(error)}") from error


def _check_scene(scene: Mapping[str, Any]) -> None:
    """Check all that the page draws, but for colours; raises errors of many kinds where it is of another form."""
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
    _check(all(_is_index(glyph, glyphs) for glyph in scene.get("filling", ())), "filling: expected glyphs")
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
        case [bool(), mark, [*things]] if mark is None or _is_index(mark, glyphs):
            if all(_is_index(thing, glyphs) for thing in things):
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
    """A scene with ``#rrggbb`` for all colours and ``goal``, the number of the goal's glyph or None."""
    goal = next((number for number, glyph in enumerate(scene["glyphs"]) if _text(glyph) == _FLAG), None)
    return {**scene, "goal": goal, "glyphs": [[_colored(shape) for shape in glyph] for glyph in scene["glyphs"]]}


def _text(glyph: list[dict[str, Any]]) -> str:
    return json.dumps(glyph, separators=(",", ":"))


_FLAG = glyph_text(FLAG)


def _colored(shape: dict[str, Any]) -> dict[str, Any]:
    given = shape["color"]
    color = Tint(given[0], given[1]) if isinstance(given[0], str) else tuple(given)
    return {**shape, "color": "#{:02x}{:02x}{:02x}".format(*to_rgb(color, DISTINCT))}
