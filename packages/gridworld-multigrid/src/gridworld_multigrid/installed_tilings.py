"""The installed tilings by their names, our own and everybody else's."""

from gridworld.plugin_types import TilingInfo, load_object
from gridworld.plugins import get_registry
from gridworld.world import Topology

__all__ = ["find_tiling", "make_topology"]


def find_tiling(name: str) -> TilingInfo:
    """The tiling of a name.

    Raises:
        UnknownNameError: no installed plugin provides it.
        AmbiguousNameError: more than one does, and the name is not qualified.
    """
    return get_registry().tilings.get(name)


def make_topology(tiling: TilingInfo, dimensions: tuple[int, int]) -> Topology:
    """A tiling of a lattice of so many columns and rows.

    Raises:
        PluginFault: the tiling cannot be imported.
    """
    topology: Topology = load_object(tiling.target)(*dimensions)
    return topology
