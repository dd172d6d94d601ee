"""The largest circle inside a patch, where the picture of what fills it is drawn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Circle", "Corners", "Edge", "distance_to_edges", "edges_of", "inscribed_circle", "outer_edges"]

IntPoint = tuple[int, int]
Corners = tuple[IntPoint, ...]
"""Of a polygon, in order."""
Edge = tuple[IntPoint, IntPoint]
"""Two corners of a polygon, one after the other."""
Circle = tuple[float, float, float]
"""x, y and radius."""

PLACES = 33
"""Places along a side of the search's window."""
ROUNDS = 8
"""How often the window is narrowed down to a quarter."""


def edges_of(corners: Corners) -> list[Edge]:
    """The edges of a polygon; edge `i` goes from corner `i` to the next."""
    return list(zip(corners, (*corners[1:], corners[0]), strict=True))


def outer_edges(polygons: Sequence[Corners]) -> list[Edge]:
    """The edges of some polygons that no two of them share."""
    edges = [edge for corners in polygons for edge in edges_of(corners)]
    taken = Counter(frozenset(edge) for edge in edges)
    return [edge for edge in edges if taken[frozenset(edge)] == 1]


def inscribed_circle(polygons: tuple[Corners, ...]) -> Circle:
    """The largest circle inside some convex polygons that lie side by side.

    Where there are several, it is the one next to the middle of them all.

    Args:
        polygons: their corners, in any unit.
    """
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
    """From a place to the nearest of some edges."""
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
    """From each place to the nearest of some edges."""
    distances: NDArray[np.float64] = np.min([_distance(places, edge) for edge in edges], axis=0)
    return distances


def _distance(places: NDArray[np.float64], edge: Edge) -> NDArray[np.float64]:
    (x0, y0), (x1, y1) = edge
    dx, dy = x1 - x0, y1 - y0
    along = np.clip(((places[:, 0] - x0) * dx + (places[:, 1] - y0) * dy) / math.hypot(dx, dy) ** 2, 0, 1)
    distance: NDArray[np.float64] = np.hypot(places[:, 0] - x0 - along * dx, places[:, 1] - y0 - along * dy)
    return distance
