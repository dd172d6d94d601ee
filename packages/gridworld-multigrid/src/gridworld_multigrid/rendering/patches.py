"""Where things are drawn in a patch, worked out once for all patches of one form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import attrs

from gridworld_multigrid.rendering.circles import (
    Circle,
    Corners,
    Edge,
    distance_to_edges,
    edges_of,
    inscribed_circle,
    outer_edges,
)

__all__ = ["PRECISION", "PatchForm", "patch_form"]

Point = tuple[float, float]

PRECISION = 1_000_000
"""Corners closer than a millionth of the lattice spacing are one."""
TOWARDS_HUB = 0.5
"""How far from the middle of its cell towards that of the patch a thing is drawn."""


@attrs.frozen
class PatchForm:
    """A patch, wherever it is. Circles are in lattice spacings, relative to the first corner of the first cell."""

    hub: Circle
    """The largest circle in the patch: where to draw what fills it."""
    spots: tuple[Circle, ...]
    """For each cell, where to draw what lies on it: as far towards the hub as leaves no doubt that it lies there, and
    as large as the patch has room for it."""
    inner: tuple[frozenset[int], ...]
    """For each cell, the edges behind which the patch goes on; edge `i` goes from corner `i` to the next."""


def patch_form(polygons: Sequence[Sequence[Point]]) -> PatchForm:
    """The form of a patch.

    Args:
        polygons: the corners of its cells, in lattice spacings.
    """
    left, top = polygons[0][0]
    return _form(tuple(tuple(_rounded(x - left, y - top) for x, y in corners) for corners in polygons))


def _rounded(x: float, y: float) -> tuple[int, int]:
    return round(x * PRECISION), round(y * PRECISION)


@lru_cache(maxsize=1024)
def _form(polygons: tuple[Corners, ...]) -> PatchForm:
    hub, outline = inscribed_circle(polygons), outer_edges(polygons)
    return PatchForm(
        hub=_scaled(hub),
        spots=tuple(_scaled(_spot(corners, hub, outline)) for corners in polygons),
        inner=tuple(
            frozenset(number for number, edge in enumerate(edges_of(corners)) if edge not in outline)
            for corners in polygons
        ),
    )


def _spot(corners: Corners, hub: Circle, outline: Sequence[Edge]) -> Circle:
    x, y = (sum(place) / len(corners) for place in zip(*corners, strict=True))
    x, y = x + TOWARDS_HUB * (hub[0] - x), y + TOWARDS_HUB * (hub[1] - y)
    return x, y, distance_to_edges((x, y), outline)


def _scaled(circle: Circle) -> Circle:
    x, y, radius = circle
    return x / PRECISION, y / PRECISION, radius / PRECISION
