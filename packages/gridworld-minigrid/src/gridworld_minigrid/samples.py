"""Which samples of an image a shape takes: what MiniGrid's test of a single point says, found for all points at once.

MiniGrid asks about each point on its own, which takes a tenth of a second for one triangle on a tile. Most points are
far from every edge and are decided together here; near an edge, where rounding decides, its own test is asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from minigrid.utils.rendering import point_in_circle, point_in_line, point_in_rect, point_in_triangle, rotate_fn

__all__ = ["Corner", "Samples"]

InsideTest = Callable[[float, float], bool]
Corner = tuple[float, float]
"""(x, y) in a tile of side 1."""

EDGE = 1e-3
"""How near to an edge MiniGrid's own test is asked; thousands of times what single precision can be wrong by."""
SLIVER = 1e-3
"""The square of the sine of a triangle's angle below which every point counts as near to its edges."""


class Samples:
    """The centres of the samples of an image of one cell, whose sides are one long.

    Each method returns which of them a shape takes: shape (height, width), bool.
    """

    def __init__(self, height: int, width: int) -> None:
        self._x, self._y = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)

    def in_rectangle(self, left: float, right: float, top: float, bottom: float) -> np.ndarray:
        """Those in an axis-parallel rectangle."""
        x, y = self._x, self._y
        depth = np.minimum(np.minimum(x - left, right - x), np.minimum(y - top, bottom - y))
        return self._decided(depth, point_in_rect(left, right, top, bottom))

    def in_circle(self, x: float, y: float, radius: float) -> np.ndarray:
        """Those in a disc around (`x`, `y`)."""
        depth = radius - np.hypot(self._x - x, self._y - y)
        return self._decided(depth, point_in_circle(x, y, radius))

    def in_line(self, start: Corner, end: Corner, radius: float) -> np.ndarray:
        """Those at most `radius` from a straight stroke."""
        (x0, y0), (x1, y1) = start, end
        dx, dy = x1 - x0, y1 - y0
        length = math.hypot(dx, dy)
        inside = point_in_line(x0, y0, x1, y1, radius)
        if length < EDGE:
            return self._decided(np.zeros_like(self._x), inside)
        along = np.clip(((self._x - x0) * dx + (self._y - y0) * dy) / length**2, 0, 1)
        depth = radius - np.hypot(self._x - x0 - along * dx, self._y - y0 - along * dy)
        return self._decided(depth, inside)

    def in_triangle(self, a: Corner, b: Corner, c: Corner) -> np.ndarray:
        """Those in the triangle of three corners."""
        return self._between(self._x, self._y, (a, b, c), point_in_triangle(a, b, c))

    def in_turned_triangle(self, a: Corner, b: Corner, c: Corner, turn: float) -> np.ndarray:
        """Those in a triangle that is turned clockwise around the centre of the cell, by so many radians."""
        right, down, cos, sin = self._x - 0.5, self._y - 0.5, math.cos(turn), math.sin(turn)
        inside = rotate_fn(point_in_triangle(a, b, c), 0.5, 0.5, turn)
        return self._between(0.5 + right * cos + down * sin, 0.5 + down * cos - right * sin, (a, b, c), inside)

    def _between(
        self, x: np.ndarray, y: np.ndarray, corners: tuple[Corner, Corner, Corner], inside: InsideTest
    ) -> np.ndarray:
        (ax, ay), b, c = corners
        (bx, by), (cx, cy) = (b[0] - ax, b[1] - ay), (c[0] - ax, c[1] - ay)
        area = bx * cy - by * cx
        if area**2 <= SLIVER * (bx**2 + by**2) * (cx**2 + cy**2):
            return self._decided(np.zeros_like(x), inside)
        right, down = x - ax, y - ay
        along_b, along_c = (right * cy - down * cx) / area, (down * bx - right * by) / area
        return self._decided(np.minimum(np.minimum(along_b, along_c), 1 - along_b - along_c), inside)

    def _decided(self, depth: np.ndarray, inside: InsideTest) -> np.ndarray:
        """Those inside, given how deep inside each is (negative outside) and the test that decides near the edge."""
        taken = depth > 0
        for place in zip(*np.nonzero(np.abs(depth) < EDGE), strict=True):
            taken[place] = inside(self._x[place], self._y[place])
        return taken
