"""The kit for tilings passes a sound one, and each of its checks catches a broken one."""

import itertools
import warnings
from collections.abc import Callable, Collection, Container
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.hookspecs import TilingInfo
from gridworld.plugins import get_registry, using_registry
from gridworld.task_spec import Position
from gridworld.testing import TilingConformance
from gridworld.testing.stage import every_topology
from gridworld.world import Topology, square_topology
from gridworld.world.topology import NO_CELL, FieldOfView
from support.plugins import with_item
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones

SIZES = ((3, 3), (5, 4))
Change = Callable[[Topology], dict[str, Any]]


def changed(change: Change) -> Callable[[int, int], Topology]:
    """Squares with something else about them."""

    def tiling(width: int, height: int) -> Topology:
        topology = square_topology(width, height)
        return attrs.evolve(topology, **change(topology))

    return tiling


def test_a_sound_tiling_conforms_given_as_a_function_a_descriptor_or_a_name() -> None:
    info = TilingInfo("squares", "Squares.", "gridworld.world.square:square_topology")
    for tiling in (square_topology, info, "square"):
        assert_conforms(TilingConformance, tiling=tiling, sizes=SIZES)


def without_a_way_back(topology: Topology) -> dict[str, Any]:
    exits = list(topology.exits)
    exits[next(place for place, beyond in enumerate(exits) if beyond != NO_CELL)] = NO_CELL
    return {"exits": tuple(exits)}


def round_the_world(topology: Topology) -> dict[str, Any]:
    """The left edge continues at the right one."""
    exits = list(topology.exits)
    for y in range(topology.height):
        left, right = y * topology.width, (y + 1) * topology.width - 1
        exits[left * 4 + 2], exits[right * 4] = right, left
    return {"exits": tuple(exits)}


def turned_around(topology: Topology) -> dict[str, Any]:
    """Heading 0 leads left."""
    rows = (topology.exits[first : first + 4] for first in range(0, len(topology.exits), 4))
    return {"exits": tuple(beyond for row in rows for beyond in (*row[2:], *row[:2]))}


def shrunk(topology: Topology) -> dict[str, Any]:
    def shrink(polygon: Any, centre: Any) -> Any:
        return tuple((0.9 * x + 0.1 * centre[0], 0.9 * y + 0.1 * centre[1]) for x, y in polygon)

    return {"polygons": tuple(map(shrink, topology.polygons, topology.centres))}


def with_a_patch_of_another(topology: Topology) -> dict[str, Any]:
    return {"patches": {**topology.patches, Position(0, 0): topology.patches[Position(1, 0)]}}


def upside_down(topology: Topology) -> dict[str, Any]:
    return {"patches": {Position(x, topology.height - 1 - y): cells for (x, y), cells in topology.patches.items()}}


def scattered(topology: Topology) -> dict[str, Any]:
    """Two corners are swapped, so that a maze is torn apart."""
    patches, last = dict(topology.patches), Position(topology.width - 1, topology.height - 1)
    patches[Position(0, 0)], patches[last] = patches[last], patches[Position(0, 0)]
    return {"patches": patches}


calls = itertools.count()


@attrs.frozen
class View:
    """A view that is spoilt."""

    view: FieldOfView
    spoil: Callable[[frozenset[int], Any], frozenset[int]]

    def seen(self, opaque: Container[int], seams: Collection[tuple[int, int]] = ()) -> frozenset[int]:
        return self.spoil(self.view.seen(opaque, seams), opaque)


def spoilt(spoil: Callable[[int, int, frozenset[int], Any], frozenset[int]]) -> Change:
    """Sight that is spoilt, depending on cell, view size, what would be seen, and what is opaque."""
    return lambda topology: {
        "sight": lambda cell, heading, size: View(topology.sight(cell, heading, size), partial(spoil, cell, size))
    }


TABLES = "it_has_tables_of_the_size_of_the_lattice"
TURNS = "turning_faces_the_next_edge_on_that_side"
TWINS = "every_exit_has_a_twin_half_a_turn_from_it_that_leads_back"
POLYGONS = "polygons_are_clockwise_and_convex_around_their_centres"
VIEWS = "a_larger_view_and_fewer_opaque_cells_never_show_less"
PLANE = "polygons_fill_the_plane_without_gaps_or_overlaps"

