"""The rhombille tiling is what every tiling has to be."""

from gridworld.testing import PluginModuleConformance, TilingConformance
from gridworld_example_rhombille.rhombille import rhombille_topology


class TestRhombille(TilingConformance):
    tiling = rhombille_topology


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_rhombille.rhombille"
