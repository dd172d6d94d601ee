"""Plugin of this distribution: a backend for any tiling, four tilings besides squares, an importer of levels."""

from collections.abc import Iterable

from gridworld.hookspecs import BackendInfo, ImporterInfo, TilingInfo, hookimpl

TILINGS = "gridworld_polygons.uniform"


@hookimpl
def gridworld_backends() -> Iterable[BackendInfo]:
    return [
        BackendInfo(
            name="multigrid",
            summary="Any tiling, in one style.",
            target="gridworld_multigrid.backend:MultiGridBackend",
            environment="gridworld_multigrid:gridworld/MultiGrid-v0",
            harmless=("tiling",),
        )
    ]


@hookimpl
def gridworld_tilings() -> Iterable[TilingInfo]:
    return [
        TilingInfo("hex", "Hexagons.", f"{TILINGS}:hexagon_topology"),
        TilingInfo("triangle", "Two triangles a cell.", f"{TILINGS}:triangle_topology"),
        TilingInfo("488", "Octagons and squares.", f"{TILINGS}:octagon_square_topology"),
        TilingInfo(
            "3464",
            "Hexagons, squares and triangles.",
            f"{TILINGS}:hexagon_square_triangle_topology",
        ),
    ]


@hookimpl
def gridworld_importers() -> Iterable[ImporterInfo]:
    return [
        ImporterInfo(
            "multigrid",
            "Levels that the environments of the package multigrid draw from seeds.",
            "gridworld_multigrid.pypi_importer:MultiGridImporter",
            extra="multigrid",
        )
    ]
