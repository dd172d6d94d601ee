"""The kit for tilings passes a sound one, and catches each of many broken ones."""

import itertools
from collections.abc import Callable, Collection, Container
from functools import partial
from typing import Any

import attrs
import pytest

from gridworld.hookspecs import TilingInfo
from gridworld.task_spec import Position
from gridworld.testing import TilingConformance
from gridworld.world import Topology, square_topology
from gridworld.world.topology import NO_CELL, FieldOfView
from support.sample_plugins import assert_caught, assert_conforms

SIZES = ((3, 3), (5, 4))
Change = Callable[[Topology], dict[str, Any]]


def changed(change: Change) -> Callable[[int, int], Topology]:
    """Squares with something else about them."""

    def tiling(width: int, height: int) -> Topology:
        topology = square_topology(width, height)
        return attrs.evolve(topology, **change(topology))

    return tiling


def test_a_sound_tiling_conforms_given_as_a_function_a_descriptor_or_a_name() -> None:
    assert_conforms(TilingConformance, tiling=square_topology, sizes=SIZES)
    info = TilingInfo("squares", "Squares.", "gridworld.world.square:square_topology")
    assert_conforms(TilingConformance, tiling=info, sizes=SIZES)
    assert_conforms(TilingConformance, tiling="square", sizes=SIZES)


def test_an_explanation_that_depends_on_the_size_is_caught() -> None:
    assert_caught(
        TilingConformance,
        "what_it_explains_is_one_line_whatever_the_size",
        "`explanation` is one of",
        "the same text",
        tiling=changed(lambda topology: {"explanation": f"The board has {topology.width} columns."}),
        sizes=SIZES,
    )


def a_missing_way_back(topology: Topology) -> dict[str, Any]:
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


def three_of_four_edges(topology: Topology) -> dict[str, Any]:
    return {"edges": ((0, 1, 2),) * topology.cell_count}


def edges_out_of_order(topology: Topology) -> dict[str, Any]:
    return {"edges": ((1, 0, 2, 3),) * topology.cell_count}


def too_few_exits(topology: Topology) -> dict[str, Any]:
    return {"exits": topology.exits[:-4]}


def counterclockwise(topology: Topology) -> dict[str, Any]:
    return {"polygons": tuple(polygon[::-1] for polygon in topology.polygons)}


def gaps(topology: Topology) -> dict[str, Any]:
    def shrink(polygon: Any, centre: Any) -> Any:
        return tuple((0.9 * x + 0.1 * centre[0], 0.9 * y + 0.1 * centre[1]) for x, y in polygon)

    return {"polygons": tuple(map(shrink, topology.polygons, topology.centres))}


def overlap(topology: Topology) -> dict[str, Any]:
    return {"polygons": (topology.polygons[1], *topology.polygons[1:])}


def shifted_centres(topology: Topology) -> dict[str, Any]:
    return {"centres": tuple((x + 2, y) for x, y in topology.centres)}


def a_forgotten_cell(topology: Topology) -> dict[str, Any]:
    patches = dict(topology.patches)
    patches[Position(0, 0)] = patches[Position(1, 0)]
    return {"patches": patches}


def rows_upside_down(topology: Topology) -> dict[str, Any]:
    return {"patches": {Position(x, topology.height - 1 - y): cells for (x, y), cells in topology.patches.items()}}


def scattered(topology: Topology) -> dict[str, Any]:
    """The corners are swapped, so that a maze is torn apart."""
    patches, last = dict(topology.patches), Position(topology.width - 1, topology.height - 1)
    patches[Position(0, 0)], patches[last] = patches[last], patches[Position(0, 0)]
    return {"patches": patches}


calls = itertools.count()


def named_by_turns(topology: Topology) -> dict[str, Any]:
    return {"name": f"squares-{next(calls)}"}


@attrs.frozen
class View:
    """A view that is spoilt."""

    view: FieldOfView
    spoil: Callable[[frozenset[int], Container[int]], frozenset[int]]

    def seen(self, opaque: Container[int], seams: Collection[tuple[int, int]] = ()) -> frozenset[int]:
        return self.spoil(self.view.seen(opaque, seams), opaque)


Spoil = Callable[[int, int, frozenset[int], Container[int]], frozenset[int]]


def spoilt(spoil: Spoil) -> Change:
    """Sight that is spoilt, depending on cell, view size, what would be seen, and what is opaque."""
    return lambda topology: {
        "sight": lambda cell, heading, size: View(topology.sight(cell, heading, size), partial(spoil, cell, size))
    }


def not_two_cells_on(cell: int, size: int, seen: frozenset[int], opaque: Container[int]) -> frozenset[int]:
    return seen - {cell + 2} if cell == 0 else seen


def not_ahead(cell: int, size: int, seen: frozenset[int], opaque: Container[int]) -> frozenset[int]:
    return frozenset({cell})


def only_near(cell: int, size: int, seen: frozenset[int], opaque: Container[int]) -> frozenset[int]:
    return seen if size == 3 else frozenset({cell})


