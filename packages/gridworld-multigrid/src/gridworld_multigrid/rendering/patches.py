"""Circles for glyphs in a patch, computed once for all patches of the same form."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

IntPoint = tuple[int, int]
Corners = tuple[IntPoint, ...]
"""Corners of a polygon, in order."""
Edge = tuple[IntPoint, IntPoint]
"""Two consecutive corners of a polygon."""
Circle = tuple[float, float, float]
"""A circle: x, y and radius."""

PLACES = 33
"""Number of candidate points along a side of the search window."""
ROUNDS = 8
"""Number of times that the window is reduced to a quarter."""


def edges_of(corners: Corners) -> list[Edge]:
    """Return the edges of a polygon; edge `i` goes from corner `i` to the next."""
    return list(zip(corners, (*corners[1:], corners[0]), strict=True))


def outer_edges(polygons: Sequence[Corners]) -> list[Edge]:
    """Return the edges of some polygons that are not shared by two of them."""
    edges = [edge for corners in polygons for edge in edges_of(corners)]
    taken = Counter(frozenset(edge) for edge in edges)
    return [edge for edge in edges if taken[frozenset(edge)] == 1]


def inscribed_circle(polygons: tuple[Corners, ...]) -> Circle:
    """Find the largest circle inside adjacent convex polygons; on a tie, the one nearest to their centre."""
    corners = np.array([corner for polygon in polygons for corner in polygon], dtype=float)
    centre = corners.mean(axis=0)
    middle, reach = (corners.min(axis=0) + corners.max(axis=0)) / 2, float(np.ptp(corners, axis=0).max()) / 2
    outline, least = outer_edges(polygons), 1e-6 * reach
    best = middle
    for _ in range(ROUNDS):
        steps = np.linspace(-reach, reach, PLACES)
        places = best + np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        room = np.where(_inside(places, polygons), _distance_to_edges(places, outline), -1.0)
        widest = places[room >= room.max() - least]
        best = widest[np.argmin(((widest - centre) ** 2).sum(axis=1))]
        reach /= 4
    x, y = float(best[0]), float(best[1])
    return x, y, distance_to_edges((x, y), outline)


def distance_to_edges(place: tuple[float, float], edges: Sequence[Edge]) -> float:
    """Return the distance from a point to the nearest edge."""
    return float(_distance_to_edges(np.array([place]), edges)[0])


def _inside(places: NDArray[np.float64], polygons: Sequence[Corners]) -> NDArray[np.bool_]:
    inside = np.zeros(len(places), dtype=bool)
    for corners in polygons:
        sides = [_side(places, edge) for edge in edges_of(corners)]
        inside |= np.all([side >= 0 for side in sides], axis=0) | np.all([side <= 0 for side in sides], axis=0)
    return inside


def _side(places: NDArray[np.float64], edge: Edge) -> NDArray[np.float64]:
    (x0, y0), (x1, y1) = edge
    side: NDArray[np.float64] = (x1 - x0) * (places[:, 1] - y0) - (y1 - y0) * (places[:, 0] - x0)
    return side


def _distance_to_edges(places: NDArray[np.float64], edges: Sequence[Edge]) -> NDArray[np.float64]:
    """Return the distance from each point to the nearest edge."""
    distances: NDArray[np.float64] = np.min([_distance(places, edge) for edge in edges], axis=0)
    return distances


def _distance(places: NDArray[np.float64], edge: Edge) -> NDArray[np.float64]:
    (x0, y0), (x1, y1) = edge
    dx, dy = x1 - x0, y1 - y0
    along = np.clip(((places[:, 0] - x0) * dx + (places[:, 1] - y0) * dy) / math.hypot(dx, dy) ** 2, 0, 1)
    distance: NDArray[np.float64] = np.hypot(places[:, 0] - x0 - along * dx, places[:, 1] - y0 - along * dy)
    return distance


Point = tuple[float, float]

PRECISION = 1_000_000
"""Corners closer than one part in this of the lattice spacing are equal."""
TOWARDS_HUB = 0.5
"""Fraction of the way from a cell's centre to the patch's centre at which glyphs are drawn."""


@attrs.frozen
class PatchForm:
    """The form of a patch. Circles are in lattice spacings, relative to the first corner of the first cell."""

    hub: Circle
    """Largest circle in the patch, for glyphs that fill the patch."""
    spots: tuple[Circle, ...]
    """For each cell, a circle for content on it, as large as fits, shifted towards the hub but clearly on the cell."""
    inner: tuple[frozenset[int], ...]
    """For each cell, the edges that it shares with the patch; edge `i` goes from corner `i` to the next."""


def patch_form(polygons: Sequence[Sequence[Point]]) -> PatchForm:
    """Return the form of a patch, given the corners of its cells in lattice spacings."""
    left, top = polygons[0][0]
    return _form(
        tuple(
            tuple((round((x - left) * PRECISION), round((y - top) * PRECISION)) for x, y in corners)
            for corners in polygons
        )
    )


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
