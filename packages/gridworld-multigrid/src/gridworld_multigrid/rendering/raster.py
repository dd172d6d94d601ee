"""Shapes as samples, 4 x 4 per pixel, and pictures as exact integer sums of their cells' contributions.

Corners are integers, `UNITS` to a pixel, and no sample lies on their grid lines: of polygons that share an edge exactly
one owns each sample near it, so that the shares of a picture's cells in a pixel add up to the whole pixel.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SAMPLES = 4
"""Samples along a side of a pixel."""
WHOLE = SAMPLES * SAMPLES
"""Value of a fully covered pixel."""
WHOLE_BITS = 4
"""``2 ** WHOLE_BITS == WHOLE``, so that a shift replaces the division by a whole pixel's share."""
UNITS = 32
"""Units of length along a side of a pixel; an even number per sample, so that samples have a centre."""

Mask = NDArray[np.bool_]
IntPoint = tuple[int, int]


def sample_points(width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the x and y coordinates of all samples of a picture, in units; shapes (1, columns) and (rows, 1)."""
    step = UNITS // SAMPLES
    x = np.arange(width * SAMPLES, dtype=np.int64) * step + step // 2
    y = np.arange(height * SAMPLES, dtype=np.int64) * step + step // 2
    return x[np.newaxis, :], y[:, np.newaxis]


def inside_polygon(corners: Sequence[IntPoint], width: int, height: int) -> Mask:
    """Return a mask of the samples inside a simple polygon, convex or not, by the even-odd rule.

    Args:
        corners: in units, relative to the top left of the picture.
        width: width of the picture in pixels.
        height: its height.

    Returns:
        Shape (height * SAMPLES, width * SAMPLES).
    """
    x, y = sample_points(width, height)
    inside = np.zeros((height * SAMPLES, width * SAMPLES), dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if y0 > y1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        beside = (y0 <= y) & (y < y1)
        inside ^= beside & ((x - x0) * (y1 - y0) < (x1 - x0) * (y - y0))
    return inside


def count_samples(samples: NDArray[np.generic]) -> NDArray[np.int32]:
    """Sum the samples of each pixel.

    Args:
        samples: shape (height * SAMPLES, width * SAMPLES, ...).

    Returns:
        Shape (height, width, ...).
    """
    rows, columns, *rest = samples.shape
    blocks = samples.reshape(rows // SAMPLES, SAMPLES, columns // SAMPLES, SAMPLES, *rest)
    sums: NDArray[np.int32] = blocks.sum(axis=(1, 3), dtype=np.int32)
    return sums


Picture = NDArray[np.uint8]
"""Picture in RGB, shape (height, width, 3)."""
Part = tuple[slice, slice]
"""Rows and columns of a picture."""
Sums = NDArray[np.int16]
"""RGB values times 16, in the shape of the picture."""


def rounded(sums: Sums) -> Picture:
    """Convert the sum of all cells and the background to a picture."""
    return ((sums + WHOLE // 2) >> WHOLE_BITS).astype(np.uint8)