BROKEN: list[tuple[str, Change]] = [
    (TABLES, lambda topology: {"exits": topology.exits[:-4]}),
    (TABLES, lambda topology: {"explanation": f"The board has {topology.width} columns."}),
    ("it_is_made_the_same_each_time", lambda topology: {"name": f"squares-{next(calls)}"}),
    ("it_can_be_pickled", spoilt(lambda cell, size, seen, opaque: seen)),
    (TURNS, lambda topology: {"edges": ((1, 0, 2, 3),) * topology.cell_count}),
    (TWINS, without_a_way_back),
    (TWINS, lambda topology: {"edges": ((0, 1, 2),) * topology.cell_count}),
    ("exits_lead_to_all_cells_with_an_edge_in_common_and_to_no_others", round_the_world),
    ("an_exit_leads_roughly_in_the_direction_of_its_heading", turned_around),
    ("every_cell_is_in_the_patch_of_one_lattice_cell", with_a_patch_of_another),
    ("patches_touch_along_an_edge_if_they_are_4_neighbours_and_otherwise_only_on_diagonals", scattered),
    ("anchors_lie_as_their_lattice_cells_do", upside_down),
    (POLYGONS, lambda topology: {"polygons": tuple(polygon[::-1] for polygon in topology.polygons)}),
    (POLYGONS, lambda topology: {"centres": tuple((x + 2, y) for x, y in topology.centres)}),
    (PLANE, shrunk),
    (PLANE, lambda topology: {"polygons": (topology.polygons[1], *topology.polygons[1:])}),
    (VIEWS, spoilt(lambda cell, size, seen, opaque: frozenset({cell}))),
    (
        "in_the_open_sight_is_symmetric",
        spoilt(lambda cell, size, seen, opaque: seen - {9} if cell == 7 else seen),
    ),
    (
        "what_is_seen_depends_on_nothing_that_is_not_seen",
        spoilt(lambda cell, size, seen, opaque: seen | {0} if 19 in opaque else seen),
    ),
    (VIEWS, spoilt(lambda cell, size, seen, opaque: seen if size == 3 else frozenset({cell}))),
    (VIEWS, spoilt(lambda cell, size, seen, opaque: seen | frozenset(opaque))),
    ("a_maze_keeps_its_meaning", scattered),
]


@pytest.mark.parametrize(("check", "change"), BROKEN)
def test_a_broken_tiling_is_caught(check: str, change: Change) -> None:
    assert_caught(TilingConformance, check, tiling=changed(change), sizes=SIZES)


def test_a_tiling_that_imports_a_heavy_library_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import numpy\nfrom gridworld.world.square import square_topology\n"
    (tmp_path / "heavy_squares.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    tiling = TilingInfo("squares", "Squares.", "heavy_squares:square_topology")
    assert_caught(TilingConformance, "importing_it_imports_no_heavy_library", tiling=tiling)


def test_every_check_has_a_broken_tiling() -> None:
    assert_has_broken_ones(
        TilingConformance, ["importing_it_imports_no_heavy_library", *(check for check, _ in BROKEN)]
    )


@pytest.mark.parametrize(
    "tiling", [lambda width, height: 1 // (width - 3), lambda width, height: "squares", lambda width: None]
)
def test_what_makes_no_topology_is_caught(tiling: Any) -> None:
    assert_caught(TilingConformance, "it_is_made_the_same_each_time", tiling=tiling)


def test_a_broken_tiling_of_somebody_else_is_left_out_of_other_kits() -> None:
    bent = TilingInfo("bent", "Bent.", "math:hypot")
    with using_registry(with_item(get_registry(), "tiling", bent)), warnings.catch_warnings(record=True) as caught:
        names = [topology.name for topology in every_topology()]
    assert "square" in names
    assert "tiling 'bent' (under-test) is left out: it makes" in str(caught[0].message)
