"""One-way floors are what every mechanism has to be."""

from gridworld.testing import MechanismConformance, PluginModuleConformance
from gridworld_example_one_way.one_way import ONE_WAY, STEPS


class TestOneWay(MechanismConformance):
    mechanism = ONE_WAY
    examples = tuple({"id": "o1", "position": [3, 2], "direction": direction} for direction in STEPS)


class TestPlugin(PluginModuleConformance):
    plugin_module = "gridworld_example_one_way.plugin"
