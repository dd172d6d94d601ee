"""Cells of one form have the same tiling around them."""

import math
from itertools import product

import pytest

from gridworld.world import Topology
from gridworld.world.topology import NO_CELL
from gridworld_multigrid.tilings.sight import cell_forms
from support.tilings import make_topology, on_polygon_tilings

FORMS = {"hex": 2, "triangle": 4, "488": 4, "3464": 12}
"""Tiling to how many forms there are."""


def forms_of(topology: Topology) -> tuple[int, ...]:
    return cell_forms(topology.polygons, topology.patches, (topology.width, topology.height))


@on_polygon_tilings
def test_there_are_as_many_however_large_the_tiling_is(name: str) -> None:
    assert [len(set(forms_of(make_topology(name, size)))) for size in ((5, 5), (8, 6))] == [FORMS[name]] * 2


@on_polygon_tilings
def test_cells_of_one_form_are_moved_with_all_around_them(name: str) -> None:
    """Of any two, one's corners and exits are those of the other, as far as both have them."""
    topology = make_topology(name, (6, 5))
    forms, headings = forms_of(topology), topology.heading_count
    for one, other in product(range(topology.cell_count), repeat=2):
        if forms[one] != forms[other]:
            continue
        (x0, y0), (x1, y1) = topology.polygons[one][0], topology.polygons[other][0]
        for (x2, y2), (x3, y3) in zip(topology.polygons[one], topology.polygons[other], strict=True):
            assert math.dist((x2 - x0, y2 - y0), (x3 - x1, y3 - y1)) < 1e-6
        for heading in range(headings):
            exits = [topology.exits[cell * headings + heading] for cell in (one, other)]
            assert NO_CELL in exits or exits[0] - one == exits[1] - other


@pytest.mark.parametrize("moved", [0, 1, 5])
def test_where_nothing_repeats_every_cell_has_a_form_of_its_own(moved: int) -> None:
    topology = make_topology("hex", (3, 3))
    polygons = [list(polygon) for polygon in topology.polygons]
    polygons[moved][0] = (polygons[moved][0][0] + 0.1, polygons[moved][0][1])
    assert len(set(cell_forms(polygons, topology.patches, (3, 3)))) > 2
    backwards = dict(zip(topology.patches, reversed(topology.patches.values()), strict=True))
    assert cell_forms(topology.polygons, backwards, (3, 3)) == tuple(range(9))
