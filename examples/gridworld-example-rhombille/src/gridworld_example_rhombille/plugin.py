"""What this distribution provides."""

from gridworld.hookspecs import TilingInfo, hookimpl


@hookimpl
def gridworld_tilings() -> list[TilingInfo]:
    return [TilingInfo("rhombille", "Three rhombi a cell.", "gridworld_example_rhombille.rhombille:rhombille_topology")]