def all_that_is_opaque(cell: int, size: int, seen: frozenset[int], opaque: Any) -> frozenset[int]:
    return seen | frozenset(opaque)


def as_it_is(cell: int, size: int, seen: frozenset[int], opaque: Container[int]) -> frozenset[int]:
    return seen


@pytest.mark.parametrize(
    ("change", "check", "wrong", "remedy"),
    [
        (
            a_missing_way_back,
            "every_exit_has_a_twin_half_a_turn_from_it_that_leads_back",
            "does not lead back",
            "way back",
        ),
        (
            round_the_world,
            "exits_lead_to_all_cells_with_an_edge_in_common_and_to_no_others",
            "exits without a common edge: (",
            "share an edge",
        ),
        (
            turned_around,
            "an_exit_leads_roughly_in_the_direction_of_its_heading",
            "180 degrees off",
            "clockwise from right",
        ),
        (three_of_four_edges, "only_headings_that_face_an_edge_have_exits", "faces no edge", "add the heading"),
        (
            edges_out_of_order,
            "after_a_turn_the_agent_faces_the_next_edge_on_that_side",
            "has the edges (1, 0, 2, 3)",
            "ascending",
        ),
        (
            too_few_exits,
            "it_says_of_what_size_it_is_and_has_tables_of_that_size",
            "4 headings, but exits",
            "one exit for",
        ),
        (
            counterclockwise,
            "polygons_are_clockwise_and_convex_around_their_centres",
            "not clockwise",
            "clockwise as seen with y downwards",
        ),
        (gaps, "polygons_fill_the_plane_without_gaps_or_overlaps", "outlines instead of one", "share whole edges"),
        (
            overlap,
            "polygons_fill_the_plane_without_gaps_or_overlaps",
            "two cells lie on one side",
            "cells do not overlap",
        ),
        (overlap, "the_corners_that_meet_within_fill_a_whole_turn", "overlap or leave gaps", "cells do not overlap"),
        (
            shifted_centres,
            "polygons_are_clockwise_and_convex_around_their_centres",
            "not inside its polygon",
            "same order and units",
        ),
        (
            a_forgotten_cell,
            "every_lattice_cell_has_a_patch_and_every_cell_is_in_exactly_one",
            "in no patch, or in several",
            "the patch of one lattice cell",
        ),
        (rows_upside_down, "anchors_lie_as_their_lattice_cells_do", "is not below", "lattice spacings"),
        (
            scattered,
            "patches_touch_along_an_edge_if_they_are_4_neighbours_and_otherwise_only_on_diagonals",
            "do not touch",
            "share at least one whole edge",
        ),
        (
            scattered,
            "whatever_the_walls_the_same_lattice_cells_can_be_walked_to_as_on_squares",
            "unlike on squares",
            "docs/how-to/plugins/tiling.md",
        ),
        (named_by_turns, "it_is_made_the_same_each_time", "differs when", "in a fixed order"),
        (
            spoilt(not_two_cells_on),
            "in_the_open_sight_is_symmetric",
            "from where it is not seen",
            "the line between two centres",
        ),
        (
            spoilt(not_ahead),
            "the_own_cell_and_the_cell_ahead_are_seen_whatever_is_opaque",
            "is not seen",
            "always contain",
        ),
        (
            spoilt(only_near),
            "a_larger_view_sees_all_that_a_smaller_one_does",
            "sees less with a larger view_size",
            "the reach of sight",
        ),
        (
            spoilt(all_that_is_opaque),
            "what_is_opaque_never_shows_more",
            "sees more where more is opaque",
            "only remove cells",
        ),
        (
            spoilt(as_it_is),
            "it_can_be_pickled",
            "pickling",
            "an instance of a class",
        ),
    ],
)
def test_a_broken_tiling_is_caught(change: Change, check: str, wrong: str, remedy: str) -> None:
    assert_caught(TilingConformance, check, wrong, remedy, tiling=changed(change), sizes=SIZES)


def test_a_tiling_that_forgets_walls_is_caught_by_a_maze() -> None:
    def shortcut(topology: Topology) -> dict[str, Any]:
        exits = list(topology.exits)
        top, bottom = (
            topology.anchor(Position(1, 1)),
            topology.anchor(Position(topology.width - 2, topology.height - 2)),
        )
        exits[top * 4 + 1], exits[bottom * 4 + 3] = bottom, top
        return {"exits": tuple(exits)}

    assert_caught(
        TilingConformance,
        "a_maze_keeps_its_meaning",
        "the goal of a maze can be walked to",
        "see docs/how-to/plugins/tiling.md",
        tiling=changed(shortcut),
    )


@pytest.mark.parametrize(
    ("tiling", "wrong", "remedy"),
    [
        (lambda width, height: 1 // (width - 3), "ZeroDivisionError", "from 3 x 3 up"),
        (lambda width, height: "squares", "it makes 'squares'", "return a `gridworld.world.Topology`"),
    ],
)
def test_what_makes_no_topology_is_caught(tiling: Any, wrong: str, remedy: str) -> None:
    assert_caught(TilingConformance, "it_is_made_the_same_each_time", wrong, remedy, tiling=tiling)
