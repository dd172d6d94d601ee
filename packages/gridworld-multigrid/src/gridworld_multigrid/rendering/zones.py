"""Zones of a cell: sealed seams, lines along its edges, bands inside the edges of its patch, and the centre."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from gridworld.support.caches import bounded
from gridworld_multigrid.rendering.layout import CellShape
from gridworld_multigrid.rendering.raster import SAMPLES, UNITS, count_samples, inside_polygon, sample_points

Share = NDArray[np.int32]
"""Share of each pixel, 0 to 16; shape (height, width)."""

BYTES_PER_ARRAY, BYTES_PER_SHAPE = 128, 1024
"""Memory of an array without its elements, and of a `CellShape`, in bytes."""
LINE_WIDTH = 0.5
"""Pixels on each side of an edge."""
SEAM_WIDTH = 2.0
HEM_WIDTH, LEAST_HEM = 0.07, 1.0
"""Width of hems as a fraction of the patch's radius, and the minimum in pixels."""
BAND_WIDTH = 0.14
"""Width of bands as a fraction of the patch's radius."""


@attrs.frozen(eq=False)
class Zones:
    """The share of each pixel in a cell's box that belongs to each of its zones."""

    seam: Share
    """Sealed seams."""
    rim: Share
    """Line along the edges of the patch."""
    hem: Share
    """Zone inside the rim."""
    band: Share
    """Zone inside the hem."""
    inset: Share
    """Zone inside the band, as wide as the hem."""
    middle: Share
    joints: tuple[Share, ...]
    """Lines along edges shared within the patch, split by zone (hem, band, inset and middle) and excluded from these.
    """
    whole: Share
    """Total share of the cell."""

    @property
    def parts(self) -> tuple[Share, ...]:
        """Shares of all zones."""
        return self.seam, self.rim, self.hem, self.band, self.inset, self.middle, *self.joints, self.whole

    @property
    def size(self) -> int:
        """Memory of the zones and of their key, a shape, in bytes."""
        return BYTES_PER_SHAPE + sum(BYTES_PER_ARRAY + part.nbytes for part in self.parts)


@bounded(lambda zones, *_: zones.size)
def zones_of(shape: CellShape, sealed: frozenset[int]) -> Zones:
    """Return the zones of a cell whose edges `sealed` are sealed seams; edge `i` goes from corner `i` to the next."""
    left = inside_polygon(shape.corners, shape.width, shape.height)
    whole = count_samples(left)
    radius = shape.hub[2]
    width = max(LEAST_HEM, HEM_WIDTH * radius)
    outer = _nearest(shape, frozenset(range(len(shape.corners))) - shape.inner)
    joint = _nearest(shape, shape.inner) < LINE_WIDTH
    masks = []
    for near in (
        _nearest(shape, sealed) < SEAM_WIDTH,
        outer < LINE_WIDTH,
        outer < LINE_WIDTH + width,
        outer < LINE_WIDTH + width + BAND_WIDTH * radius,
        outer < LINE_WIDTH + 2 * width + BAND_WIDTH * radius,
    ):
        masks.append(left & near)
        left &= ~near
    seam, rim, *inside = (*masks, left)
    hem, band, inset, middle = (count_samples(mask & ~joint) for mask in inside)
    joints = tuple(count_samples(mask & joint) for mask in inside)
    return Zones(count_samples(seam), count_samples(rim), hem, band, inset, middle, joints, whole)


def _nearest(shape: CellShape, edges: frozenset[int]) -> NDArray[np.float64]:
    """Return the distance of each sample from the nearest edge, in pixels; infinite without edges."""
    far = np.full((shape.height * SAMPLES, shape.width * SAMPLES), np.inf)
    nearest: NDArray[np.float64] = np.minimum.reduce([far, *(_distances(shape, edge) for edge in edges)])
    return nearest


def _distances(shape: CellShape, edge: int) -> NDArray[np.float64]:
    """Return the distance of each sample from the line through an edge, in pixels."""
    x, y = sample_points(shape.width, shape.height)
    (x0, y0), (x1, y1) = shape.corners[edge], shape.corners[(edge + 1) % len(shape.corners)]
    cross = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
    distances: NDArray[np.float64] = np.abs(cross) / (np.hypot(x1 - x0, y1 - y0) * UNITS)
    return distances
