"""The tilings of gridworld-multigrid once more, without rounding and without end.

Coordinates are numbers ``a + b * sqrt(d)`` with integer `a` and `b`. A line of sight lies infinitely close to the
straight line between two centres, on one of its sides.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

from attrs import field, frozen

Surd = tuple[int, int]
"""``a + b * sqrt(d)``, where the tiling has `d`."""
Point = tuple[Surd, Surd]
Polygon = tuple[Point, ...]
Place = tuple[int, int, int]
"""Lattice column, lattice row, and number within the patch; also a difference of two."""
Way = tuple[Place, ...]
FARTHEST = 9
"""Lattice spacings that lines of sight may be long; they start in lattice cell (0, 0) or one next to it."""


def sign(number: Surd, d: int) -> int:
    a, b = number
    squares = a * a - d * b * b
    if a * b >= 0:
        return (a + b > 0) - (a + b < 0)
    return ((squares > 0) - (squares < 0)) * (1 if a > 0 else -1)


def product_of(first: Surd, second: Surd, d: int) -> Surd:
    return first[0] * second[0] + d * first[1] * second[1], first[0] * second[1] + first[1] * second[0]


def difference(first: Surd, second: Surd) -> Surd:
    return first[0] - second[0], first[1] - second[1]


def shifted(centre: Point, corners: Polygon) -> Polygon:
    (x, y), (x1, y1) = centre
    return tuple(((x + a, y + b), (x1 + c, y1 + e)) for (a, b), (c, e) in corners)


def mirrored(*corners: tuple[Surd, Surd]) -> Polygon:
    """The corners between "right" and "down", and their images in the other three quarters, clockwise."""

    def turned(corners: Polygon, x: int, y: int) -> Polygon:
        return tuple(((x * a, x * b), (y * c, y * e)) for (a, b), (c, e) in corners)

    right_down = tuple(corners)
    around = [
        *right_down,
        *reversed(turned(right_down, -1, 1)),
        *turned(right_down, -1, -1),
        *reversed(turned(right_down, 1, -1)),
    ]
    return tuple(dict.fromkeys(around))


@cache
def hexagon(x: int, y: int, _: int) -> Polygon:
    return shifted(((6 * x + 3 * (y % 2), 0), (0, 3 * y)), mirrored(((3, 0), (0, 1)), ((0, 0), (0, 2))))


@cache
def triangle(x: int, y: int, number: int) -> Polygon:
    column, top, bottom = 2 * x + number, (0, 3 * y), (0, 3 * y + 3)
    left, middle, right = ((3 * (column + each), 0) for each in range(3))
    if (column + y) % 2 == 0:
        return (middle, top), (right, bottom), (left, bottom)
    return (left, top), (right, top), (middle, bottom)


@cache
def octagon_or_square(x: int, y: int, _: int) -> Polygon:
    small, large = (2, -1), (0, 1)
    corners = mirrored((small, small)) if (x + y) % 2 else mirrored((large, small), (small, large))
    return shifted(((2 * x, 0), (2 * y, 0)), corners)


@cache
def of_ringed_hexagon(x: int, y: int, number: int) -> Polygon:
    half, slanted = (-6, 6), (18, -6)  # half a side, and half a side times the square root of 3
    upright = mirrored((half, half))
    a, b = (-3, 3), (9, -3)
    both, rest = (a[0] + b[0], a[1] + b[1]), (b[0] - a[0], b[1] - a[1])
    quarter = (both, rest), ((-rest[0], -rest[1]), both)
    turned = (*quarter, *(((-a, -b), (-c, -e)) for (a, b), (c, e) in quarter))
    wide, low, high = (-6, 6), (6, -2), (12, -4)
    down = ((-wide[0], -wide[1]), (-low[0], -low[1])), (wide, (-low[0], -low[1])), ((0, 0), high)
    up = ((0, 0), (-high[0], -high[1])), (wide, low), ((-wide[0], -wide[1]), low)
    shapes: list[tuple[Point, Polygon]] = [
        (((0, 0), (0, 0)), mirrored((slanted, half), ((0, 0), (-12, 12)))),
        (((12, 0), (0, 0)), upright),
        (((6, 0), (0, 6)), turned),
        (((-6, 0), (0, 6)), tuple((x, y) for y, x in reversed(turned))),
        (((12, 0), (0, 4)), down),
        (((0, 0), (0, 8)), up),
    ]
    (dx, dy), corners = shapes[number]
    return shifted(((24 * x + 12 * (y % 2) + dx[0], dx[1]), (dy[0], 12 * y + dy[1])), corners)


@frozen
class ExactTiling:
    """A tiling without end.

    Args:
        scale: coordinates per lattice spacing.
        d: the number under the root.
        headings: number of headings.
        patch: number of cells of each lattice cell.
        polygon: corners of a cell, clockwise.
        form: what the surroundings of a lattice cell depend on.
    """

    scale: int
    d: int
    headings: int
    patch: int
    polygon: Callable[[int, int, int], Polygon]
    form: Callable[[int, int], int]
    _beyond: dict[tuple[Point, Point], Place] = field(init=False, factory=dict)
    """The cells by their edges, as far as any line goes; a neighbour has the edge the other way round."""
    _centres: dict[Place, Point] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        sides = range(-FARTHEST - 4, FARTHEST + 6)
        for place in product(sides, sides, range(self.patch)):
            polygon = self.polygon(*place)
            self._beyond.update(dict.fromkeys(zip(polygon, polygon[1:] + polygon[:1], strict=True), place))

    def centre(self, place: Place) -> Point:
        if place not in self._centres:
            polygon = self.polygon(*place)
            sums = [sum(corner[axis][part] for corner in polygon) for axis in (0, 1) for part in (0, 1)]
            assert not any(number % len(polygon) for number in sums)
            xa, xb, ya, yb = (number // len(polygon) for number in sums)
            self._centres[place] = ((xa, xb), (ya, yb))
        return self._centres[place]

    def direction(self, heading: int) -> Point:
        """Twice the unit vector of a heading."""
        twice = {0: (2, 0), 30: (0, 1), 45: (0, 1), 60: (1, 0), 90: (0, 0)}

        def cosine(degrees: int) -> Surd:
            folded = min(degrees % 360, -degrees % 360)
            a, b = twice[min(folded, 180 - folded)]
            return (a, b) if folded <= 90 else (-a, -b)

        degrees = 360 * heading // self.headings
        return cosine(degrees), cosine(degrees - 90)

    def cross(self, first: Point, second: Point) -> Surd:
        return difference(product_of(first[0], second[1], self.d), product_of(first[1], second[0], self.d))

    def dot(self, first: Point, second: Point) -> Surd:
        (a, b), (c, e) = (product_of(each, other, self.d) for each, other in zip(first, second, strict=True))
        return a + c, b + e

    def away(self, start: Place, end: Place) -> Point:
        """The vector from one centre to another."""
        origin, target = self.centre(start), self.centre(end)
        return difference(target[0], origin[0]), difference(target[1], origin[1])

    def is_within(self, start: Place, end: Place, view_size: int) -> bool:
        """Whether a cell is within reach of another."""
        away = self.away(start, end)
        return sign(difference(self.dot(away, away), ((view_size * self.scale) ** 2, 0)), self.d) <= 0

    def is_behind(self, start: Place, end: Place, heading: int) -> bool:
        """Whether a cell is behind an agent."""
        return sign(self.dot(self.away(start, end), self.direction(heading)), self.d) < 0

    def way(self, start: Place, end: Place, side: int) -> Way:
        """The cells on a line of sight, on one side of the straight line."""
        origin, along = self.centre(start), self.away(start, end)

        def is_left(corner: Point) -> bool:
            away = difference(corner[0], origin[0]), difference(corner[1], origin[1])
            return (sign(self.cross(along, away), self.d) or side) < 0

        way = [start]
        while way[-1] != end:
            polygon = self.polygon(*way[-1])
            edges = zip(polygon, polygon[1:] + polygon[:1], strict=True)
            (out,) = ((first, last) for first, last in edges if is_left(first) and not is_left(last))
            way.append(self._beyond[out[::-1]])
        return tuple(way)


EXACT_TILINGS = {
    "hex": ExactTiling(6, 3, 6, 1, hexagon, lambda x, y: y % 2),
    "triangle": ExactTiling(6, 3, 6, 2, triangle, lambda x, y: y % 2),
    "488": ExactTiling(2, 2, 8, 1, octagon_or_square, lambda x, y: (x + y) % 2),
    "3464": ExactTiling(24, 3, 12, 6, of_ringed_hexagon, lambda x, y: y % 2),
}
