"""Tilings made of polygons: tools for writing them, and the bundled ones (`uniform`).

A tiling gives every lattice cell a patch of polygons; `topology_of_polygons` compiles polygons to the integer tables of
the kernel. A maze keeps its meaning on all tilings, since patches of 4-neighbours touch along an edge.
This package imports neither NumPy nor Gymnasium; `gridworld_multigrid_plugin` registers its tilings.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld_polygons.polygons import (
        Point,
        Polygon,
        edge_facing,
        nearest_edge,
        regular_polygon,
        topology_of_polygons,
    )
    from gridworld_polygons.uniform import hexagon_centre

__all__ = [
    "Point",
    "Polygon",
    "edge_facing",
    "hexagon_centre",
    "nearest_edge",
    "regular_polygon",
    "topology_of_polygons",
]

__getattr__ = names_from(__name__, dict.fromkeys(__all__, "polygons") | {"hexagon_centre": "uniform"})
