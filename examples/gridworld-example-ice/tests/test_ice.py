"""Ice is what every mechanism has to be."""

from gridworld.testing import MechanismConformance, PluginModuleConformance
from gridworld_example_ice.ice import ICE


class TestIce(MechanismConformance):
    mechanism = ICE


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_ice.ice"
