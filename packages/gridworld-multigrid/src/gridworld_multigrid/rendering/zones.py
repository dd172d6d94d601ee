"""The parts of a cell: its outline, its sealed seams, a band along its edges, and its middle."""

from __future__ import annotations

from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld_multigrid.rendering.layout import CellShape
from gridworld_multigrid.rendering.raster import UNITS, count_samples, inside_polygon, sample_points

__all__ = ["Zones", "zones_of"]

Share = NDArray[np.int32]
"""How much of each pixel, 0 to 16; shape (height, width)."""

OUTLINE_WIDTH = 0.5
"""Pixels on each side of an edge."""
SEAM_WIDTH = 2.0
BAND_WIDTH = 0.16
"""As a part of the radius of the cell."""


@attrs.frozen(eq=False)
class Zones:
    """What share of each pixel of a cell's box belongs to which part of the cell."""

    outline: Share
    seam: Share
    band: Share
    middle: Share


@lru_cache(maxsize=4096)
def zones_of(shape: CellShape, sealed: frozenset[int]) -> Zones:
    """The zones of a cell.

    Args:
        shape: the cell.
        sealed: its edges that are sealed seams; edge `i` goes from corner `i` to the next.
    """
    inside = inside_polygon(shape.corners, shape.width, shape.height)
    distances = [_distances(shape, edge) for edge in range(len(shape.corners))]
    nearest = np.minimum.reduce(distances)
    seam = inside & np.logical_or.reduce([distances[edge] < SEAM_WIDTH for edge in sealed] or [np.zeros_like(inside)])
    outline = inside & ~seam & (nearest < OUTLINE_WIDTH)
    band = inside & ~seam & ~outline & (nearest < OUTLINE_WIDTH + BAND_WIDTH * shape.inner_radius)
    middle = inside & ~seam & ~outline & ~band
    return Zones(*(count_samples(samples) for samples in (outline, seam, band, middle)))


def _distances(shape: CellShape, edge: int) -> NDArray[np.float64]:
    """The distance of each sample from an edge's line, in pixels."""
    x, y = sample_points(shape.width, shape.height)
    (x0, y0), (x1, y1) = shape.corners[edge], shape.corners[(edge + 1) % len(shape.corners)]
    cross = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
    distances: NDArray[np.float64] = np.abs(cross) / (np.hypot(x1 - x0, y1 - y0) * UNITS)
    return distances
