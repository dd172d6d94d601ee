"""What the tests of tilings share: the installed tilings of many sizes, and the plain geometry of their kit."""

import pytest

from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object
from gridworld.testing.geometry import (
    area,
    contains,
    corner_key,
    direction,
    edges_of,
    exit_table,
    is_beside,
    is_diagonal,
    reached,
    touching_cells,
)
from gridworld.testing.tiling import SIZES
from gridworld.world import Topology

__all__ = [
    "POLYGON_TILINGS",
    "SIZES",
    "TILINGS",
    "area",
    "contains",
    "corner_key",
    "direction",
    "edges_of",
    "exit_table",
    "is_beside",
    "is_diagonal",
    "make_topology",
    "on_all_sizes",
    "on_all_tilings",
    "on_polygon_tilings",
    "reached",
    "touching_cells",
]

TILINGS = tuple(get_registry().tilings.names())
POLYGON_TILINGS = tuple(name for name in TILINGS if name != "square")

on_all_tilings = pytest.mark.parametrize("name", TILINGS)
on_polygon_tilings = pytest.mark.parametrize("name", POLYGON_TILINGS)


def on_all_sizes(function: object) -> object:
    """Run a test on every installed tiling of every size."""
    sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
    return on_all_tilings(sizes(function))


def make_topology(name: str, size: tuple[int, int]) -> Topology:
    """An installed tiling of a lattice, as its plugin makes it."""
    topology = load_object(get_registry().tilings.get(name).target)(*size)
    assert isinstance(topology, Topology)
    return topology
