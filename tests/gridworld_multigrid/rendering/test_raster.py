"""Samples and zones: the shares that the cells of a tiling have in each pixel add up to whole pixels."""

from itertools import product

import numpy as np

from gridworld_multigrid.rendering.layout import Layout, lay_out
from gridworld_multigrid.rendering.raster import UNITS, WHOLE, count_samples, inside_polygon
from gridworld_multigrid.rendering.zones import zones_of
from support.thoroughness import in_turn
from support.tilings import TILINGS, make_topology, on_all_tilings

SIZES = [(64, 64), (150, 111)]


def share_of_cells(layout: Layout) -> np.ndarray:
    """How much of each pixel the cells have together."""
    total = np.zeros((layout.height, layout.width), dtype=int)
    for placed in layout.cells:
        total[placed.box.slices] += zones_of(placed.shape, frozenset()).whole
    return total


@in_turn("size, lattice", SIZES, [(5, 4), (16, 12)])
@on_all_tilings
def test_cells_share_pixels_without_gap_or_overlap(name: str, lattice: tuple[int, int], size: tuple[int, int]) -> None:
    """Only pixels at the rim, near one that no cell touches, are covered in part."""
    total = np.pad(share_of_cells(lay_out(make_topology(name, lattice), size)), 2)
    height, width = total.shape
    beside_nothing = np.zeros((height - 4, width - 4), dtype=bool)
    for y, x in product(range(5), range(5)):
        beside_nothing |= total[y : y + height - 4, x : x + width - 4] == 0
    assert total.max() == WHOLE
    assert (total[2:-2, 2:-2][~beside_nothing] == WHOLE).all()


@on_all_tilings
def test_a_sealed_seam_takes_its_share_from_the_other_zones(name: str) -> None:
    layout = lay_out(make_topology(name, (5, 4)), (320, 320))
    for placed in layout.cells:
        plain, sealed = zones_of(placed.shape, frozenset()), zones_of(placed.shape, frozenset({0}))
        assert plain.seam.sum() == 0 < sealed.seam.sum()
        np.testing.assert_array_equal(plain.whole, sealed.whole)


def test_most_cells_of_a_tiling_have_few_shapes() -> None:
    for name in TILINGS:
        layout = lay_out(make_topology(name, (16, 12)), (640, 640))
        assert len({placed.shape for placed in layout.cells}) <= len(layout.cells) / 4


def test_a_polygon_owns_the_samples_inside_it() -> None:
    square = [(0, 0), (UNITS, 0), (UNITS, UNITS), (0, UNITS)]
    np.testing.assert_array_equal(count_samples(inside_polygon(square, 2, 2)), [[WHOLE, 0], [0, 0]])
    triangle = [(0, 0), (2 * UNITS, 0), (0, 2 * UNITS)]
    counts = count_samples(inside_polygon(triangle, 2, 2))
    assert counts[0, 0] == WHOLE
    assert counts[1, 1] == 0
    assert 0 < counts[0, 1] == counts[1, 0] < WHOLE


def test_a_polygon_need_not_be_convex() -> None:
    notched = [(0, 0), (3 * UNITS, 0), (3 * UNITS, 2 * UNITS), (2 * UNITS, UNITS), (UNITS, UNITS), (0, 2 * UNITS)]
    counts = count_samples(inside_polygon(notched, 3, 2))
    assert (counts[0] == WHOLE).all()
    assert counts[1, 1] == 0
    assert counts[1, 0] > 0 < counts[1, 2]


def test_neighbours_share_a_slanted_edge_exactly() -> None:
    left = [(0, 0), (37, 0), (61, 96), (0, 96)]
    right = [(37, 0), (96, 0), (96, 96), (61, 96)]
    together = inside_polygon(left, 3, 3).astype(int) + inside_polygon(right, 3, 3)
    assert (together == 1).all()
